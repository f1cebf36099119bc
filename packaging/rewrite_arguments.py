"""Rewrites arguments that were told apart by their place, for rename_uses.py: shapes, groups and budgets of templates, and
the ranges of loops over tiles. What is written in today's way stays; where a name alone may be either, it stays too, and
the compiler says what is expected there.
"""

import re

NUMBER = re.compile(r"\d+")
TEMPLATE = re.compile(
    r"(?<![\w:])((?:::)?dma::)(Tile3D|Halo2D|Halo3D|Paged|Indirect|Csr|HandOff|MultiBuffer|Registers)<"
)
CALL = re.compile(r"(?<=[.>])(for_each_tile|update_tiles|my_tiles)\(")
INDEX_TYPES = ("int", "long", "long long", "short", "unsigned", "std::int64_t", "std::int32_t", "std::size_t")
OPENING, CLOSING = "([{<", ")]}>"


def arguments_at(text, first):
    """The arguments behind the bracket at `first`, and the place behind the one that closes it; None where none does.

    A `<` opens a list where it stands directly behind a name, as clang-format has it."""
    opened, arguments, begin = [], [], first + 1
    for i in range(first, len(text)):
        sign = text[i]
        if sign in OPENING and (sign != "<" or i == first or (text[i - 1].isalnum() and text[i + 1] not in " =<")):
            opened.append(sign)
        elif sign in CLOSING and (sign != ">" or (opened[-1] == "<" and text[i - 1] != "-")):
            opened.pop()
            if not opened:
                last = text[begin:i].strip()
                return [*arguments, last] if last or arguments else [], i + 1
        elif sign == "," and len(opened) == 1:
            arguments.append(text[begin:i].strip())
            begin = i + 1
    return None


def members(kind, names, values, defaults=()):
    """An aggregate with the members that are not what they are anyway."""
    given = [(name, value) for name, value in zip(names, values) if (name, value) not in defaults]
    return f"{kind}{{{', '.join(f'.{name} = {value}' for name, value in given)}}}"


def shape(dma, name, args):
    """The new list of a pattern's arguments; None where it has today's form."""
    if len(args) < 4:
        return None
    if name == "Tile3D":
        return [args[0], members(f"{dma}TileShape", ("cols", "rows", "planes"), args[1:4], [("planes", "1")]), *args[4:]]
    if name == "Halo2D":
        return [args[0], members(f"{dma}HaloShape", ("cols", "rows", "radius", "corners"), args[1:])]
    if name == "Halo3D" and len(args) > 4:
        return [args[0], members(f"{dma}HaloShape", ("cols", "rows", "planes", "radius", "corners"), args[1:])]
    if name == "Paged":
        kind = members(f"{dma}PagedShape", ("cols", "rows", "box_rows", "planes"), args[1:5], [("planes", "1")])
        return [args[0], kind, *layout_of(dma, args[5:])]
    if name in ("Indirect", "Csr") and (len(args) > 4 or args[3] in INDEX_TYPES):
        return [*args[:3], *layout_of(dma, args[3:])]
    return None


def layout_of(dma, args):
    """An index type, and maybe a layout of rows, as one argument."""
    if not args or args[0] == "int":
        return args[1:]
    return [f"{dma}IndexedRows<{args[0]}>{{{', '.join(args[1:])}}}"]


def groups(dma, args):
    """How many groups fill the slots, and maybe the first of them, as one argument."""
    given = args[2:]
    if len(given) == 2 or (len(given) == 1 and NUMBER.fullmatch(given[0])):
        defaults = [("first", "0"), ("count", "1")]
        kind = members(f"{dma}DmaGroups", ("first", "count"), (given[1:] or ["0"]) + given[:1], defaults)
        return args[:2] + ([] if kind.endswith("{}") else [kind])
    return None


def rewritten_template(match, args):
    dma, name = match[1], match[2]
    if name == "Registers":
        return f"{dma}Registers{{{', '.join(args)}}}"
    if name == "HandOff":
        is_old = len(args) > 3 and "Buffer" not in args[2] and "FromTo" not in args[1]
        new = [args[0], members(f"{dma}FromTo", ("from", "to"), args[1:3]), *args[3:]] if is_old else None
    elif name == "MultiBuffer":
        new = groups(dma, args)
    else:
        new = shape(dma, name, args)
    return new and f"{dma}{name}<{', '.join(new)}>"


def rewritten_call(match, args):
    name = match[1]
    count = len(args) - (0 if name == "my_tiles" else 3 if len(args) == 6 else 2)
    if not 2 <= count <= 3 or (name != "my_tiles" and count != 3):
        return None
    if args[:3:2] == ["cta.block().x", "cta.blocks().x"]:
        tiles = f"cta.tiles({args[1]})"
    else:
        tiles = f"dma::TileRange{{{', '.join(args[:count])}}}"
    return f"{'for_each_tile' if name == 'update_tiles' else name}({', '.join([tiles, *args[count:]])})"


def rewritten(text):
    """From the last place to the first, so that arguments inside of others come before these."""
    for match in sorted([*TEMPLATE.finditer(text), *CALL.finditer(text)], key=lambda match: -match.start()):
        found = arguments_at(text, match.end() - 1)
        if found:
            write = rewritten_template if match.re is TEMPLATE else rewritten_call
            new = write(match, found[0])
            text = text[: match.start()] + new + text[found[1] :] if new else text
    return text
