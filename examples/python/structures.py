"""What the kernels of ../gemm and ../attention take as one argument, as C lays it out."""

import ctypes


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
