"""Pages of the reference: one of each public name, from doxygen's XML.

A page has the declaration, the labels of the doc comment as a definition list, the functions and then the types and values
in the header's order, and links to the header, the page of the guide and examples. The functions of dma::machine, which
doxygen does not see behind their using-declarations, and the macros have one page each, from the headers' text.
"""

import pathlib
import re
import xml.etree.ElementTree as ElementTree

LABELS = {"pre": "Precondition", "post": "Postcondition", "return": "Returns", "see": "See also"}
LISTS = {"param": "", "templateparam": "", "exception": "throws "}
BLOCKS = ("simplesect", "parameterlist", "itemizedlist", "orderedlist", "programlisting", "verbatim")
WIDTH = 92  # of a declaration, before it is broken at its commas
EXAMPLES = ("examples", "applications")
SOURCES = (".hpp", ".cpp", ".cu", ".cuh")
INNER = re.compile(r"\b(?:detail|Base|Ring|Side|Types)::")  # what a reader cannot look up


def squeeze(text):
    return re.sub(r"\s*>", ">", re.sub(r"<\s+", "<", re.sub(r"\s+", " ", text or ""))).strip().replace("operator>", "operator >")


def plain(node):
    return squeeze("".join(node.itertext())) if node is not None else ""


def type_of(node):
    text = re.sub(r"\[\[\w+\]\] ?|\bDMA_[A-Z_]+ ?|\b(constexpr|consteval|static|inline) ?", "", plain(node))
    return re.sub(r"(?<=[\w>]) ([&*]+)", r"\1", text)


def escape(text):
    return re.sub(r"([*_<>\[\]`|])", r"\\\1", re.sub(r"\s+", " ", text or ""))


def is_described(node):
    return plain(node.find("briefdescription")) or plain(node.find("detaileddescription"))


def is_empty(node):
    """Whether a class has nothing to use: at most constructors, which stand in for those of a class beside it."""
    own = node.findtext("compoundname", "").partition("<")[0].rpartition("::")[2].strip()
    used = (m for m in node.iter("memberdef") if m.get("prot") != "private" and m.findtext("name") != own)
    return node.get("kind") in ("class", "struct") and next(used, None) is None


def broken(line):
    """A declaration that is too long, with a line for each parameter of its first list."""
    if len(line) <= WIDTH or line.startswith("//"):
        return line
    opener = re.search(r"(?<=template )<|(?<!operator)\(", line)
    if not opener:
        return line
    parts, depth, begin = [], 0, opener.end()
    for at in range(begin, len(line)):
        if line[at] in "(<{[":
            depth += 1
        elif line[at] in ")>}]" and line[at - 1] != "-":
            depth -= 1
        if depth < 0 or (depth == 0 and line[at] == ","):
            parts.append(line[begin:at].strip())
            begin = at + 1
        if depth < 0:
            return line[: opener.end()] + "\n    " + ",\n    ".join(parts) + line[at:]
    return line


def parameter(node):
    name, kind, default = plain(node.find("declname")), type_of(node.find("type")), plain(node.find("defval"))
    name += (node.findtext("array") or "").replace("(&) ", "")
    text = (kind if not name or kind.endswith(" " + name) else f"{kind} {name}") + (f" = {default}" if default else "")
    return re.sub(r"\(&\) ?(\w+)", r" (&\1)", text)


def examples_of(root):
    """path -> text of what examples and applications are made of."""
    paths = (path for folder in EXAMPLES for path in sorted((root / folder).rglob("*")) if path.suffix in SOURCES)
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}


class Reference:
    """`names` is {"Strided": page of docs}; `xml` the folder that doxygen wrote."""

    def __init__(self, root, xml, names, examples):
        self.root, self.examples = root, examples
        self.pages = {"dma::" + name: (name.replace("::", "-") + ".md", guide) for name, guide in names.items()
                      if not name.startswith("DMA_") and "operator" not in name}  # fmt: skip
        self.nodes, self.by_id, self.now = {}, {}, ""
        for file in sorted(xml.glob("*dma*.xml")):
            for node in ElementTree.parse(file).getroot().iter("compounddef"):
                name = plain(node.find("compoundname"))
                members = node.iter("memberdef") if node.get("kind") == "namespace" else (node,)
                for member in members:
                    full = name.partition("<")[0].strip() if member is node else f"{name}::{plain(member.find('name'))}"
                    self.nodes.setdefault(full, []).append(member)
                    self.by_id[member.get("id")] = full

    # Text of doc comments.

    def link(self, refid, text):
        owner = self.by_id.get(refid) or self.by_id.get(refid.rpartition("_1")[0], "")
        return f"[{text}]({self.pages[owner][0]})" if owner in self.pages and owner != self.now else text

    def inline(self, node):
        out = escape(node.text)
        for child in node:
            if child.tag == "computeroutput":
                code, refs = f"`{squeeze(''.join(child.itertext()))}`", list(child.iter("ref"))
                out += self.link(refs[0].get("refid"), code) if len(refs) == 1 and plain(refs[0]) == code[1:-1] else code
            elif child.tag == "ref":
                text = plain(child)  # doxygen links words too that happen to be names: "Compute warps"
                out += self.link(child.get("refid"), f"`{text}`") if "::" in text or "(" in text else escape(text)
            elif child.tag == "ulink":
                out += f"[{self.inline(child)}]({child.get('url')})"
            elif child.tag in ("emphasis", "bold"):
                mark = "**" if child.tag == "bold" else "*"
                out += mark + self.inline(child).strip() + mark
            elif child.tag not in BLOCKS:
                out += {"mdash": "—", "ndash": "–"}.get(child.tag, " ") if len(child) == 0 and not child.text else self.inline(child)
            out += escape(child.tail)
        return re.sub(r" +", " ", out)

    def words(self, node):
        return " ".join(self.inline(para).strip() for para in node.iter("para"))

    def block(self, node):
        if node.tag in ("itemizedlist", "orderedlist"):
            return "\n".join(("- " if node.tag[0] == "i" else "1. ") + self.words(item) for item in node)
        if node.tag in ("programlisting", "verbatim"):
            for space in node.iter("sp"):
                space.text = " "
            lines = ["".join(line.itertext()) for line in node.iter("codeline")] or [node.text or ""]
            return "```cpp\n" + "\n".join(lines).strip("\n") + "\n```"
        return None

    def pieces(self, para):
        """A paragraph's text and blocks, in their order."""
        text = ElementTree.Element("para")
        text.text = para.text
        for child in para:
            if block := self.block(child):
                yield self.inline(text).strip()
                yield block
                text = ElementTree.Element("para")
                text.text = child.tail
            else:
                text.append(child)
        yield self.inline(text).strip()

    def describe(self, node, labels_first):
        texts, labels = [], []
        for description in filter(None, (node.find("briefdescription"), node.find("detaileddescription"))):
            for para in description:
                for child in para.iter("simplesect"):
                    title = plain(child.find("title")) or LABELS.get(child.get("kind"), child.get("kind").capitalize())
                    labels.append((title, self.words(child)))
                for items in para.iter("parameterlist"):
                    for item in items.findall("parameteritem"):
                        label = LISTS[items.get("kind")] + f"`{'`, `'.join(plain(n) for n in item.iter('parametername'))}`"
                        labels.append((label, self.words(item.find("parameterdescription"))))
                texts += filter(None, self.pieces(para))
        titles = dict.fromkeys(title for title, _ in labels)
        definitions = ["\n".join([title] + [f":   {words}" for other, words in labels if other == title]) for title in titles]
        return "\n\n".join(texts[: 1 if labels_first else None] + definitions + texts[1 if labels_first else len(texts) :])

    # Declarations.

    def declaration(self, node):
        return "\n".join(broken(re.sub(r"(?:dma::)?detail:{2}", "", line)) for line in self.lines_of(node))

    def lines_of(self, node):
        kind, name, requires = node.get("kind"), plain(node.find("name")), plain(node.find("requiresclause"))
        if kind == "concept":
            return re.sub(r"(concept )(?:\w+::)+(\w+ =) +", r"\1\2 ", "".join(node.find("initializer").itertext()).strip() + ";").split("\n")
        lines = []
        if (params := node.findall("templateparamlist/param")) or node.find("templateparamlist") is not None:
            lines.append(f"template <{', '.join(map(parameter, params))}>")
        if requires and kind != "function":
            lines.append("  requires " + requires)
        if node.tag == "compounddef":
            # What stands in for a broken policy is nobody's to know.
            public = [plain(base) for base in node.findall("basecompoundref") if base.get("prot") == "public"]
            bases = ", ".join(base for base in public if "<StandIn" not in base)
            name = re.sub(r"^dma::(?:\w+::)?", "", plain(node.find("compoundname")))
            lines.append(f"{kind} {name}" + (f" : {bases}" if bases else "") + ";")
        elif kind == "typedef":
            text = type_of(node.find("type"))
            lines.append(f"using {name} = {'...' if INNER.search(text) else text};")
        elif kind == "enum":
            lines.append(f"enum class {name} {{ {', '.join(plain(v.find('name')) for v in node.iter('enumvalue'))} }};")
        elif kind == "variable":
            value = plain(node.find("initializer"))
            value = "" if len(value) > WIDTH or INNER.search(value) else value if value.startswith("{") else f" {value}" if value else ""
            lines.append(self.head(node) + (node.findtext("argsstring") or "") + value + ";")
        else:
            lines.append(self.function(node, requires) + ";")
        return lines

    def head(self, node):
        kind = plain(node.find("type")).split()
        words = [word for word in ("static", "constexpr", "consteval") if node.get(word) == "yes" or word in kind]
        return " ".join(filter(None, [*words, type_of(node.find("type")), plain(node.find("name"))]))

    def function(self, node, requires):
        arguments = node.findtext("argsstring")
        if not plain(node.find("type")) and "->" in arguments:  # a deduction guide, which doxygen misreads
            place = node.find("location")
            source = (self.root / place.get("file")).read_text(encoding="utf-8").split("\n")
            return " ".join(source[int(place.get("line")) - 1 :]).partition(";")[0].strip()
        tail = squeeze(arguments).rpartition(")")[2].replace("=", " = ")
        shown = [p for p in node.findall("param") if "SourceLocation" not in plain(p.find("type"))]
        text = f"{self.head(node)}({', '.join(map(parameter, shown))}){tail}"
        return (text + (f" requires {requires}" if requires else "")).rstrip()

    # Pages.

    def is_next(self, before, node):
        """Whether no empty line of the source is between two functions: a description then holds for both."""
        place, other = before.find("location"), node.find("location")
        lines = (self.root / other.get("file")).read_text(encoding="utf-8").split("\n")
        end = max(int(place.get("line")), int(place.get("bodyend") or -1))
        return place.get("file") == other.get("file") and all(line.strip() for line in lines[end : int(other.get("line"))])

    def functions(self, functions, level):
        """A heading of each name, or of the names that share a description; then all that have none. No headings without a
        level."""
        groups, titled, others = [], "", []
        for before, node in zip([None, *functions], functions):
            if is_described(node):
                groups.append([node])
            elif groups and before is groups[-1][-1] and self.is_next(before, node):
                groups[-1].append(node)
            else:
                others.append(node)
        for group in groups:
            title = ", ".join(dict.fromkeys(plain(node.find("name")) for node in group))
            if level and title != titled:
                yield f"{level} {escape(title)}"
            text, titled = self.describe(group[0], False), title
            yield "```cpp\n" + "\n".join(map(self.declaration, group)) + "\n```" + (f"\n\n{text}" if text else "")
        if others:
            if level and groups:
                yield f"{level} Others"
            if any(plain(node.find("name")) == "run_at" for node in others):
                yield "Members of a [`TransferPattern`](TransferPattern.md), for pipelines and engines."
            yield "```cpp\n" + "\n".join(map(self.declaration, others)) + "\n```"

    def values(self, values):
        for node in values:
            comment = squeeze(plain(node.find("briefdescription")) + " " + plain(node.find("detaileddescription")))
            yield "".join(f"// {line.rstrip()}\n" for line in re.findall(r".{1,84}(?:\s|$)", comment)) + self.declaration(node)

    def members(self, node, level):
        name = re.sub(r"<.*", "", plain(node.find("compoundname"))).rpartition("::")[2]
        members = [m for m in node.iter("memberdef") if m.get("prot") == "public" and m.get("kind") != "friend"]
        members.sort(key=lambda m: int(m.find("location").get("line")))
        functions = [m for m in members if m.get("kind") == "function"]
        makers = [m for m in functions if plain(m.find("name")) in (name, "~" + name, "operator=")]
        deleted = [m for m in makers if re.search(r"= ?delete", m.findtext("argsstring"))]
        data = [m for m in members if m.get("kind") != "function"]
        if functions := [m for m in functions if m not in makers]:
            yield f"{level} Functions"
            yield from self.functions(functions, level + "#")
        if makers:
            yield f"{level} Construction"
            yield from self.functions([m for m in makers if m not in deleted], "")
            if deleted:
                yield "It cannot be copied."
        if data:
            yield f"{level} Types and values"
            yield "```cpp\n" + "\n".join(self.values(data)) + "\n```"

    def nodes_of(self, full):
        nodes = self.nodes.get(full, [])
        if not nodes or (nodes[0].get("kind") == "enum" and nodes[0].find("enumvalue") is None):  # `using machine::Major;`
            tail = full[3:].rpartition("::")[1] + full.rpartition("::")[2]
            nodes = next((n for name, n in self.nodes.items() if name.endswith(tail) and n[0].find("enumvalue") is not None), nodes)
        return sorted(nodes, key=lambda n: 2 * bool(is_empty(n)) + (n.tag == "memberdef"))  # guides after the class, a fallback last

    def rank(self, path, short):
        """Of an example for a name: first one that is called so, no application, no test, a short one."""
        return f"/{short.lower()}." not in path, path.startswith("applications"), "test" in path, len(self.examples[path]), path

    def page(self, full):
        """The text of a name's page; None where no header declares it."""
        nodes = self.nodes_of(full)
        if not nodes:
            return None
        self.now, (_, guide) = full, self.pages[full]
        short, kind, place = full.removeprefix("dma::"), nodes[0].get("kind"), nodes[0].find("location").get("file")
        title = re.search(r"^# (.*)$", (self.root / "docs" / guide.replace("index.md", "README.md")).read_text(encoding="utf-8"), re.MULTILINE)[1]
        links = [f"`{full}`", kind, f"[`<{place.removeprefix('include/')}>`](../source/{place}.md)", f"guide: [{title}](../{guide})"]
        using = [path for path, text in self.examples.items() if re.search(rf"\bdma::{short}\b", text)]
        if using := sorted(using, key=lambda path: self.rank(path, short))[:3]:
            links.append("examples: " + ", ".join(f"[{path.rpartition('/')[2]}](../source/{path}.md)" for path in using))
        out = [f"# {short}", " · ".join(links)]
        for i, node in enumerate(nodes):
            if i and (is_described(node) or is_empty(node)):
                out.append("## Otherwise" if is_empty(node) else f"## {'Overload' if kind == 'function' else 'Specialization'}")
            # A fallback without members has the default arguments.
            shown = nodes[-1] if i == 0 and is_empty(nodes[-1]) and nodes[-1].find(".//memberdef") is None else node
            out += [f"```cpp\n{self.declaration(shown)}\n```"] if i == 0 or not is_empty(node) else []
            out.append(self.describe(node, True))
            if kind == "enum":
                out += [f"`{plain(v.find('name'))}`\n:   {self.describe(v, False) or '.'}" for v in node.iter("enumvalue")]
            elif node.tag == "compounddef" and (not i or not is_empty(node)):
                out += self.members(node, "##" if not i else "###")
        return "\n\n".join(part for part in out if part) + "\n"

    def instructions(self, names):
        """The page of dma::machine's functions: `/// int f(int): what it does` before `using model::f;`."""
        text = "".join(header.read_text(encoding="utf-8") for header in sorted((self.root / "include/dma/machine").glob("*.hpp")))
        out, described = ["# Instructions of dma::machine", "What engines and barriers of one's own call, on both machines."], set()
        for comment, uses in re.findall(r"((?:///[^\n]*\n)+)((?:using model::\w+;\n)+)", text):
            comment = re.sub(r"\s*\n?/// ?", " ", comment).strip()
            found = re.match(r"(.*?\))(?:[:.] |$)(.*)", comment)
            signature, words = found.groups() if found else (comment, "")
            if wanted := [name for name in re.findall(r"model::(\w+);", uses) if name in names]:
                described.update(wanted)
                words = words[:1].upper() + words[1:]
                out.append(f"### {', '.join(wanted)}\n\n```cpp\n{broken(signature)}\n```" + (f"\n\n{words}" if words else ""))
        return "\n\n".join(out) + "\n", described

    def macros(self, names):
        """The page of macros: the doc comment before the first `#define` of each."""
        out, described = ["# Macros"], set()
        for header in sorted((self.root / "include/dma").rglob("*.hpp")):
            text = header.read_text(encoding="utf-8")
            for name in (n for n in names if n not in described and re.search(rf"^#define {n}\b", text, re.MULTILINE)):
                described.add(name)
                before = text[: re.search(rf"^#define {name}\b", text, re.MULTILINE).start()]
                found = re.search(r"((?:^///[^\n]*\n)+)(?:#(?:if|define|else)[^\n]*\n){0,3}\Z", before, re.MULTILINE)
                words = re.sub(r"\s*\n?/// ?", " ", found[1]).strip() if found else ""
                place = header.relative_to(self.root).as_posix()
                value = re.search(rf"^#define {name} (\d+)$", text, re.MULTILINE)
                out.append(f"## {name}\n\n" + " · ".join(filter(None, [f"[`<{place.removeprefix('include/')}>`](../source/{place}.md)",
                           f"`{value[1]}`" if value else ""])) + (f"\n\n{words}" if words else ""))  # fmt: skip
        return "\n\n".join(out) + "\n", described
