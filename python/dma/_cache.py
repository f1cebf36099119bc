"""What was compiled, kept on disk."""

import contextlib
import hashlib
import os
import pathlib
import re
import tempfile
from collections.abc import Iterable

from ._errors import Error

_BOUND = 1 << 30  #: bytes, unless DMA_CACHE_BYTES has another number
_PART = "dma-part-"  #: files that are being written
_NAME = re.compile(rf"[0-9a-f]{{64}}(\.so|\.o)?|{_PART}.*")


def clear_cache() -> int:
    """Removes what was compiled from the cache, the folder `DMA_CACHE_DIR`, else `~/.cache/dma`; files of others in it
    stay. Kernels that this process has compiled still run.

    Returns:
        The bytes that were freed.
    """
    return _remove(_entries())


def entry(key: object, suffix: str = "") -> pathlib.Path:
    """Where that which has this key is kept. A key is equal where its repr is."""
    return _folder() / (hashlib.sha256(repr(key).encode()).hexdigest() + suffix)


def is_kept(path: pathlib.Path) -> bool:
    """Whether it is there. What was asked for last is removed last."""
    if not path.exists():
        return False
    with contextlib.suppress(OSError):  # of a cache that is only read
        os.utime(path)
    return True


def keep(path: pathlib.Path, content: bytes) -> None:
    """In one step, as another process may write the same. What was not used for longest makes room for it. A cache that
    cannot be written is left alone."""
    bound = os.environ.get("DMA_CACHE_BYTES") or str(_BOUND)
    if not bound.isdecimal():
        raise Error(f"dma: DMA_CACHE_BYTES is {bound!r}; give a number of bytes")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_PART, delete=False) as file:
            file.write(content)
        os.replace(file.name, path)
        room = int(bound) - len(content)
        too_many = []
        for other, status in sorted(_entries(), key=lambda each: each[1].st_mtime_ns, reverse=True):
            if other != path:
                room -= status.st_size
                if room < 0:
                    too_many.append((other, status))
        _remove(too_many)


def _folder() -> pathlib.Path:
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("DMA_CACHE_DIR") or pathlib.Path(home, "dma"))


_Entry = tuple[pathlib.Path, os.stat_result]


def _entries() -> list[_Entry]:
    found = []
    with contextlib.suppress(OSError):  # no folder yet
        for path in _folder().iterdir():
            if _NAME.fullmatch(path.name):
                with contextlib.suppress(OSError):  # another process has just removed it
                    found.append((path, path.stat()))
    return found


def _remove(entries: Iterable[_Entry]) -> int:
    freed = 0
    for path, status in entries:
        with contextlib.suppress(OSError):
            path.unlink()
            freed += status.st_size
    return freed
