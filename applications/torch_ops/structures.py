"""What the kernels of ../gemm, ../attention, ../decode, ../scan and ../linear take as one argument, as C lays it out, and their plans, which C++ makes."""

import ctypes
import functools
import pathlib

import dma


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


class GemmWorkspace(ctypes.Structure):
    """gemm::Workspace"""

    _fields_ = [("sums", ctypes.c_void_p), ("arrivals", ctypes.c_void_p)]


class Heads(ctypes.Structure):
    """attention::Heads"""

    _fields_ = [("first", ctypes.c_void_p)] + [(name, ctypes.c_longlong) for name in ("batch", "head", "row")]


class AttentionProblem(ctypes.Structure):
    """attention::Problem"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "heads", "kv_heads", "queries", "keys", "head_size")]
    _fields_ += [("q", Heads), ("k", Heads), ("v", Heads), ("o", Heads)]
    _fields_ += [("log_sums", ctypes.c_void_p), ("scale", ctypes.c_float), ("causal", ctypes.c_bool)]


class PagedProblem(ctypes.Structure):
    """attention::PagedProblem"""

    _fields_ = AttentionProblem._fields_ + [("lengths", ctypes.c_void_p), ("page_table", ctypes.c_void_p)]
    _fields_ += [(name, ctypes.c_int) for name in ("table_pitch", "pages", "page_rows")]


class Division(ctypes.Structure):
    """decode::Division"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "kv_heads", "unit", "most_ctas")]
    _fields_ += [("lengths", ctypes.c_void_p), ("before", ctypes.c_void_p)]


class DecodeWorkspace(ctypes.Structure):
    """decode::Workspace"""

    _fields_ = [("parts", ctypes.c_void_p), ("counters", ctypes.c_void_p)]


class TileSums(ctypes.Structure):
    """scan::TileSums"""

    _fields_ = [("launches", ctypes.c_void_p), ("words", ctypes.c_void_p), ("tiles", ctypes.c_int)]


@functools.cache
def scan_job(element: type) -> type:
    """scan::Job of elements of a C type."""
    fields = [("x", ctypes.c_void_p), ("y", ctypes.c_void_p), ("elements", ctypes.c_longlong)]
    fields += [("first", element), ("sums", TileSums)]
    return type("ScanJob", (ctypes.Structure,), {"_fields_": fields})


class Rows(ctypes.Structure):
    """linear::Rows"""

    _fields_ = [("n", ctypes.c_int), ("k", ctypes.c_int)]
    _fields_ += [(name, ctypes.c_void_p) for name in ("numbers", "scales", "zeros")]


class LayerProblem(ctypes.Structure):
    """linear::Problem"""

    _fields_ = [(name, ctypes.c_int) for name in ("m", "n", "k", "group")]
    _fields_ += [("has_zeros", ctypes.c_bool), ("x", ctypes.c_void_p), ("ldx", ctypes.c_longlong)]
    _fields_ += [("w", ctypes.c_void_p), ("y", ctypes.c_void_p), ("ldy", ctypes.c_longlong), ("bits", ctypes.c_int)]


class LayerPlan(ctypes.Structure):
    """linear::Plan"""

    _fields_ = [(name, ctypes.c_int) for name in ("tiles", "units_of_tile", "ctas")]


class LayerWorkspace(ctypes.Structure):
    """linear::Workspace"""

    _fields_ = [("sums", ctypes.c_void_p), ("arrivals", ctypes.c_void_p)]


class ScaledLayerProblem(ctypes.Structure):
    """linear::fp8::Problem"""

    _fields_ = [(name, ctypes.c_int) for name in ("m", "n", "k")]
    _fields_ += [("x", ctypes.c_void_p), ("ldx", ctypes.c_longlong), ("x_scales", ctypes.c_void_p)]
    _fields_ += [(name, ctypes.c_longlong) for name in ("x_scales_row", "x_scales_block")]
    _fields_ += [("w", ctypes.c_void_p), ("ldw", ctypes.c_longlong), ("w_scales", ctypes.c_void_p)]
    _fields_ += [("y", ctypes.c_void_p), ("ldy", ctypes.c_longlong)]


class AttentionPlan(ctypes.Structure):
    """attention::Plan"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "heads", "queries", "keys")]
    _fields_ += [("causal", ctypes.c_bool)] + [(name, ctypes.c_int) for name in ("rows", "block", "band", "ctas")]


class BackwardProblem(ctypes.Structure):
    """attention::BackwardProblem"""

    _fields_ = [("forward", AttentionProblem)] + [(name, Heads) for name in ("d_o", "d_q", "d_k", "d_v")]
    _fields_ += [("work", ctypes.c_void_p)]


class BackwardPlan(ctypes.Structure):
    """attention::BackwardPlan"""

    _fields_ = [(name, ctypes.c_int) for name in ("batches", "heads", "kv_heads", "queries", "keys")]
    _fields_ += [("causal", ctypes.c_bool), ("rows", ctypes.c_int)]


class Boxes(ctypes.Structure):
    """Boxes of plans.cpp"""

    _fields_ = [("count", ctypes.c_int), ("rows", ctypes.c_int)]


class GemmLaunch(ctypes.Structure):
    """GemmLaunch of plans.cpp"""

    _fields_ = [("a", Boxes), ("b", Boxes), ("c", Boxes), ("is_transposed", ctypes.c_bool)]
    _fields_ += [("ctas", ctypes.c_int), ("adding_ctas", ctypes.c_int)]
    _fields_ += [("sums", ctypes.c_longlong), ("counters", ctypes.c_longlong), ("plan_bytes", ctypes.c_int)]
    _fields_ += [("plan", ctypes.c_ubyte * 128), ("kernel", ctypes.c_char * 128), ("adding_kernel", ctypes.c_char * 128)]


class BackwardLaunch(ctypes.Structure):
    """BackwardLaunch of plans.cpp"""

    _fields_ = [("plan", BackwardPlan)] + [(name, ctypes.c_int) for name in ("before", "tiles", "behind")]
    _fields_ += [("work_floats", ctypes.c_longlong)]


class DecodeLaunch(ctypes.Structure):
    """DecodeLaunch of plans.cpp"""

    _fields_ = [(name, ctypes.c_int) for name in ("ctas", "unit", "segments", "counters")]
    _fields_ += [("floats", ctypes.c_longlong), ("form", ctypes.c_char * 64)]


class ScanLaunch(ctypes.Structure):
    """ScanLaunch of plans.cpp"""

    _fields_ = [(name, ctypes.c_int) for name in ("ctas", "tiles", "words")] + [("kernel", ctypes.c_char * 192)]


class LayerLaunch(ctypes.Structure):
    """LayerLaunch of plans.cpp"""

    _fields_ = [("plan", LayerPlan), ("w", Boxes), ("x", Boxes), ("maps_of_w", ctypes.c_int)]
    _fields_ += [("packed", ctypes.c_longlong), ("floats", ctypes.c_longlong), ("form", ctypes.c_char * 64)]


class ScaledLayerLaunch(ctypes.Structure):
    """ScaledLayerLaunch of plans.cpp"""

    _fields_ = [("plan", LayerPlan), ("w", Boxes), ("x", Boxes)]
    _fields_ += [("floats", ctypes.c_longlong), ("kernel", ctypes.c_char * 128)]


@functools.cache
def plans() -> ctypes.CDLL:
    """The functions of plans.cpp."""
    return dma.library(pathlib.Path(__file__).with_name("plans.cpp"))


@functools.cache
def gemm_launch(m: int, n: int, k: int, is_half: bool, sms: int, are_aligned: bool) -> GemmLaunch:
    """The kernel and the plan of gemm::make_plan, and what a launch needs."""
    launch = GemmLaunch()
    plans().plan_gemm(m, n, k, is_half, sms, are_aligned, ctypes.byref(launch))
    return launch


@functools.cache
def attention_plan(shape: tuple[int, ...], causal: bool, sms: int) -> AttentionPlan:
    """The plan of attention::plan_of for (batches, heads, kv_heads, queries, keys, head_size)."""
    plan = AttentionPlan()
    problem = AttentionProblem(*shape, causal=causal)
    plans().plan_attention(ctypes.byref(problem), sms, ctypes.byref(plan))
    return plan


@functools.cache
def backward_launch(shape: tuple[int, ...], causal: bool) -> BackwardLaunch:
    """The plan of attention::plan_of for a backward pass, and what its launches need."""
    launch = BackwardLaunch()
    problem = BackwardProblem(AttentionProblem(*shape, causal=causal))
    plans().plan_attention_backward(ctypes.byref(problem), ctypes.byref(launch))
    return launch


@functools.cache
def decode_launch(shape: tuple[int, ...], page_rows: int, sms: int) -> DecodeLaunch:
    """The form of a step of (batches, heads, kv_heads, queries, keys, head_size), in pages of so many rows or, 0, in arrays,
    and what its launches need."""
    launch = DecodeLaunch()
    problem = AttentionProblem(*shape)
    plans().plan_decode(ctypes.byref(problem), page_rows, sms, ctypes.byref(launch))
    return launch


@functools.cache
def scan_launch(elements: int, element_bytes: int, is_float: bool, is_exclusive: bool, is_aligned: bool, sms: int) -> ScanLaunch:
    """The kernel of scan::with_kernel, and what a launch needs."""
    launch = ScanLaunch()
    count = ctypes.c_longlong(elements)
    plans().plan_scan(count, element_bytes, is_float, is_exclusive, is_aligned, sms, ctypes.byref(launch))
    return launch


@functools.cache
def layer_launch(m: int, n: int, k: int, group: int, has_zeros: bool, bits: int, sms: int) -> LayerLaunch:
    """The form of linear::with_kernel and its plan, and what a launch needs."""
    launch = LayerLaunch()
    plans().plan_linear_layer(m, n, k, group, has_zeros, bits, sms, ctypes.byref(launch))
    return launch


@functools.cache
def scaled_layer_launch(m: int, n: int, k: int, sms: int) -> ScaledLayerLaunch:
    """The kernel of linear::fp8::with_kernel and its plan, and what a launch needs."""
    launch = ScaledLayerLaunch()
    plans().plan_linear_fp8(m, n, k, sms, ctypes.byref(launch))
    return launch
