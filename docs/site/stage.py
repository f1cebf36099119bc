"""The pages of the repository as a site generator reads them: plain Markdown, and the navigation.

README.md is the home page, docs/ has the rooms. Links to files outside docs/ lead to pages of the site that show the file.
The first mention of a public name in a section links to its page of the reference. A snippet has a link to the example
that it is from.

A comment of its own line, `<!-- site: PROGRAM -->` or `<!-- site: PROGRAM NAME -->`, is a place for a program of the site,
which elsewhere nobody sees: see `place`.
"""

import os
import pathlib
import re

LINK = re.compile(r"(?<!\!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(([^)\s]+)\)")
FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"(?<![\[`])`(?:dma::)?((?:\w+::)?\w+)(?:<[^`]*>)?`(?![`\]])")
PLACE = re.compile(r"^<!-- site: (\w+)(?: ([\w/.-]+))? -->$", re.MULTILINE)
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".cu": "cuda", ".cuh": "cuda", ".py": "python", ".sh": "sh", ".cmake": "cmake",
             ".md": "markdown", ".toml": "toml", "": "sh"}  # fmt: skip
ASSETS = (".svg", ".png", ".trace")
DATA = (".json", ".csv", ".txt")  # of bench/results and the like: the files themselves
OUTSIDE = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", "applications/README.md")
# The home page has no navigation beside it, and the error index every word that is searched for.
HEADS = {"index.md": ("hide:", "  - navigation"), "guide/errors.md": ("search:", "  boost: 0.3")}
TITLE_WIDTH = 30  # of an entry of the navigation; a longer title ends at its colon


def indented(text):
    """(line, lines that are indented below it) of each line that is not."""
    groups = []
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            if line[0] == " ":
                groups[-1][1].append(line.strip())
            else:
                groups.append((line.strip(), []))
    return groups


class Stage:
    """`stage` is the folder to be written; `names` is {"Strided": page of docs}, `groups` [(title, names)]."""

    def __init__(self, root, stage, names, groups, examples):
        self.root, self.stage, self.groups, self.guides = root, stage, groups, names
        self.pages = {page: page.replace("README.md", "index.md") for page in OUTSIDE if (root / page).exists()}
        for path in sorted((root / "docs").rglob("*.md")):
            at = path.relative_to(root).as_posix()
            self.pages[at] = at.removeprefix("docs/").replace("README.md", "index.md")
        # Both folders of that name have a first page.
        self.pages["applications/README.md"] = "source/applications/index.md"
        self.pages["examples/README.md"] = "source/examples/index.md"
        self.shown, self.folders, self.data, self.unknown = set(), set(), set(), []
        self.programs = {}  # name -> how its script is loaded: "defer", also from a disk, or type="module"
        self.names = {}  # what has a page of the reference
        self.files_with = {}  # line of an example -> the files that have it
        self.lengths = {path: text.count("\n") for path, text in examples.items()}
        for path, text in examples.items():
            for line in text.splitlines():
                self.files_with.setdefault(line.strip(), set()).add(path)

    # Links.

    def target(self, page, url):
        """Where a link of a page leads, from the stage's root; None if it is no file of the repository."""
        path = os.path.normpath(os.path.join(os.path.dirname(page), url))
        at = self.root / path
        if path in self.pages or path + "/README.md" in self.pages:
            return self.pages.get(path) or self.pages[path + "/README.md"]
        if at.is_dir():
            self.folders.add(path)
            return f"source/{path}/index.md"
        if at.is_file() and path.startswith("docs/") and at.suffix in ASSETS:
            return path.removeprefix("docs/")
        if at.is_file() and at.suffix in DATA:
            self.data.add(path)
            return f"source/{path}"
        if at.is_file():
            self.shown.add(path)
            return f"source/{path}.md"
        self.unknown.append(f"{page}: {url}")
        return None

    def origin(self, fence):
        """The shortest example that has all lines of a snippet; None without one."""
        lines = {line.strip() for line in fence.split("\n")[1:-1]} - {""}
        if not fence.startswith(("```cpp", "```cuda", "```python")) or len(lines) < 2:
            return None
        files = set.intersection(*(self.files_with.get(line, set()) for line in lines))
        return min(files, key=lambda path: (path.startswith("applications"), self.lengths[path], path), default=None)

    def place(self, here):
        """Places of a page for programs of the site: `<!-- site: PROGRAM NAME -->` becomes an element of class
        `site-PROGRAM` with the data `name`, and the page runs PROGRAM/PROGRAM.js once, when it has been read. A program
        that was not given to the build leaves nothing."""
        loaded = set()

        def written(match):
            program, name = match.groups()
            if program not in self.programs:
                return ""
            script = f'<script {self.programs[program]} src="{os.path.relpath(f"{program}/{program}.js", here)}"></script>'
            text = f'<div class="site-{program}" data-name="{name or ""}"></div>' + ("" if program in loaded else "\n\n" + script)
            loaded.add(program)
            return text

        return written

    def text(self, page, at, text):
        """A page's text for its place on the site."""
        here = os.path.dirname(at) or "."

        def link(match):
            label, url, mark = match[1], match[2], match[3] or ""
            target = None if not url or "://" in url or url.startswith("mailto:") else self.target(page, url)
            return match[0] if target is None else f"[{label}]({os.path.relpath(target, here)}{mark})"

        def picture(match):
            target = None if "://" in match[2] else self.target(page, match[2])
            return match[0] if target is None else f"![{match[1]}]({os.path.relpath(target, here)})"

        seen = set()

        def mention(match):
            name = match[1] if match[1] in self.names else ""
            if not name or name in seen or (name.islower() and "dma::" not in match[0]):
                return match[0]
            seen.add(name)
            return f"[{match[0]}]({os.path.relpath(self.names[name], here)})"

        parts = FENCE.split(text)
        for i, part in enumerate(parts):
            if i % 2:
                if example := self.origin(part):
                    self.shown.add(example)
                    page_of = os.path.relpath(f"source/{example}.md", here)
                    parts[i] += f'\n\n[{example}]({page_of}){{ .origin title="the whole file" }}\n'
                continue
            lines = PICTURE.sub(picture, LINK.sub(link, PLACE.sub(self.place(here), part))).split("\n")
            for j, line in enumerate(lines):
                if line.startswith("#"):
                    seen.clear()
                else:  # not inside the text of a link
                    pieces = re.split(r"(\[(?:[^\[\]])*\]\([^)]*\))", line)
                    lines[j] = "".join(piece if k % 2 else NAME.sub(mention, piece) for k, piece in enumerate(pieces))
            parts[i] = "\n".join(lines)
        return "".join(parts)

    # What is written.

    def write(self, at, text):
        path = self.stage / at
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def show(self, path):
        """A page that shows a file. It is not searched."""
        content = (self.root / path).read_text(encoding="utf-8", errors="replace")[:200_000].rstrip("\n")
        fence = "`" * (4 if "```" in content else 3)
        language = LANGUAGES.get(pathlib.Path(path).suffix, "text")
        head = f"---\ntitle: {path.rpartition('/')[2]}\nsearch:\n  exclude: true\nhide:\n  - toc\n---\n\n"
        self.write(f"source/{path}.md", f'{head}# {path}\n\n{fence}{{ .{language} linenums="1" }}\n{content}\n{fence}\n')

    def show_folder(self, folder):
        """A page with a folder's README and the names of its files, which are shown."""
        readme, at = f"{folder}/README.md", f"source/{folder}/index.md"
        files = sorted(p.relative_to(self.root).as_posix() for p in (self.root / folder).rglob("*") if p.is_file() and p.suffix in LANGUAGES)
        files = [path for path in files if path != readme and "__pycache__" not in path]
        self.shown.update(files)
        rows = "\n".join(f"- [{path.removeprefix(folder + '/')}]({path.removeprefix(folder + '/')}.md)" for path in files)
        has_text = (self.root / readme).exists()
        text = self.text(readme, at, (self.root / readme).read_text(encoding="utf-8")) if has_text else f"# {folder}\n"
        head = "" if has_text else "---\nsearch:\n  exclude: true\n---\n\n"
        self.write(at, f"{head}{text}\n" + ("## Files\n\n" if has_text else "") + rows + "\n")

    def write_reference(self, reference):
        """Pages of the names, of macros and of dma::machine; returns the names that have none."""
        for full in reference.pages:
            if text := reference.page(full):
                self.names[full.removeprefix("dma::")] = f"ref/{reference.pages[full][0]}"
                self.write(f"ref/{reference.pages[full][0]}", text)
        rest = [name for name in self.guides if name not in self.names]
        for file, (text, described) in (
            ("macros", reference.macros([name for name in rest if name.startswith("DMA_")])),
            ("instructions", reference.instructions({name.removeprefix("machine::") for name in rest if name.startswith("machine::")})),
        ):
            self.write(f"ref/{file}.md", text)
            for name in described:
                self.names[name if file == "macros" else f"machine::{name}"] = f"ref/{file}.md"
        return [name for name in self.guides if name not in self.names]

    def write_reference_index(self):
        """The reference's first page, and its part of the navigation: the groups, and the names in each."""
        nav, out = [], ["# Reference"]
        for group, names in self.groups:
            rows, entries = [], {}
            for name in (name for name in names if name in self.names):
                page = self.names[name]
                mark, brief = "", ""
                if page in ("ref/macros.md", "ref/instructions.md"):
                    entries.setdefault("all" if page == "ref/macros.md" else "functions", page)
                    mark = "#" + name.removeprefix("machine::").lower()
                else:
                    entries[name] = page
                    text = re.sub(r"```.*?```", "", (self.stage / page).read_text(encoding="utf-8"), flags=re.DOTALL)
                    brief = next((line for line in text.split("\n")[3:] if line and (line[0].isalpha() or line[0] in "`[")), "")
                guide = self.guides[name]
                rows.append(f"| [`{name}`]({page[4:]}{mark}) | {brief} | [{self.title(guide)}](../{guide}) |")
            if rows:
                out.append(f"## {group}\n\n| name | what it is | guide |\n| --- | --- | --- |\n" + "\n".join(rows))
                nav.append((group, list(entries.items())))
        self.write("ref/index.md", "\n\n".join(out) + "\n")
        return nav

    # The navigation: nested lists of (title, page or list).

    def title(self, at):
        text = (self.stage / at).read_text(encoding="utf-8")
        title = re.sub(r"[`*]|\]\([^)]*\)|\[|\\", "", re.search(r"^# (.*)$", text, re.MULTILINE)[1])
        return title if len(title) <= TITLE_WIDTH else title.partition(":")[0]

    def sections(self, at):
        """(heading, pages that it links to) of each part of a page, in their order."""
        for part in re.split(r"^## ", "\n" + (self.stage / at).read_text(encoding="utf-8"), flags=re.MULTILINE):
            links = re.findall(r"\]\(([\w/.-]+\.md)", part)
            heading = "" if part.startswith("\n") else part.partition("\n")[0]
            yield heading, [os.path.normpath(os.path.join(os.path.dirname(at), link)) for link in links]

    def entry(self, at):
        """(title, page), or of a folder's first page (title, its room)."""
        return self.title(at), self.room(os.path.dirname(at)) if at.endswith("/index.md") else at

    def room(self, folder):
        """The entries of a folder of docs: its first page, and what that links to, under its headings; then all others."""
        pages = [at for page, at in self.pages.items() if page.startswith("docs/") and at.startswith(folder + "/")]
        index, entries, used = f"{folder}/index.md", [], set()
        if index in pages:
            entries.append(index)
            used.add(index)
            for heading, links in self.sections(index):
                group = []
                for at in (at for at in links if at in pages and at not in used):
                    group.append(self.entry(at))
                    used.update(each for each in pages if each == at or (at.endswith("/index.md") and each.startswith(os.path.dirname(at) + "/")))
                entries += [(heading, group)] if heading and len(group) > 1 else group
        rest = sorted(self.entry(at) for at in pages if at not in used and "/" not in at.removeprefix(folder + "/"))
        below = sorted({at.removeprefix(folder + "/").partition("/")[0] for at in pages if at not in used and "/" in at.removeprefix(folder + "/")})
        for name in below:
            inner = f"{folder}/{name}"
            title = self.title(f"{inner}/index.md") if f"{inner}/index.md" in pages else name.replace("_", " ").capitalize()
            rest.append((title, self.room(inner)))
        return entries + rest

    def navigation(self, order, reference):
        rooms = {at.partition("/")[0] for page, at in self.pages.items() if page.startswith("docs/") and "/" in at}
        nav = [("Home", "index.md")]
        for room, elsewhere in [*order, *((room, []) for room in sorted(rooms - {room for room, _ in order}))]:
            self.unknown += [f"order.txt: {page}" for page in elsewhere if page not in self.pages]
            others = [(self.title(self.pages[page]), self.pages[page]) for page in elsewhere if page in self.pages]
            nav.append((room.capitalize(), ["ref/index.md", *reference] if room == "reference" else self.room(room) + others))
        return [entry for entry in nav if entry[1]]

    def write_pages(self):
        for page, at in self.pages.items():
            if not at.startswith("source/"):
                text = (self.root / page).read_text(encoding="utf-8")
                if at == "guide/errors.md":  # where components are headings, the search finds these before all other pages
                    text = re.sub(r"^### (.*)$", r"**\1**", text, flags=re.MULTILINE)
                head = "".join(f"{line}\n" for line in ("---", *HEADS[at], "---", "")) if at in HEADS else ""
                self.write(at, head + self.text(page, at, text))
        for path in (self.root / "docs").rglob("*"):
            if path.suffix in ASSETS:
                target = self.stage / path.relative_to(self.root / "docs")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
        self.folders.update(folder for folder in ("examples", "applications") if f"{folder}/README.md" in self.pages)

    def write_files(self):
        """Pages of all files and folders that a page links to."""
        for page in self.stage.rglob("*.md"):
            self.shown.update(re.findall(r"\]\((?:\.\./)*source/([^)]*\.\w+)\.md\)", page.read_text(encoding="utf-8")))
        written = set()
        while self.folders - written:
            for folder in sorted(self.folders - written):
                self.show_folder(folder)
                written.add(folder)
        for path in sorted(self.shown):
            self.show(path)
        for path in sorted(self.data):
            self.write(f"source/{path}", (self.root / path).read_text(encoding="utf-8"))


def yaml(entries, depth=0):
    """The navigation as a site generator reads it."""
    lines = []
    for entry in entries:
        if isinstance(entry, str):
            lines.append(f"{'  ' * depth}- {entry}")
            continue
        title, below = "'" + entry[0].replace("'", "''") + "'", entry[1]
        if isinstance(below, str):
            lines.append(f"{'  ' * depth}- {title}: {below}")
        else:
            lines += [f"{'  ' * depth}- {title}:", *yaml(below, depth + 1)]
    return lines
