"""The messages of the library, read from its sources: what C++ puts together at run time, and Python, as one text each.

`…` is a value. A helper that a message calls is written out where it says the way out; what a function is given for a
message is taken from its calls. So one place of the source may give several messages.
"""

import ast
import collections
import itertools
import re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>^[ \t]*\#(?:[^\n\\]|\\\n|\\.)*)|(?P<text>"(?:[^"\\\n]|\\.)*")"""
    r"""|(?P<char>'(?:[^'\\\n]|\\.)')|(?P<name>[A-Za-z_]\w*)|(?P<number>\.?\d[\w.']*)|(?P<space>\s+)"""
    r"""|(?P<other>::|->|<<|>>|&&|\|\||[=!<>+*/-]=|.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
ERROR = re.compile(r'\s*#\s*(?:error|warning)\b[\s\\]*"(.*)"', re.DOTALL)
FORMAT = re.compile(r"%0?\d*(?:ll|z)?[a-z]")
MESSAGE = re.compile(r"([cC]udaDMA\w*|dma(::[\w…<>]+|\.\w+)*|DMA_\w+): \S")
KERNEL = re.compile(r"(?:,? of)? \[[^\]]*kernel \[…[^\]]*\]")
WAY_OUT = re.compile(r"; |\n")  # begins behind the cause
OPENS = {"(": ")", "[": "]", "{": "}"}
NO_FUNCTION = {"if", "constexpr", "for", "while", "switch", "catch", "return", "noexcept", "requires", "decltype", "alignas", "sizeof"}
OF_PTX = "; give PTX as a compiler writes it"  # and not of a launch, which the same functions read
MOST_FORMS = 40
VALUE = "…"

Message = collections.namedtuple("Message", "construct text file")
Function = collections.namedtuple("Function", "source room name parameters defaults begin end")


class Source:
    """The tokens of one C++ file, its brackets and its functions."""

    def __init__(self, name, text):
        self.name, self.tokens, self.errors = name, [], []
        for match in TOKEN.finditer(text):
            kind = match.lastgroup
            if kind == "directive" and (error := ERROR.match(match.group())):
                self.errors.append(re.sub(r"\\\n\s*", "", error[1]))
            elif kind not in ("comment", "space", "directive"):
                self.tokens.append((kind, match.group()))
        self.partner, opened = {}, []
        for i, (kind, word) in enumerate(self.tokens):
            if kind == "other" and word in OPENS:
                opened.append(i)
            elif kind == "other" and word in ")]}" and opened:
                self.partner[i] = opened.pop()
                self.partner[self.partner[i]] = i
        self.rooms = {i: room for i, token in enumerate(self.tokens) if token == ("other", "{") and (room := self.class_at(i))}
        self.functions = [f for i, token in enumerate(self.tokens) if token == ("other", "{") and (f := self.function_at(i))]
        self.around = {}  # token to the innermost function
        for function in sorted(self.functions, key=lambda f: f.begin - f.end):
            self.around.update(dict.fromkeys(range(function.begin + 1, function.end), function))
        self.places = collections.defaultdict(list)  # name to tokens
        for i, (kind, word) in enumerate(self.tokens):
            if kind == "name":
                self.places[word].append(i)

    def word(self, i):
        return self.tokens[i][1] if 0 <= i < len(self.tokens) else ""

    def class_at(self, brace):
        """The name of the class whose members this bracket opens."""
        words = [self.word(i) for i in range(max(0, brace - 12), brace)]
        last = max((i for i, word in enumerate(words) if word in ("struct", "class")), default=-1)
        return words[last + 1] if 0 <= last < len(words) - 1 and not {";", "(", "}", "{"} & set(words[last:]) else ""

    def type_of(self, name):
        """The class that a variable or a member of this file is declared with."""
        for i in self.places[name]:
            word = self.word(i - 2 if self.word(i - 1) in ("&", "*") else i - 1)
            if word[:1].isupper():
                return word
        return ""

    def function_at(self, brace):
        """The function whose body this bracket opens; None of others."""
        i = brace - 1
        while i > 0 and brace - i < 14 and self.word(i) not in (";", "}", "{", "=", ","):
            if self.word(i) == ")":
                opening = self.partner[i]
                name = self.word(opening - 1)
                if name == "]":  # a lambda, by the name that it is given
                    before = self.partner[opening - 1]
                    name = self.word(before - 2) if self.word(before - 1) == "=" else ""
                if name not in NO_FUNCTION:
                    parts = [self.split(*part, "=") for part in self.split(opening + 1, i, ",")]
                    parameters = [self.last_name(*part[0]) for part in parts]
                    defaults = {name: part[1] for name, part in zip(parameters, parts) if len(part) > 1}
                    rooms = [b for b in self.rooms if b < brace < self.partner.get(b, 0)]
                    room = self.rooms[max(rooms)] if rooms else ""
                    return Function(self, room, name, parameters, defaults, brace, self.partner.get(brace, len(self.tokens)))
                i = opening - 1
            i -= 1
        return None

    def function_around(self, i):
        return self.around.get(i)

    def last_name(self, begin, end):
        return next((word for kind, word in reversed(self.tokens[begin:end]) if kind == "name"), "")

    def split(self, begin, end, *separators):
        """[begin, end) at what separates it outside of brackets."""
        first, i, parts = begin, begin, []
        while i < end:
            kind, word = self.tokens[i]
            if kind == "other" and word in separators:
                parts.append((first, i))
                first = i + 1
            i = self.partner.get(i, i) + 1 if kind == "other" and word in OPENS else i + 1
        return [*parts, (first, end)] if first < end or parts else []


def tidy(form):
    """A text with one mark for a value or several that follow one another, without the kernel or the value that it ends with."""
    text = KERNEL.sub("", re.sub(rf"({VALUE})+", VALUE, FORMAT.sub(VALUE, form)).replace(f"{VALUE} ,", f"{VALUE},").rstrip())
    return re.sub(rf"(?:: )?{VALUE}$", "", text) if WAY_OUT.search(text) else text


def more_of(long, short):
    """What `long` has more than `short` in one place; empty where it is another text."""
    same = next((i for i, (one, other) in enumerate(zip(long, short)) if one != other), len(short))
    return long[same : same + len(long) - len(short)] if len(long) > len(short) and long.endswith(short[same:]) else ""


def is_kept(long, short):
    """Whether the longer of two texts is the one for the page: what is counted in the plural, a way out to its end."""
    return more_of(long, short) == "s" or (more_of(long, short) != "" and long.startswith(short))


def plainest(found):
    """Without those that have what is said only at times."""
    texts = {file: [text for one, text in found if one == file] for file, _ in found}

    def is_left_out(text, others):
        return any(is_kept(other, text) or (more_of(text, other) and not is_kept(text, other)) for other in others)

    return [(file, text) for file, text in found if not is_left_out(text, texts[file])]


class Texts:
    """What expressions of C++ say, each in all its forms."""

    def __init__(self, sources):
        self.sources = sources
        self.functions = collections.defaultdict(list)
        self.calls = collections.defaultdict(list)
        self.known_forms = {}
        self.constants = collections.defaultdict(list)  # files that give a `const char*` of this name its text
        for source in sources:
            for function in source.functions:
                self.functions[function.name].append(function)
            for i, (kind, _) in enumerate(source.tokens):
                if kind == "name" and source.word(i + 1) == "(":
                    self.calls[source.word(i)].append((source, i))
                if kind == "name" and source.word(i + 1) == "=" and source.word(i - 1) == "*":
                    self.constants[source.word(i)].append(source)
        self.helpers = self.helpers_of([function for source in sources for function in source.functions])

    def returned(self, function):
        source = function.source
        for i in source.places["return"]:
            if source.function_around(i) == function:
                yield source.split(i + 1, function.end, ";")[0]

    def helpers_of(self, functions):
        """The functions with a way out in a text, and those that return what one of a name of its own says."""
        found, ends = set(), collections.defaultdict(set)
        for function in functions:
            source, place = function.source, (function.source.name, function.begin)
            if any(kind == "text" and "; " in word for kind, word in source.tokens[function.begin : function.end]):
                found.add(place)
            for begin, end in self.returned(function):
                opening = source.partner.get(end - 1, end)
                called = self.functions[source.word(opening - 1)] if begin < opening < end else []
                if len(called) == 1:
                    ends[called[0].source.name, called[0].begin].add(place)
        while more := set().union(*(ends[place] for place in found)) - found:
            found |= more
        return found

    def of(self, source, begin, end, known=None, depth=0):
        """The forms of the expression [begin, end). `known`: forms of parameters."""
        known = known or {}
        while begin < end and source.word(begin) == "(" and source.partner[begin] == end - 1:
            begin, end = begin + 1, end - 1
        formatted = source.split(begin, end, ",")
        if len(formatted) > 1:
            form, *values = ([*self.of(source, *part, known, depth)] for part in formatted)
            return [self.printed(text, each) for text in form for each in itertools.islice(itertools.product(*values), MOST_FORMS)]
        asks = source.split(begin, end, "?")
        if len(asks) > 1:
            yes = self.behind_question(source, asks[0][1] + 1, end)
            return self.of(source, asks[0][1] + 1, yes, known, depth) + self.of(source, yes + 1, end, known, depth)
        terms = source.split(begin, end, "+")
        if len(terms) > 1:
            forms = [self.of(source, *term, known, depth) for term in terms]
            return ["".join(form) for form in itertools.islice(itertools.product(*forms), MOST_FORMS)]
        words = source.tokens[begin:end]
        if words and all(kind in ("text", "char") for kind, _ in words):
            return ["".join(ast.literal_eval(word) for _, word in words)]
        if words and words[-1] == ("other", ")"):
            opening = source.partner[end - 1]
            if source.word(opening - 1) in ("string", "move", "what"):
                return self.of(source, opening + 1, end - 1, known, depth)
            return self.of_call(source, opening, known, depth)
        if words and all(kind == "name" or word == "::" for kind, word in words):
            return known.get(words[-1][1]) or self.of_variable(source, end - 1, known, depth)
        return [VALUE]

    @staticmethod
    def printed(form, values):
        """A format of printf's with its values."""
        first, *others = FORMAT.split(form)
        return first + "".join(value + other for value, other in zip(itertools.chain(values, itertools.repeat(VALUE)), others))

    def behind_question(self, source, i, end):
        open_questions = 1
        while i < end:
            word = source.word(i)
            open_questions += (word == "?") - (word == ":")
            if open_questions == 0:
                return i
            i = source.partner.get(i, i) + 1 if word in OPENS else i + 1
        return end

    def of_call(self, source, opening, known, depth):
        """What a helper returns, where one of its texts is a way out."""
        around = source.function_around(opening)
        candidates = [f for f in self.functions[source.word(opening - 1)] if f != around]
        if source.word(opening - 2) in (".", "->"):
            room = source.type_of(source.word(opening - 3))
            if candidates and not room and all(f.source is not source for f in candidates) and source.word(opening - 2) == "->":
                return [VALUE]  # of an object whose class is not said here
            candidates = [f for f in candidates if f.room == room] or candidates
        else:
            candidates = [f for f in candidates if f.source is source] or candidates
        if len(candidates) > 2:
            return [VALUE]
        if around:  # a lambda of this function
            candidates = [f for f in candidates if f.source is source and around.begin < f.begin < around.end] or candidates
        arguments = [self.of(source, *part, known, depth + 1) for part in source.split(opening + 1, source.partner[opening], ",")]
        is_given_fix = any("; " in form for forms in arguments for form in forms)
        forms = []
        for function in candidates:
            if depth > 3 or len(function.parameters) < len(arguments):
                continue
            if (function.source.name, function.begin) not in self.helpers and not is_given_fix:
                continue
            bound = dict(zip(function.parameters, arguments))
            for part in self.returned(function):
                forms += self.of(function.source, *part, bound, depth + 1)
        return list(dict.fromkeys(forms))[:MOST_FORMS] or [VALUE]

    def of_variable(self, source, at, known, depth):
        """What a variable was given: before this place in its function, else in its file, else a constant's text."""
        name, around = source.word(at), source.function_around(at)
        if depth > 6 or (around and name in around.parameters):
            return [VALUE]
        places = [(around.source, around.begin, at)] if around else []
        places += [(each, 0, len(each.tokens)) for each in (source, *self.constants.get(name, []))]
        for where, begin, end in places:
            found = None
            for i in where.places[name]:
                if not begin <= i < end or where.word(i + 1) not in ("=", "+=") or (i == at and where is source):
                    continue
                last = where.split(i + 2, len(where.tokens), ";")[0][1]
                forms = self.of(where, i + 2, last, known, depth + 1)
                first = found if found and where.word(i + 1) == "+=" else [""]
                found = [text + more for text in first for more in forms][:MOST_FORMS]
            if found:
                return found
        return [VALUE]

    def given(self, function, depth):
        """(file, forms of the parameters) of each call of a function."""
        defaults = {name: self.of(function.source, *part) for name, part in function.defaults.items()}
        for source, i in self.calls[function.name]:
            arguments = source.split(i + 2, source.partner[i + 1], ",")
            if not source.function_around(i) or not arguments or len(arguments) > len(function.parameters):
                continue
            forms = [self.forms_of(source, *part, depth + 1) for part in arguments]
            # A call of another function of this name has a whole message.
            if not any(MESSAGE.match(text) for form in forms for _, text in form):
                texts = {name: [text for _, text in form] for name, form in zip(function.parameters, forms)}
                texts = {name: text for name, text in texts.items() if any(map(str.isalpha, "".join(text)))}
                yield source.name, (defaults | texts if texts else {})

    def forms_of(self, source, begin, end, depth=0):
        """(file, text) of the expression, of which parts may be what the function around is given."""
        key = source.name, begin, end, depth
        if key not in self.known_forms:
            around = source.function_around(begin)
            names = {word for kind, word in source.tokens[begin:end] if kind == "name"}
            givens = []
            if around and names & set(around.parameters) and depth < 3:
                givens = [given for given in self.given(around, depth) if names & set(given[1])]
            forms = [(file, form) for file, given in givens or [(source.name, {})] for form in self.of(source, begin, end, given)]
            self.known_forms[key] = list(dict.fromkeys(forms))
        return self.known_forms[key]

    def messages_in(self, source, begin, end):
        found = [(file, tidy(form)) for file, form in self.forms_of(source, begin, end)]
        found = [(file, text) for file, text in dict.fromkeys(found) if MESSAGE.match(text)]
        # Where a helper has nothing to say there is no message.
        return [(file, text) for file, text in found if WAY_OUT.search(text)] or found


def expression_around(source, i):
    """The whole expression that a literal is part of."""
    begin = i
    while True:
        begin -= 1
        kind, word = source.tokens[begin]
        if kind == "other" and word in ")]}":
            begin = source.partner[begin]
        elif kind == "other" and word in OPENS:
            if word != "(" or source.word(begin - 1) not in ("string", "(", "+", "="):
                break
        elif word in (",", ";", "=", "return", "<<"):
            break
    end = source.split(begin + 1, len(source.tokens), ",", ";", "<<")[0][1]
    # Where what is around it ends before.
    closes = (j for j in range(begin + 1, end) if source.partner.get(j, j) <= begin)
    return begin + 1, next(closes, end)


def of_cpp(files):
    """`files`: name to text. What static_assert, #error, DMA_EXPECTS and all others say."""
    sources = [Source(name, text) for name, text in files.items()]
    texts = Texts(sources)
    for source in sources:
        yield from (Message("static_assert", error, source.name) for error in source.errors)
        read = set()
        for i, (kind, word) in enumerate(source.tokens):
            if word in ("static_assert", "DMA_EXPECTS") and source.word(i + 1) == "(":
                parts = source.split(i + 2, source.partner[i + 1], ",")
                rule = parts[1] if word == "DMA_EXPECTS" else parts[-1]
                if len(parts) > 1:
                    read.update(range(*rule))
                    yield from (Message(word, text, file) for file, text in texts.messages_in(source, *rule))
        for i, (kind, word) in enumerate(source.tokens):
            if kind == "text" and i not in read and re.match(r'"(dma|DMA_|[cC]udaDMA)\S*', word):
                begin, end = expression_around(source, i)
                if source.word(begin - 1) == "(" and source.word(begin - 2) in ("add", "printf"):
                    end = source.partner[begin - 1]
                read.update(range(begin, end))
                yield from (Message("other", text, file) for file, text in plainest(texts.messages_in(source, begin, end)))
        for function in source.functions:
            if function.name.startswith("broken_law"):
                forms = [form for part in texts.returned(function) for form in texts.of(source, *part)]
                found = dict.fromkeys(tidy(form) for form in forms if WAY_OUT.search(form))
                yield from (Message("law", text, source.name) for text in found)
        if "/proof/" in source.name:
            yield from of_verdicts(source, texts)
            yield from of_ptx(source, texts)


def of_ptx(source, texts):
    """What a kernel of PTX does wrong, and why it is refused, where a way out is said."""
    for name in ("fail", "refuse"):
        for i in source.places[name]:
            parts = source.split(i + 2, source.partner.get(i + 1, i + 2), ",")
            if source.word(i - 1) == "." and len(parts) > 1:
                forms = dict.fromkeys((file, tidy(form)) for file, form in texts.forms_of(source, *parts[1]))
                yield from (Message("verdict", text, file) for file, text in forms if WAY_OUT.search(text))
    for i in source.places["throw_refusal"]:
        if source.word(i + 1) == "(":
            said = itertools.groupby(source.tokens[i : source.partner[i + 1]], lambda token: token[0] == "text")
            said = ["".join(ast.literal_eval(word) for _, word in words) for is_text, words in said if is_text]
            yield from (Message("verdict", text[2:], source.name) for text in said if text.startswith("; ") and WAY_OUT.search(text[2:]))


def of_verdicts(source, texts):
    """What a verdict says is wrong, holds for only, and was not judged."""
    for name in ("message", "reservation", "not_judged"):
        for i in source.places[name]:
            if source.word(i - 1) != ".":
                continue
            if source.word(i + 1) in ("=", "+="):
                begin = i + 2
            elif source.word(i + 2) == "insert":
                begin = i + 4
            else:
                continue
            begin, end = source.split(begin, len(source.tokens), ",", ";")[0]
            end = next((j for j in range(begin, end) if source.partner.get(j, j) < begin), end)  # of the last member
            forms = [(file, tidy(form.removeprefix("; "))) for file, form in texts.forms_of(source, begin, end)]
            forms = [(file, text) for file, text in forms if text[:1].isalpha() and WAY_OUT.search(text) and not MESSAGE.search(text)]
            yield from (Message("verdict", text, file) for file, text in plainest(forms))


def of_program(files):
    """`files`: name to text. What dma-prove says of its command line and of launches; it puts its name before these."""
    sources = [Source(name, text) for name, text in files.items()]
    texts = Texts(sources)
    for source in sources:
        for word in ("UsageError", "invalid_argument", "note", "reject", "SyntaxError"):
            for i in source.places[word]:
                if source.word(i + 1) == "(" and source.word(i - 1) in ("throw", "::", ".", "{"):
                    rule = source.split(i + 2, source.partner[i + 1], ",")[0]
                    forms = dict.fromkeys((file, tidy(form)) for file, form in texts.forms_of(source, *rule))
                    forms = [(file, text) for file, text in forms if WAY_OUT.search(text) and not text.endswith(OF_PTX)]
                    yield from (Message("program", f"dma-prove: {text}", file) for file, text in forms)


class PythonTexts:
    """What expressions of Python say, each in all its forms."""

    def __init__(self, trees):
        self.trees, self.around, self.calls = trees, {}, collections.defaultdict(list)
        for tree in trees:
            self.visit(tree, None)

    def visit(self, node, function):
        self.around[node] = function
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            self.calls[name].append(node)
        inside = node if isinstance(node, ast.FunctionDef) else function
        for child in ast.iter_child_nodes(node):
            self.visit(child, inside)

    def of(self, node, known):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.JoinedStr):
            return self.product([self.of(value, known) for value in node.values])
        if isinstance(node, ast.FormattedValue):
            return self.of(node.value, known)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.product([self.of(node.left, known), self.of(node.right, known)])
        if isinstance(node, ast.IfExp):
            return self.of(node.body, known) + self.of(node.orelse, known)
        if isinstance(node, ast.Name):
            return known.get(node.id) or self.of_variable(node, known)
        return [VALUE]

    def product(self, forms):
        return ["".join(form) for form in itertools.islice(itertools.product(*forms), MOST_FORMS)]

    def of_variable(self, node, known):
        for each in itertools.chain(ast.walk(self.around[node] or ast.Module([])), *(tree.body for tree in self.trees)):
            if isinstance(each, ast.Assign) and any(isinstance(t, ast.Name) and t.id == node.id for t in each.targets):
                if isinstance(each.value, (ast.Constant, ast.JoinedStr, ast.BinOp, ast.IfExp)):
                    return self.of(each.value, known)
        return [VALUE]

    def given(self, function, depth):
        names = [argument.arg for argument in function.args.args]
        names = names[names[:1] == ["self"] :]
        for call in self.calls[function.name]:
            arguments = [*zip(names, call.args), *((word.arg, word.value) for word in call.keywords)]
            yield {name: self.forms_of(argument, depth + 1) for name, argument in arguments}

    def forms_of(self, node, depth=0):
        """The forms of an expression, of which parts may be what the function around is given."""
        function = self.around[node]
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        parameters = {argument.arg for argument in function.args.args} if function else set()
        givens = list(self.given(function, depth)) if names & parameters and depth < 3 else []
        forms = [form for given in givens or [{}] for form in self.of(node, given)]
        return list(dict.fromkeys(map(tidy, forms)))


def of_python(files):
    """`files`: name to text. What is raised, or returned to be raised."""
    trees = {name: ast.parse(text) for name, text in files.items()}
    texts = PythonTexts(list(trees.values()))
    for name, tree in trees.items():
        inner = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "").endswith("Error") and node not in inner:
                for argument in node.args:
                    yield from (Message("raise", text, name) for text in texts.forms_of(argument) if MESSAGE.match(text))
