"""What the package raises: one sentence with the component, the rule, the values and a fix."""

import re
from typing import Any


class Error(Exception):
    """Every error of this package."""


class CompileError(Error):
    """A source that does not compile. The message is the library's sentence where it refuses the source, otherwise the
    compiler's first error.

    Attributes:
        log: All that the compiler said.
    """

    def __init__(self, log: str, sentence: str = "") -> None:
        super().__init__(sentence or _sentence_of(log))
        self.log = log


def expect_arguments_named(source: str, name: str, log: str) -> None:
    """Of a source that does not compile: a compiler's error would be about a template that is no type.

    Raises:
        CompileError: The name is that of a template, without its arguments.
    """
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", source, flags=re.DOTALL)
    plain = re.escape(name.rpartition("::")[2].strip())
    template = re.search(rf"\btemplate\s*<([^;{{}}]*)>[^;{{}}<>]*(?:\b(?:struct|class)\s+{plain}\b|\b{plain}\s*\()", text)
    if template and "<" not in name:
        parameters = re.sub(r"\s+", " ", template[1].rpartition("template")[2].lstrip(" <"))
        raise CompileError(
            log,
            f"dma.kernel: {name} is a template of <{parameters}> and is named without arguments; name it with them, as "
            f'"{name}<...>"',
        )


class ArgumentError(Error, TypeError):
    """An argument that the kernel's parameter does not take."""


class LaunchError(Error, RuntimeError):
    """A launch that was refused or that failed."""


class NotComputedError(Error):
    """A kernel is proved, and arrays were asked for that have values which were not computed. No array is changed.

    Attributes:
        verdict: That of the proof.
    """

    def __init__(self, message: str, verdict: Any) -> None:
        super().__init__(message)
        self.verdict = verdict


def _sentence_of(log: str) -> str:
    # NVRTC's, g++'s and clang's, and those of clang before 16.
    refusals = (
        r'(?:static assertion failed with|#error directive:|static_assert failed due to .*?) "(.*)"'
        r'|(?:assertion failed|#error)[^:]*: "?(.*?)"?$'
    )
    for sentence in ("".join(match) for match in re.findall(refusals, log, re.MULTILINE)):
        if sentence.startswith("dma"):
            return str(sentence)
    error = re.search(r"^.*\berror\b.*$", log, re.MULTILINE)
    return error[0].strip() if error else log.strip()
