"""Operators for PyTorch, of the kernels of ../bags, ../rows, ../gemm, ../attention, ../decode, ../scan and ../linear.

    sums = torch_ops.embedding_bag(table, ids, offsets)     # or torch.ops.dma.embedding_bag
    y = torch_ops.layer_norm(x, scale, shift, 1e-5)
    y = torch_ops.linear(x, weight, bias)
    o = torch_ops.attention(q, k, v, causal=True)
    o = torch_ops.decode_attention(q, k, v, lengths)        # of a token's step; page_table=... for pages
    y = torch_ops.scan(x)                                   # prefix sums; exclusive=True for those before each element
    y = torch_ops.linear_w4a16(x, torch_ops.pack_w4a16(numbers, scales))  # weights of 4 bits; w8a16: of 8
    y = torch_ops.linear_fp8(x, weight, x_scales, weight_scales)  # float8_e4m3fn with scales of blocks

They work under torch.compile and in CUDA graphs; embedding_bag, linear, attention and scan have gradients.
"""

import ctypes
import functools
from pathlib import Path
from typing import NamedTuple

import torch
from structures import AttentionProblem, BackwardProblem, DecodeWorkspace, Division, GemmProblem, GemmWorkspace, Heads
from structures import LayerProblem, LayerWorkspace, PagedProblem, Rows, ScaledLayerProblem, TileSums
from structures import attention_plan, backward_launch, decode_launch, gemm_launch, layer_launch, scaled_layer_launch
from structures import scan_job, scan_launch
from torch import Tensor

import dma

APPLICATIONS = Path(__file__).resolve().parents[1]


@functools.cache
def kernel_of(header: str, name: str) -> dma.Kernel:
    return dma.kernel(APPLICATIONS / header, name)


def expect(condition: bool, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)


# --- sums of bags -----------------------------------------------------------------------------------------------------


@torch.library.custom_op("dma::embedding_bag", mutates_args=())
def embedding_bag(table: Tensor, ids: Tensor, offsets: Tensor) -> Tensor:
    """Sums of rows of a table, as torch.nn.functional.embedding_bag(..., mode="sum", include_last_offset=True).

    table    rows of float32, a multiple of 128 columns
    ids      int32: the rows of all bags, one bag after another
    offsets  int32: where each bag begins in ids, and their end
    """
    columns = table.shape[1]
    expect(columns % 128 == 0 and table.is_contiguous(), "dma::embedding_bag: rows are multiples of 128 floats, dense")
    bags = offsets.shape[0] - 1
    sums = table.new_empty(bags, columns)
    if bags > 0:
        rows = 4096 // columns  # of a tile of 16 KB
        sum_bags = kernel_of("bags/kernel.hpp", f"SumBags<dma::WarpLayout<dma::Compute<2>>, {columns}, {rows}, 1>")
        sum_bags(min(ids.shape[0] // rows + 1, bags), table, table.shape[0], ids, offsets, bags, sums)
    return sums


@embedding_bag.register_fake
def _(table, ids, offsets):
    return table.new_empty(offsets.shape[0] - 1, table.shape[1])


@torch.library.custom_op("dma::embedding_bag_backward", mutates_args=())
def embedding_bag_backward(sums_gradient: Tensor, ids: Tensor, offsets: Tensor, table_rows: int) -> Tensor:
    """The gradient of the table: each row's sum of the gradients of its bags, in no defined order."""
    columns = sums_gradient.shape[1]
    bags = offsets.shape[0] - 1
    gradient = sums_gradient.new_zeros(table_rows, columns)
    if bags > 0:
        layout = "dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>"
        add_to_rows = kernel_of("bags/backward.hpp", f"AddToRowsOfBags<{layout}, {columns}, {2048 // columns}, 4>")
        ctas = min(ids.shape[0] // 32 + 1, bags)
        add_to_rows(ctas, sums_gradient, ids, offsets, bags, gradient, table_rows)
    return gradient


@embedding_bag_backward.register_fake
def _(sums_gradient, ids, offsets, table_rows):
    return sums_gradient.new_empty(table_rows, sums_gradient.shape[1])


def keep_bags(ctx, inputs, output):
    table, ids, offsets = inputs
    ctx.save_for_backward(ids, offsets)
    ctx.table_rows = table.shape[0]


def backward_of_bags(ctx, gradient):
    return torch.ops.dma.embedding_bag_backward(gradient.contiguous(), *ctx.saved_tensors, ctx.table_rows), None, None


embedding_bag.register_autograd(backward_of_bags, setup_context=keep_bags)


# --- layer norm -------------------------------------------------------------------------------------------------------

NORMS = {
    8192: "LayerNorm<dma::WarpLayout<dma::Compute<16>, dma::Dma<1>>, 8192, 1, 1, 2>",
    16384: "LayerNorm<dma::WarpLayout<dma::Compute<16>>, 16384, 1, 1, 2, 2>",
    32768: "LayerNorm<dma::WarpLayout<dma::Compute<16>, dma::Dma<1>>, 32768, 4, 4, 1>",
}


@torch.library.custom_op("dma::layer_norm", mutates_args=())
def layer_norm(x: Tensor, scale: Tensor, shift: Tensor, epsilon: float) -> Tensor:
    """torch.nn.functional.layer_norm over the last axis, of 8192, 16384 or 32768 float32."""
    columns = x.shape[-1]
    expect(columns in NORMS and x.is_contiguous(), f"dma::layer_norm: rows are dense and have one of {list(NORMS)} floats")
    y = torch.empty_like(x)
    rows = x.numel() // columns
    if rows > 0:
        kernel_of("rows/layer_norm/kernel.hpp", NORMS[columns])(rows, x, scale, shift, y, rows, epsilon)
    return y


@layer_norm.register_fake
def _(x, scale, shift, epsilon):
    return torch.empty_like(x)


# --- products ---------------------------------------------------------------------------------------------------------

BLOCK = 64  # values of k in a stage, and columns of C in a slot
ELEMENTS = {torch.bfloat16: "__nv_bfloat16", torch.float16: "__half"}


class Counters:
    """Counters of a GPU for divided sums: zero before a launch and after it. Launches that may run at the same time have
    counters of their own: those of each stream, and each launch that is captured into a graph."""

    ROOM = 1 << 18  # of 4 bytes, for all
    OF_STREAM = 1024

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self.unused: Tensor | None = None
        self.of_streams: dict[int, Tensor] = {}

    def of_launch(self, count: int, stream: torch.cuda.Stream) -> Tensor:
        if torch.cuda.is_current_stream_capturing():
            return self._take(count, is_captured=True)
        counters = self.of_streams.get(stream.cuda_stream)
        if counters is None or len(counters) < count:
            counters = self.of_streams[stream.cuda_stream] = self._take(max(count, self.OF_STREAM), is_captured=False)
        return counters

    def _take(self, count: int, is_captured: bool) -> Tensor:
        if self.unused is None and not is_captured:
            self.unused = torch.zeros(self.ROOM, dtype=torch.int32, device=self.device)
            torch.cuda.synchronize(self.device)  # they are zero for all streams
        if self.unused is None or len(self.unused) < count:
            return torch.zeros(count, dtype=torch.int32, device=self.device)  # in a graph, by each replay
        taken, self.unused = self.unused[:count], self.unused[count:]
        return taken


@functools.cache
def counters_of(device: torch.device) -> Counters:
    return Counters(device)


def kernel_of_headers(headers: list[str], name: str) -> dma.Kernel:
    return dma.kernel("".join(f'#include "{header}"\n' for header in headers), name, include_path=[APPLICATIONS])


@functools.cache
def product_of(name: str) -> dma.Kernel:
    """Of a type that plans.cpp names: each kernel of ../gemm has a header of its own."""
    headers = ["add_parts.hpp", *sorted(path.name for path in (APPLICATIONS / "gemm").glob("*kernel.hpp"))]
    return kernel_of_headers([f"gemm/{header}" for header in headers], name)


@torch.library.custom_op("dma::linear", mutates_args=())
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """torch.nn.functional.linear: x weight^T + bias, of bfloat16 or float16, summed in float32.

    x       (m, k), rows dense; k a multiple of 8
    weight  (n, k), the same; n a multiple of 8
    """
    (m, k), n = x.shape, weight.shape[0]
    expect(
        x.dtype in ELEMENTS and k > 0 and k % 8 == 0 and n % 8 == 0 and x.is_contiguous() and weight.is_contiguous(),
        f"dma::linear: matrices are dense, of bfloat16 or float16; n and k are {n} and {k}, and have to be multiples of 8",
    )
    c = x.new_empty(m, n)
    if c.numel() == 0:
        return c
    device = torch.cuda.get_device_properties(x.device)
    are_aligned = k % BLOCK == 0 and x.data_ptr() % 128 == 0 and weight.data_ptr() % 128 == 0
    launch = gemm_launch(m, n, k, x.dtype == torch.float16, device.multi_processor_count, are_aligned)
    # The kernel of C^T = B A^T has the operands the other way round.
    (a, rows), (b, columns) = ((weight, n), (x, m)) if launch.is_transposed else ((x, m), (weight, n))
    l2_bytes = 256 if k % 128 == 0 else 128  # rows that begin on lines of the L2 come two lines at a time
    maps = b"".join(
        bytes(dma.tensor_map(matrix, (boxes.rows, BLOCK), swizzle=128, l2_bytes=fetched)) * boxes.count
        for matrix, boxes, fetched in ((a, launch.a, l2_bytes), (b, launch.b, l2_bytes), (c, launch.c, 128))
    )
    address_of_bias = None if bias is None else bias.data_ptr()
    problem = GemmProblem(rows, columns, k, a.data_ptr(), k, b.data_ptr(), k, c.data_ptr(), n, address_of_bias, False)
    plan = memoryview(launch.plan)[: launch.plan_bytes]
    stream = torch.cuda.current_stream()
    sums = x.new_empty(4 * launch.sums, dtype=torch.float32)
    counters = counters_of(x.device).of_launch(launch.counters, stream) if launch.counters else None
    workspace = GemmWorkspace(sums.data_ptr(), None if counters is None else counters.data_ptr())
    product_of(launch.kernel.decode())(launch.ctas, maps, problem, plan, workspace, stream=stream)
    if launch.adding_ctas:
        product_of(launch.adding_kernel.decode())(launch.adding_ctas, problem, plan, workspace, stream=stream)
    return c


@linear.register_fake
def _(x, weight, bias=None):
    return x.new_empty(x.shape[0], weight.shape[0])


def keep_factors(ctx, inputs, output):
    x, weight, bias = inputs
    ctx.save_for_backward(x, weight)
    ctx.has_bias = bias is not None


def backward_of_linear(ctx, gradient):
    x, weight = ctx.saved_tensors
    gradient = gradient.contiguous()
    of_x = torch.ops.dma.linear(gradient, weight.t().contiguous())
    of_weight = gradient.t() @ x  # the product of the other kernel would need m, a multiple of 8
    return of_x, of_weight, gradient.sum(0) if ctx.has_bias else None


linear.register_autograd(backward_of_linear, setup_context=keep_factors)


# --- attention --------------------------------------------------------------------------------------------------------


def map_of_heads(heads: Tensor, size: int, rows: int, wide: int = 64) -> bytes:
    """Of boxes of so many columns and rows of a head, in planes of `wide` columns, as wide as the swizzle."""
    batches_heads_planes_rows = heads.unflatten(-1, (-1, wide)).transpose(2, 3)
    box = (1, 1, size // wide, rows, wide)
    return bytes(dma.tensor_map(batches_heads_planes_rows, box, swizzle=2 * wide, l2_bytes=256))


def has_aligned_rows(heads: Tensor) -> bool:
    *strides, within = heads.stride()
    return within == 1 and all(stride % 8 == 0 for stride in strides) and heads.data_ptr() % 16 == 0


def heads_of(tensor: Tensor) -> Heads:
    return Heads(tensor.data_ptr(), *tensor.stride()[:3])


def shape_of(q: Tensor, k: Tensor) -> tuple[int, ...]:
    """Batches, heads, those of K, queries, keys, elements of a head."""
    batches, heads, queries, head_size = q.shape
    return batches, heads, k.shape[1], queries, k.shape[2], head_size


@torch.library.custom_op("dma::attention_with_logarithms", mutates_args=())
def attention_with_logarithms(q: Tensor, k: Tensor, v: Tensor, causal: bool, keeps: bool) -> tuple[Tensor, Tensor]:
    """`attention`, and of each query the logarithm of the sum of e to its scaled scores, which the gradients need; none
    where they are not to be kept."""
    shape = batches, heads, kv_heads, queries, keys, head_size = shape_of(q, k)
    expect(
        q.dtype in ELEMENTS and head_size in (64, 128) and keys > 0 and heads % kv_heads == 0,
        f"dma::attention: heads have 64 or 128 elements of bfloat16 or float16, and are a multiple of those of k; there are "
        f"{heads} heads of {head_size} over {kv_heads} of {keys} keys",
    )
    expect(
        all(has_aligned_rows(one) for one in (q, k, v)),
        "dma::attention: rows are contiguous and begin at multiples of 8 elements",
    )
    o = q.new_empty(q.shape)
    logarithms = q.new_empty(shape_of_logarithms(q, keeps), dtype=torch.float32)
    if o.numel() == 0:
        return o, logarithms
    device = torch.cuda.get_device_properties(q.device)
    plan = attention_plan(shape, causal, device.multi_processor_count)
    log_sums = logarithms.data_ptr() if keeps else None
    problem = AttentionProblem(*shape, *map(heads_of, (q, k, v, o)), log_sums, 0, causal)
    maps = map_of_heads(q, head_size, plan.rows)
    maps += map_of_heads(k, head_size, plan.block) + map_of_heads(v, head_size, plan.block)
    maps += map_of_heads(o, 64, plan.rows)
    groups = plan.rows // 64  # warpgroups
    name = f"attention::Attention<{ELEMENTS[q.dtype]}, {head_size}, {plan.block}, {groups}>"
    attend = kernel_of("attention/kernel.hpp", name)
    attend(plan.ctas, maps, problem, plan, stream=torch.cuda.current_stream())
    return o, logarithms


def shape_of_logarithms(q: Tensor, keeps: bool) -> tuple[int, ...]:
    return tuple(q.shape[:3]) if keeps else (0,)


@attention_with_logarithms.register_fake
def _(q, k, v, causal, keeps):
    return q.new_empty(q.shape), q.new_empty(shape_of_logarithms(q, keeps), dtype=torch.float32)


def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True); with `causal` the last query sees all
    keys, and each before it one less.

    q     (batches, heads, queries, head_size), of bfloat16 or float16; head_size is 64 or 128 and contiguous
    k, v  (batches, kv_heads, keys, head_size); heads are a multiple of kv_heads
    """
    keeps = torch.is_grad_enabled() and (q.requires_grad or k.requires_grad or v.requires_grad)
    return attention_with_logarithms(q, k, v, causal, keeps)[0]


@torch.library.custom_op("dma::attention_backward", mutates_args=())
def attention_backward(
    o_gradient: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, logarithms: Tensor, causal: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of q, k and v. That of q is added up in no defined order."""
    shape = *_, head_size = shape_of(q, k)
    gradients = q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)
    if o.numel() == 0:
        return gradients[0], gradients[1].zero_(), gradients[2].zero_()
    # A gradient may be an expanded number, whose rows are all the same.
    if not (has_aligned_rows(o_gradient) and o_gradient.stride(2) >= head_size):
        o_gradient = o_gradient.contiguous()
    launch = backward_launch(shape, causal)
    plan, element = launch.plan, ELEMENTS[q.dtype]
    work = q.new_empty(launch.work_floats, dtype=torch.float32)
    forward = AttentionProblem(*shape, *map(heads_of, (q, k, v, o)), logarithms.data_ptr(), 0, causal)
    problem = BackwardProblem(forward, *map(heads_of, (o_gradient, *gradients)), work.data_ptr())
    maps = b"".join(map_of_heads(one, head_size, 64) for one in (q, o_gradient))  # of steps of 64 queries
    maps += b"".join(map_of_heads(one, head_size, plan.rows, head_size // 2) for one in (k, v))
    maps += b"".join(map_of_heads(one, 64, plan.rows) for one in gradients[1:])
    stream = torch.cuda.current_stream()
    small, large = "attention/backward_rows.hpp", "attention/backward_kernel.hpp"
    of = f"<{element}, {head_size}>"
    kernel_of(small, f"attention::PrepareRows{of}")(launch.before, problem, stream=stream)
    kernel_of(large, f"attention::AttentionBackward{of}")(launch.tiles, maps, problem, plan, stream=stream)
    kernel_of(small, f"attention::RoundQueries{of}")(launch.behind, problem, stream=stream)
    return gradients


@attention_backward.register_fake
def _(o_gradient, q, k, v, o, logarithms, causal):
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def keep_heads(ctx, inputs, output):
    q, k, v, causal, keeps = inputs
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(q, k, v, *output)
    ctx.causal, ctx.keeps = causal, keeps


def backward_of_attention(ctx, gradient, _):
    expect(ctx.keeps, "dma::attention: gradients need the logarithms; call attention(), or keep them")
    return *torch.ops.dma.attention_backward(gradient, *ctx.saved_tensors, ctx.causal), None, None


attention_with_logarithms.register_autograd(backward_of_attention, setup_context=keep_heads)


# --- decoding ---------------------------------------------------------------------------------------------------------


class Boxes:
    """Rows of pages for a tensor map, as a box of dma::Paged has them: the last axis but three moves a box
    of so many rows through all memory, in steps of 16 bytes, from as many rows before the first page on."""

    def __init__(self, pages: Tensor, row_stride: int, rows: int) -> None:
        self.shape = (pages.shape[0] * pages.stride(0) + rows * row_stride) // 8 + 1, 1, rows, 64
        self.strides = 16, 128, 2 * row_stride, 2
        self.address = pages.data_ptr() - 2 * rows * row_stride

    @property
    def __cuda_array_interface__(self) -> dict:
        data = self.address, True
        return {"shape": self.shape, "strides": self.strides, "data": data, "typestr": "<u2", "version": 3}


@torch.library.custom_op("dma::decode_attention", mutates_args=())
def decode_attention(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, page_table: Tensor | None = None) -> Tensor:
    """Attention of the last queries of sequences: `attention(q, k, v, causal=True)` with the keys that each sequence has.

    q           (batches, heads, queries, head_size), of bfloat16 or float16; head_size is 64 or 128 and contiguous; at most 32
                queries of heads that share keys
    k, v        (batches, kv_heads, keys, head_size), or with a page table (pages, page_rows, kv_heads, head_size), page_rows a
                multiple of 16
    lengths     (batches,) int32: keys of each sequence, 0 to the most that there is room for, which is not checked
    page_table  (batches, most pages of a sequence) int32
    """
    batches, heads, queries, head_size = q.shape
    is_paged = page_table is not None
    page_rows = k.shape[1] if is_paged else 0
    kv_heads, keys = (k.shape[2], page_rows * page_table.shape[1]) if is_paged else k.shape[1:3]
    expect(
        q.dtype in ELEMENTS and head_size in (64, 128) and heads % kv_heads == 0 and queries * heads <= 32 * kv_heads,
        f"dma::decode_attention: heads have 64 or 128 elements of bfloat16 or float16, and up to 32 queries share keys; there are "
        f"{queries} queries of {heads} heads of {head_size} over {kv_heads}",
    )
    expect(
        all(has_aligned_rows(one) for one in (q, k, v)) and page_rows % 16 == 0,
        "dma::decode_attention: rows are contiguous and begin at multiples of 8 elements, pages have a multiple of 16 rows",
    )
    expect(
        all(one.dtype == torch.int32 and one.is_contiguous() for one in (lengths, page_table) if one is not None),
        "dma::decode_attention: lengths and page tables are dense and of int32",
    )
    o = q.new_empty(q.shape)
    if o.numel() == 0 or keys == 0:
        return o.zero_()
    shape = batches, heads, kv_heads, queries, keys, head_size
    launch = decode_launch(shape, page_rows, torch.cuda.get_device_properties(q.device).multi_processor_count)
    of_k, of_v = (Heads(one.data_ptr(), *(one.stride(axis) for axis in ((0, 2, 1) if is_paged else (0, 1, 2)))) for one in (k, v))
    table = (page_table.data_ptr(), page_table.stride(0), k.shape[0], page_rows) if is_paged else (None, 0, 0, 0)
    arrays = heads_of(q), of_k, of_v, heads_of(o)
    problem = PagedProblem(*shape, *arrays, None, 0, True, lengths.data_ptr(), *table)
    box = 1, 1, launch.unit, 64
    maps = b"".join(
        bytes(dma.tensor_map(Boxes(one, of.row, launch.unit), box, swizzle=128, l2_bytes=128)) for one, of in ((k, of_k), (v, of_v))
    )
    before = lengths.new_empty(batches + 1)
    segments = lengths.new_empty(launch.segments, 8)
    parts = q.new_empty(launch.floats, dtype=torch.float32)
    stream = torch.cuda.current_stream()
    counters = counters_of(q.device).of_launch(launch.counters, stream)
    division = Division(batches, kv_heads, launch.unit, launch.ctas, lengths.data_ptr(), before.data_ptr())
    kernel_of("decode/plan_kernel.hpp", "decode::MakePlan")(1, division, before.data_ptr(), segments.data_ptr(), stream=stream)
    workspace = DecodeWorkspace(parts.data_ptr(), counters.data_ptr())
    name = f"decode::Decode<{ELEMENTS[q.dtype]}, {launch.form.decode()}>"
    kernel_of("decode/kernel.hpp", name)(launch.ctas, maps, problem, segments.data_ptr(), workspace, stream=stream)
    return o


@decode_attention.register_fake
def _(q, k, v, lengths, page_table=None):
    return q.new_empty(q.shape)


# --- prefix sums ------------------------------------------------------------------------------------------------------

SUMMED = {torch.float32: ctypes.c_float, torch.float64: ctypes.c_double, torch.int32: ctypes.c_int, torch.int64: ctypes.c_longlong}


@functools.cache
def sums_of_tiles(device: torch.device) -> Counters:
    """Zero before the first launch only: a launch tells its sums from those of launches before it."""
    return Counters(device)


@functools.cache
def scan_of(name: str) -> dma.Kernel:
    return kernel_of_headers([f"scan/{header}.hpp" for header in ("kernels", "operations", "tile")], name)


@torch.library.custom_op("dma::scan", mutates_args=())
def scan(x: Tensor, exclusive: bool = False) -> Tensor:
    """torch.cumsum(x, 0, dtype=x.dtype) of a vector; `exclusive` sums are those before each element.

    x  (elements,) of float32, float64, int32 or int64, dense
    """
    expect(
        x.dtype in SUMMED and x.dim() == 1 and x.is_contiguous(),
        f"dma::scan: x is a dense vector of {', '.join(str(one).removeprefix('torch.') for one in SUMMED)}; it has {x.dim()} axes of {x.dtype}",
    )
    y = torch.empty_like(x)
    if x.numel() == 0:
        return y
    sms = torch.cuda.get_device_properties(x.device).multi_processor_count
    is_aligned = x.data_ptr() % 16 == 0 and y.data_ptr() % 16 == 0
    launch = scan_launch(x.numel(), x.element_size(), x.dtype.is_floating_point, exclusive, is_aligned, sms)
    stream = torch.cuda.current_stream()
    words = sums_of_tiles(x.device).of_launch(2 * (1 + launch.tiles * launch.words), stream)  # of 4 bytes
    sums = TileSums(words.data_ptr(), words.data_ptr() + 8, launch.tiles)
    job = scan_job(SUMMED[x.dtype])(x.data_ptr(), y.data_ptr(), x.numel(), 0, sums)
    scan_of(launch.kernel.decode())(launch.ctas, job, stream=stream)
    return y


@scan.register_fake
def _(x, exclusive=False):
    return torch.empty_like(x)


def keep_direction(ctx, inputs, output):
    ctx.exclusive = inputs[1]


def backward_of_scan(ctx, gradient):
    return torch.ops.dma.scan(gradient.flip(0), ctx.exclusive).flip(0), None


scan.register_autograd(backward_of_scan, setup_context=keep_direction)


# --- layers of 4-bit and 8-bit weights ---------------------------------------------------------------------------------

MOST_NUMBERS = 1 << 36  # of weights: 32 bits count the units of more no longer


@functools.cache
def layer_of(name: str) -> dma.Kernel:
    return kernel_of_headers(["linear/kernel.hpp"], name)


class PackedWeights(NamedTuple):
    """Weights of 4 or 8 bits. They lie in integers: a copy of floats may change bits that are none of a number."""

    words: Tensor
    n: int
    group: int
    has_zeros: bool
    bits: int
    dtype: torch.dtype  # of the scales


def packed_words(n: int, k: int, group: int, has_zeros: bool, bits: int) -> int:
    """linear::packed_elements, of two bytes, in words of four"""
    return -(-n // 64) * -(-k // 128) * (256 * bits + 128 // group * 32 * (2 if has_zeros else 1))


def pack_w4a16(numbers: Tensor, scales: Tensor, zeros: Tensor | None = None) -> PackedWeights:
    """Weights (n, k) = scale * (number - zero) for linear_w4a16.

    numbers  (n, k) uint8, of 0 to 15, dense
    scales   (n, k / group) of bfloat16 or float16, dense; a group has 64 or 128 numbers
    zeros    (n, k / group) uint8, of 0 to 15, dense; without them they are 8
    """
    return packed(numbers, scales, zeros, 4)


def pack_w8a16(numbers: Tensor, scales: Tensor, zeros: Tensor | None = None) -> PackedWeights:
    """The same for linear_w8a16: numbers and zeros are 0 to 255; without zeros they are 128."""
    return packed(numbers, scales, zeros, 8)


def packed(numbers: Tensor, scales: Tensor, zeros: Tensor | None, bits: int) -> PackedWeights:
    (n, k), groups = numbers.shape, scales.shape[1]
    words = torch.ops.dma.pack_numbers(numbers, scales, zeros, bits)
    return PackedWeights(words, n, k // groups, zeros is not None, bits, scales.dtype)


@torch.library.custom_op("dma::pack_numbers", mutates_args=())
def pack_numbers(numbers: Tensor, scales: Tensor, zeros: Tensor | None, bits: int) -> Tensor:
    (n, k), groups = numbers.shape, scales.shape[1]
    group = k // max(groups, 1)
    expect(
        numbers.dtype == torch.uint8
        and scales.dtype in ELEMENTS
        and all(one is None or one.is_contiguous() for one in (numbers, scales, zeros)),
        f"dma::pack_w{bits}a16: numbers are of uint8, scales of bfloat16 or float16, and all are dense",
    )
    expect(
        n > 0 and group in (64, 128) and tuple(scales.shape) == (n, groups) and k == groups * group,
        f"dma::pack_w{bits}a16: each 64 or 128 numbers of a row share a scale; there are "
        f"{tuple(scales.shape)} scales of {n} x {k} numbers",
    )
    expect(
        zeros is None or (zeros.dtype == torch.uint8 and zeros.shape == scales.shape),
        f"dma::pack_w{bits}a16: zeros are of uint8, one for each scale",
    )
    words = scales.new_empty(packed_words(n, k, group, zeros is not None, bits), dtype=torch.int32)
    rows = Rows(n, k, numbers.data_ptr(), scales.data_ptr(), None if zeros is None else zeros.data_ptr())
    name = f"linear::Pack<{ELEMENTS[scales.dtype]}, {group}, {'false' if zeros is None else 'true'}, {bits}>"
    layer_of(name)(-(-n // 64) * -(-k // 128), rows, words.data_ptr(), stream=torch.cuda.current_stream())
    return words


@pack_numbers.register_fake
def _(numbers, scales, zeros, bits):
    (n, k), groups = numbers.shape, scales.shape[1]
    return scales.new_empty(packed_words(n, k, k // groups, zeros is not None, bits), dtype=torch.int32)


def linear_w4a16(x: Tensor, weights: PackedWeights) -> Tensor:
    """x weights^T, summed in float32.

    x        (m, k) of bfloat16 or float16, as the scales: up to 64 rows, dense
    weights  by pack_w4a16
    """
    return layer(x, weights, 4)


def linear_w8a16(x: Tensor, weights: PackedWeights) -> Tensor:
    """The same of weights by pack_w8a16."""
    return layer(x, weights, 8)


def layer(x: Tensor, weights: PackedWeights, bits: int) -> Tensor:
    words, *form, dtype = weights
    expect(
        weights.bits == bits,
        f"dma::linear_w{bits}a16: the weights have another number of bits; pack them by pack_w{bits}a16",
    )
    expect(
        x.dtype == dtype,
        f"dma::linear_w{bits}a16: x is of {x.dtype} and the scales of the weights of {dtype}; convert x, or pack scales of its type",
    )
    return torch.ops.dma.linear_of_numbers(x, words, *form)


@torch.library.custom_op("dma::linear_of_numbers", mutates_args=())
def linear_of_numbers(x: Tensor, words: Tensor, n: int, group: int, has_zeros: bool, bits: int) -> Tensor:
    m, k = x.shape
    expect(
        x.is_contiguous() and x.data_ptr() % 16 == 0 and words.data_ptr() % 16 == 0,
        f"dma::linear_w{bits}a16: x and the weights are dense and begin at multiples of 16 bytes",
    )
    expect(
        m <= 64 and n * k <= MOST_NUMBERS and words.shape[0] == packed_words(n, k, group, has_zeros, bits),
        f"dma::linear_w{bits}a16: x has up to 64 rows, as long as those of the up to 2^36 weights; they are {m} rows of {k} and {n} weights' "
        f"rows in groups of {group}, packed into {words.shape[0]} words",
    )
    y = x.new_empty(m, n)
    if m == 0:
        return y
    launch = layer_launch(m, n, k, group, has_zeros, bits, torch.cuda.get_device_properties(x.device).multi_processor_count)
    of_w = words.view(torch.int16).view(-(-n // 64), -1, 64)
    of_x = x.view(m, k // 64, 64).transpose(0, 1)
    maps = bytes(dma.tensor_map(of_w, (launch.w.count, launch.w.rows, 64))) * launch.maps_of_w
    maps += bytes(dma.tensor_map(of_x, (launch.x.count, launch.x.rows, 64), swizzle=128))
    problem = LayerProblem(m, n, k, group, has_zeros, x.data_ptr(), k, words.data_ptr(), y.data_ptr(), n, bits)
    stream = torch.cuda.current_stream()
    sums = x.new_empty(launch.floats, dtype=torch.float32)
    counters = counters_of(x.device).of_launch(launch.plan.tiles, stream)
    workspace = LayerWorkspace(sums.data_ptr(), counters.data_ptr())
    kernel = layer_of(f"linear::Linear<{ELEMENTS[x.dtype]}, {launch.form.decode()}>")
    kernel(launch.plan.ctas, maps, problem, launch.plan, workspace, stream=stream)
    return y


@linear_of_numbers.register_fake
def _(x, words, n, group, has_zeros, bits):
    return x.new_empty(x.shape[0], n)


# --- layers of 8-bit numbers ------------------------------------------------------------------------------------------


@functools.cache
def scaled_layer_of(name: str) -> dma.Kernel:
    return kernel_of_headers(["linear/fp8/kernel.hpp"], name)


def has_rows_of_16(matrix: Tensor) -> bool:
    distance, within = matrix.stride()
    return within == 1 and distance % 16 == 0 and distance >= matrix.shape[1] and matrix.data_ptr() % 16 == 0


def linear_fp8(x: Tensor, w: Tensor, x_scales: Tensor, w_scales: Tensor) -> Tensor:
    """x w^T of float8_e4m3fn, where each number has the scale of its block, as bfloat16. Products of 128 k are added up in
    float32.

    x         (m, k), up to 64 rows; k a multiple of 16
    w         (n, k), rows contiguous
    x_scales  (m, blocks of 128 k) of float32, in any layout
    w_scales  (blocks of 128 n, blocks of 128 k) of float32, dense
    """
    expect(
        x.dtype == w.dtype == torch.float8_e4m3fn and x_scales.dtype == w_scales.dtype == torch.float32,
        f"dma::linear_fp8: numbers are of float8_e4m3fn and scales of float32; x and w are of {x.dtype} and {w.dtype}, their "
        f"scales of {x_scales.dtype} and {w_scales.dtype}",
    )
    # As bytes: torch.library.opcheck compares arguments, and PyTorch compares no float8.
    return torch.ops.dma.linear_of_8_bits(x.view(torch.uint8), w.view(torch.uint8), x_scales, w_scales)


@torch.library.custom_op("dma::linear_of_8_bits", mutates_args=())
def linear_of_8_bits(x: Tensor, w: Tensor, x_scales: Tensor, w_scales: Tensor) -> Tensor:
    (m, k), n = x.shape, w.shape[0]
    blocks = -(-k // 128)
    expect(
        m <= 64 and n > 0 and k > 0 and n * k <= MOST_NUMBERS and k % 16 == 0 and w.shape[1] == k and has_rows_of_16(x) and has_rows_of_16(w),
        f"dma::linear_fp8: x has up to 64 rows, as long as those of w, of up to 2^36 numbers, which begin at multiples of 16 numbers and are contiguous; "
        f"they are {m} rows of {k} and {n} of {w.shape[1]}",
    )
    expect(
        tuple(x_scales.shape) == (m, blocks) and tuple(w_scales.shape) == (-(-n // 128), blocks) and w_scales.is_contiguous(),
        f"dma::linear_fp8: each row of x and each 128 of w have a scale for 128 k; there are {tuple(x_scales.shape)} and "
        f"{tuple(w_scales.shape)} of {m} x {k} and {n} x {k}",
    )
    y = x.new_empty(m, n, dtype=torch.bfloat16)
    if m == 0:
        return y
    device = torch.cuda.get_device_properties(x.device)
    launch = scaled_layer_launch(m, n, k, device.multi_processor_count)

    def maps_of(matrix, boxes):
        l2_bytes = 256 if matrix.stride(0) % 256 == 0 else 128  # rows that begin on lines of the L2 come two lines at a time
        return bytes(dma.tensor_map(matrix, (boxes.rows, 128), swizzle=128, l2_bytes=l2_bytes)) * boxes.count

    problem = ScaledLayerProblem(m, n, k, x.data_ptr(), x.stride(0), x_scales.data_ptr(), *x_scales.stride())
    problem.w, problem.ldw, problem.w_scales = w.data_ptr(), w.stride(0), w_scales.data_ptr()
    problem.y, problem.ldy = y.data_ptr(), n
    stream = torch.cuda.current_stream()
    sums = x.new_empty(launch.floats, dtype=torch.float32)
    counters = counters_of(x.device).of_launch(launch.plan.tiles, stream)
    workspace = LayerWorkspace(sums.data_ptr(), counters.data_ptr())
    multiply = scaled_layer_of(launch.kernel.decode())
    multiply(launch.plan.ctas, maps_of(w, launch.w) + maps_of(x, launch.x), problem, launch.plan, workspace, stream=stream)
    return y


@linear_of_8_bits.register_fake
def _(x, w, x_scales, w_scales):
    return x.new_empty(x.shape[0], w.shape[0], dtype=torch.bfloat16)
