"""What the kernels of ../gemm and ../attention take as one argument, as C lays it out."""

import ctypes
import functools


class GemmProblem(ctypes.Structure):
    """gemm::Problem"""

    _fields_ = [
        ("m", ctypes.c_int),
        ("n", ctypes.c_int),
        ("k", ctypes.c_int),
        ("a", ctypes.c_void_p),
        ("lda", ctypes.c_longlong),
        ("b", ctypes.c_void_p),
        ("ldb", ctypes.c_longlong),
        ("c", ctypes.c_void_p),
        ("ldc", ctypes.c_longlong),
        ("bias", ctypes.c_void_p),
        ("adds_c", ctypes.c_bool),
    ]


class GemmPlan(ctypes.Structure):
    """gemm::Plan"""

    _fields_ = [("rows", ctypes.c_int), ("columns", ctypes.c_int), ("is_transposed", ctypes.c_bool)] + [
        (name, ctypes.c_int)
        for name in ("cluster_down", "cluster_across", "down", "across", "blocks", "band", "ctas", "whole", "share", "more")
    ]


class Heads(ctypes.Structure):
    """attention::Heads"""

    _fields_ = [("first", ctypes.c_void_p)] + [(name, ctypes.c_longlong) for name in ("batch", "head", "row")]


class AttentionProblem(ctypes.Structure):
    """attention::Problem"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "heads", "kv_heads", "queries", "keys", "head_size")]
    _fields_ += [("q", Heads), ("k", Heads), ("v", Heads), ("o", Heads)]
    _fields_ += [("log_sums", ctypes.c_void_p), ("scale", ctypes.c_float), ("causal", ctypes.c_bool)]


class AttentionPlan(ctypes.Structure):
    """attention::Plan"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "heads", "queries", "keys")]
    _fields_ += [("causal", ctypes.c_bool)] + [(name, ctypes.c_int) for name in ("rows", "block", "band", "ctas")]


@functools.cache
def attention_band(heads: int, queries: int, keys: int, rows: int, block: int, ctas: int) -> int:
    """The band of attention::make_plan for a causal problem: the narrowest with which no CTA has more than 1.035 of the
    mean number of blocks, or the one with which it is least. Each tile is visited for each band, once for a problem."""
    blocks = [-(-min(keys, max(1, row + rows + keys - queries)) // block) for row in reversed(range(0, queries, rows))]

    def most_blocks(band: int) -> int:
        loads = [0] * ctas
        tiles = (count for first in range(0, heads, band) for count in blocks for _ in range(min(band, heads - first)))
        for tile, count in enumerate(tiles):
            turn, at = divmod(tile, ctas)
            loads[ctas - 1 - at if turn % 2 else at] += count
        return max(loads)

    band = best = 1
    least = most_blocks(band)
    while 1000 * least * ctas > 1035 * heads * sum(blocks) and band < heads:
        band = min(2 * band, heads)
        most = most_blocks(band)
        if most < least:
            best, least = band, most
    return best
