#!/usr/bin/env python3
"""public_names.py ROOT [--documented | --templates | --print]: which names are public, and that each is listed and described.

A name is public when a header declares it directly in namespace dma, dma::host, dma::proof or dma::tuning, or as a macro
that the header does not undefine. What is in a namespace `detail` is the library's own. Of dma::machine those names are
public that are listed, for engines and barriers of one's own; dma::cudadma has a test of its own.

public_names.txt has each public name with its page. It is a fault where a public name is not listed, where a listed one is
not declared or its page does not say it, and where an example, an application, a benchmark or a page says `detail::` or
`DMA_DETAIL_`.

  --documented   instead: each name that the headers of a user's rooms declare has a doc comment, the library's own too
  --templates    instead: a public template has at most four parameters, and none of type bool
  --print        prints each public name, its kind and its place

It reads the headers itself: no compiler, no package. Exits with 1 after a line for each fault.
"""

import argparse
import pathlib
import re
import sys

# What no user's code names: the models of the machine, and what the emulator and the judges are made of.
INNER_ROOMS = ("machine/", "host/emulation/", "proof/clocks/", "proof/executions/", "proof/memory/", "proof/record/", "proof/replay/", "proof/search/")
TOKEN = re.compile(
    r"""(?P<doc>///[^\n]*|/\*\*.*?\*/)|(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
    |(?P<text>(?:u8|[uUL])?R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+')
    |(?P<number>\d(?:'?[\w.])*)|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<other>::|\[\[|\]\]|->|&&|\|\||.)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
PAIRS = {"(": ")", "{": "}", "[": "]", "[[": "]]"}
CLOSERS = set(PAIRS.values())
MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)")
UNDEFINED = re.compile(r"^[ \t]*#[ \t]*undef[ \t]+(\w+)")
PUBLIC = ("dma", "dma::host", "dma::proof", "dma::tuning")
most_parameters = 4  # of a public template: what a reader tells apart by place
INNER = re.compile(r"\bdetail::|\bDMA_DETAIL_")
USERS = {".hpp", ".cpp", ".cu", ".cuh", ".md", ".py"}


def tokens_of(text):
    """(kind, text, line) of all that a compiler reads, and of doc comments; a directive is one token."""
    line = 1
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "space"):
            kind = "text" if match.lastgroup == "mark" else match.lastgroup
            yield kind, match.group(), line
        line += match.group().count("\n")


def behind(tokens, i):
    """The index behind the bracket that closes the one at i."""
    opened = []
    while i < len(tokens):
        kind, text, _ = tokens[i]
        if kind == "other" and text in PAIRS:
            opened.append(text)
        elif kind == "other" and text in CLOSERS:
            if opened.pop() == "[" and text == "]]":  # of an index in an index
                opened.pop()
            if not opened:
                return i + 1
        i += 1
    return i


def behind_angles(tokens, i):
    """The index behind the `>` that closes the `<` at i."""
    depth = 0
    while i < len(tokens):
        text = tokens[i][1]
        if text == "<":
            depth += 1
        elif text == ">":
            depth -= 1
            if depth == 0:
                return i + 1
        elif tokens[i][0] == "other" and text in PAIRS:
            i = behind(tokens, i)
            continue
        i += 1
    return i


def behind_constraint(tokens, i):
    """The index behind a requires clause whose first token is at i, behind the word `requires`."""
    while i < len(tokens):
        text = tokens[i][1]
        if text == "!":
            i += 1
            continue
        if text == "requires":  # a requires expression
            i += 1
            if tokens[i][1] == "(":
                i = behind(tokens, i)
            i = behind(tokens, i)
        elif text == "(":
            i = behind(tokens, i)
        else:
            while tokens[i][0] == "name" or tokens[i][1] == "::":
                i += 1
            if tokens[i][1] == "<":
                i = behind_angles(tokens, i)
        if i < len(tokens) and tokens[i][1] in ("&&", "||"):
            i += 1
        else:
            return i
    return i


def declared(tokens):
    """(name, kind) of one declaration in a namespace; None of what declares no new name there."""
    i, is_template = 0, False
    while i < len(tokens):
        text = tokens[i][1]
        if text == "template":
            if i + 1 == len(tokens) or tokens[i + 1][1] != "<":
                return None  # an explicit instantiation
            i, is_template = behind_angles(tokens, i + 1), True
        elif text == "requires":
            i = behind_constraint(tokens, i + 1)
        elif text == "[[":
            i = behind(tokens, i)
        elif text in ("static_assert", "friend", "extern", "asm"):
            return None
        elif text in ("__attribute__", "alignas"):
            i = behind(tokens, i + 1)
        else:
            break
    if i >= len(tokens) or tokens[i][1] == ";":
        return None
    word = tokens[i][1]
    if word in ("class", "struct", "union", "enum", "concept", "using"):
        i += 2 if word == "enum" and tokens[i + 1][1] in ("class", "struct") else 1
        while tokens[i][1] in ("[[", "alignas"):
            i = behind(tokens, i + (tokens[i][1] == "alignas"))
        name, then = tokens[i][1], tokens[i + 1][1] if i + 1 < len(tokens) else ";"
        if word == "using" and name == "namespace":
            return None
        if word == "using" and then != "=":
            end = next(j for j in range(i, len(tokens)) if tokens[j][1] == ";")
            return tokens[end - 1][1], "import"
        if word in ("class", "struct") and then == "<":
            return None  # a specialization
        return name, {"class": "class", "struct": "class", "union": "class", "using": "alias"}.get(word, word)
    last, angles_end_name, is_member = None, False, False
    while i < len(tokens):
        kind, text, _ = tokens[i]
        if text in ("[[", "alignas", "__attribute__", "decltype", "noexcept") and (text != "noexcept" or tokens[i + 1][1] == "("):
            i = behind(tokens, i + (text != "[["))
            continue
        if text == "__launch_bounds__":
            i = behind(tokens, i + 1)
            continue
        if text == "<" and kind == "other" and last != "operator":
            angles_end_name = True
            i = behind_angles(tokens, i)
            continue
        if text == "requires":
            i = behind_constraint(tokens, i + 1)
            continue
        if text == "operator":
            return "operator" + "".join(token[1] for token in tokens[i + 1 : i + 3] if token[1] not in "()"), "operator"
        if kind == "other" and text in ("(", "=", ";", "{"):
            if last is None or is_member:
                return None  # or a member, defined outside of its class
            if text == "(" and tokens[i + 1][1] == "*":
                return tokens[i + 2][1], "variable"  # a pointer to a function
            if text == "(":
                rest = tokens[behind(tokens, i) :]
                if rest and rest[0][1] == "->" and i > 0 and len([t for t in tokens[:i] if t[0] == "name"]) and is_guide(tokens, i):
                    return None
                return None if angles_end_name and tokens[i - 1][1] == ">" else (last, "function")
            return None if angles_end_name and tokens[i - 1][1] == ">" else (last, "variable")
        if kind == "name":
            if text in ("const", "constexpr", "inline", "volatile"):
                i += 1
                continue
            is_member = i > 0 and tokens[i - 1][1] == "::"
            last, angles_end_name = text, False
        i += 1
    return None


def is_guide(tokens, i):
    """Whether the declaration whose parameters begin at i is a deduction guide: its name is all that is before them."""
    names = [token[1] for token in tokens[:i] if token[0] == "name" and token[1] not in ("explicit", "constexpr", "DMA_HOST_DEVICE")]
    before = tokens[:i]
    at = 0
    while at < len(before) and before[at][1] == "template":
        at = behind_angles(before, at + 1)
    if at < len(before) and before[at][1] == "requires":
        at = behind_constraint(before, at + 1)
    plain = [t for t in before[at:] if t[1] not in ("explicit", "constexpr", "DMA_HOST_DEVICE", "DMA_DEVICE")]
    return bool(names) and len(plain) == 1


def template_parameters(tokens):
    """The parameters of a template's declaration, each as the texts of its tokens; none of what is no template."""
    if len(tokens) < 2 or tokens[0][1] != "template" or tokens[1][1] != "<":
        return []
    end = behind_angles(tokens, 1) - 1
    parameters, i = [[]], 2
    while i < end:
        text = tokens[i][1]
        after = behind_angles(tokens, i) if text == "<" else behind(tokens, i) if text in PAIRS else i + 1
        if text == ",":
            parameters.append([])
        else:
            parameters[-1] += [token[1] for token in tokens[i:after]]
        i = after
    return [parameter for parameter in parameters if parameter]


def is_documented(docs, start, end, line):
    """Whether a doc comment is before the declaration of these tokens, or behind it on its last line."""
    before = [text for text, _ in docs.get(start, []) if not text.startswith("///<")]
    return bool(before) or any(text.startswith("///<") and at == line for text, at in docs.get(end, []))


def names_of(text):
    """(namespace, name, kind, line, whether it has a doc comment, parameters of a template) of each declaration in a
    namespace, and of each macro (namespace None) that stays."""
    tokens, docs = [], {}
    for token in tokens_of(text):
        if token[0] == "doc":
            docs.setdefault(len(tokens), []).append(token[1:])
        elif token[0] != "directive":
            tokens.append(token)
    directives = [(word, line) for kind, word, line in tokens_of(text) if kind == "directive"]
    undefined = {found[1] for word, _ in directives if (found := UNDEFINED.match(word))}
    for word, line in directives:
        found = MACRO.match(word)
        if found and found[1] not in undefined:
            yield None, found[1], "macro", line, True, []
    spaces, i, in_group = [], 0, False
    while i < len(tokens):
        word = tokens[i][1]
        at = i + 1 if word == "inline" and tokens[i + 1][1] == "namespace" else i
        if tokens[at][1] == "namespace":
            opened = []
            at += 1
            while tokens[at][1] not in ("{", "=", ";"):
                if tokens[at][1] == "inline":  # the version, which no user writes
                    at += 1
                elif tokens[at][0] == "name":
                    opened.append(tokens[at][1])
                at += 1
            if tokens[at][1] == "{":
                spaces.append(opened or ["(anonymous)"])
                i = at + 1
            else:  # an alias
                yield "::".join(sum(spaces, [])), opened[0], "namespace", tokens[at][2], i in docs, []
                while tokens[at][1] != ";":
                    at += 1
                i = at + 1
            continue
        if word == "}":
            if spaces:
                spaces.pop()
            i += 1
            continue
        if word == "extern" and tokens[i + 1][0] == "text" and tokens[i + 2][1] == "{":
            spaces.append([])
            i += 3
            continue
        start = i
        while i < len(tokens):
            kind, word, _ = tokens[i]
            if kind == "other" and word in PAIRS:
                is_body = word == "{"
                i = behind(tokens, i)
                # `= {...}` ends at its semicolon, and so does a class; a function's body ends the declaration.
                if is_body and (i == len(tokens) or tokens[i][1] not in (";", ",", ")", "&&", "||", "{", "(", ">", ".", "<")):
                    break
            elif kind == "other" and word == ";":
                i += 1
                break
            else:
                i += 1
        comments = "".join(comment for at in range(start, i) for comment, _ in docs.get(at, []))
        in_group = (in_group or "@{" in comments) and "@}" not in comments
        found = declared(tokens[start:i])
        if found:
            documented = in_group or is_documented(docs, start, i, tokens[i - 1][2])
            yield "::".join(sum(spaces, [])), *found, tokens[start][2], documented, template_parameters(tokens[start:i])


def names_in(include):
    """(namespace, name, kind, room, line, whether documented, parameters) of all headers."""
    for header in sorted((include / "dma").rglob("*.hpp")):
        room = header.relative_to(include / "dma").as_posix()
        for space, name, kind, line, *rest in names_of(header.read_text(encoding="utf-8")):
            if space is None or space == "dma" or space.startswith("dma::"):
                yield space, name, kind, room, line, *rest


def public_names(include):
    """name -> (kind, place) of what is public, and the same of what is in inner namespaces; without the first `dma::`."""
    public, inner = {}, {}
    for space, name, kind, room, line, *_ in names_in(include):
        if space is None:
            into, full = (inner if name.startswith("DMA_DETAIL_") else public), name
        else:
            into, full = (public if space in PUBLIC else inner), f"{space}::{name}".removeprefix("dma::")
        into.setdefault(full, (kind, f"include/dma/{room}:{line}"))
    return public, inner


def listed_names(text):
    """name -> page of each line."""
    lines = (line.split("#")[0].split() for line in text.splitlines())
    return {words[0]: words[1] for words in lines if words}


def pages_that_users_read(root):
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def uses_of_inner(root):
    """file -> on how many lines examples, applications, benchmarks, pages and their programs name what is the library's own."""
    files = [each for folder in ("examples", "applications", "bench", "docs") for each in sorted((root / folder).rglob("*")) if each.suffix in USERS]
    for file in [*files, root / "README.md"]:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        count = sum(1 for line in lines if INNER.search(line))
        if count:
            yield file.relative_to(root).as_posix(), count


def check_documented(root):
    documented, places = set(), {}
    for space, name, kind, room, line, has_comment, _ in names_in(root / "include"):
        if space is None or room.startswith(INNER_ROOMS) or kind in ("import", "namespace", "operator"):
            continue
        full = f"{space}::{name}"
        if has_comment:
            documented.add(full)
        places.setdefault(full, f"include/dma/{room}:{line}: {full}")
    missing = [place for name, place in places.items() if name not in documented]
    for each in missing:
        print(f"{each} has no doc comment; say in front of it what it is, with units, errors and cost")
    print(f"{len(documented)} of {len(places)} names have a doc comment")
    return 1 if missing or len(places) < 400 else 0


def check_templates(root):
    count, faults = 0, 0
    for space, name, _, room, line, _, parameters in names_in(root / "include"):
        if space not in PUBLIC or not parameters:
            continue
        count += 1
        place = f"include/dma/{room}:{line}: {space}::{name}"
        if len(parameters) > most_parameters:
            faults += 1
            print(f"{place} has {len(parameters)} template parameters; put numbers that belong together into an aggregate")
        for parameter in parameters:
            if "bool" in parameter[: parameter.index("=") if "=" in parameter else None]:
                faults += 1
                print(f"{place} has the template parameter `{' '.join(parameter)}`; make it an enum class, or a member of an aggregate")
    print(f"{count} public templates, {faults} faults")
    return 1 if faults or count < 80 else 0


def check_listed(root):
    here = pathlib.Path(__file__).resolve().parent
    public, inner = public_names(root / "include")
    listed = listed_names((here / "public_names.txt").read_text(encoding="utf-8"))
    words_of = {
        page.relative_to(root).as_posix(): set(re.findall(r"\w+", page.read_text(encoding="utf-8")))
        for page in pages_that_users_read(root)
    }
    faults = []
    for name, (kind, place) in public.items():
        if name not in listed:
            faults.append(
                f"{place}: {name} ({kind}) is public and not listed; move it to detail, or list it in public_names.txt with its page"
            )
    declared_names = public | {name: place for name, place in inner.items() if name.startswith("machine::")}
    for name, page in listed.items():
        if name not in declared_names:
            faults.append(f"public_names.txt: {name} is listed and not declared; take it out")
        if f"docs/{page}" not in words_of:
            faults.append(f"public_names.txt: {name} has no page docs/{page}; correct the page")
        elif "operator" not in name and name.rpartition("::")[2] not in words_of[f"docs/{page}"]:
            faults.append(
                f"public_names.txt: {name} is public and docs/{page} does not say it; describe it there, or move it to detail"
            )
    for file, count in uses_of_inner(root):
        faults.append(f"{file}: {count} lines name what is the library's own; use what is listed in public_names.txt")
    for fault in faults:
        print(fault)
    print(f"{len(public)} public names, {len(listed)} listed, {len(faults)} faults")
    return 1 if faults or len(listed) < 100 else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--documented", action="store_true")
    parser.add_argument("--templates", action="store_true")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    if options.documented:
        return check_documented(root)
    if options.templates:
        return check_templates(root)
    if options.print:
        for name, (kind, place) in sorted(public_names(root / "include")[0].items()):
            print(f"{name:44} {kind:9} {place}")
        return 0
    return check_listed(root)


if __name__ == "__main__":
    sys.exit(main())
