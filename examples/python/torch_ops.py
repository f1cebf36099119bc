"""Operators for PyTorch, of the kernels of ../bags, ../layer_norm, ../gemm and ../attention.

    sums = torch_ops.embedding_bag(table, ids, offsets)     # or torch.ops.dma.embedding_bag
    y = torch_ops.layer_norm(x, scale, shift, 1e-5)
    y = torch_ops.linear(x, weight, bias)
    o = torch_ops.attention(q, k, v, causal=True)

They work under torch.compile and in CUDA graphs; embedding_bag and linear have gradients.
"""

import functools
from pathlib import Path

import torch
from structures import AttentionPlan, AttentionProblem, GemmPlan, GemmProblem, Heads, attention_band
from torch import Tensor

import dma

EXAMPLES = Path(__file__).resolve().parents[1]


@functools.cache
def kernel_of(header: str, name: str) -> dma.Kernel:
    return dma.kernel(EXAMPLES / header, name)


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
        kernel_of("layer_norm/kernel.hpp", NORMS[columns])(rows, x, scale, shift, y, rows, epsilon)
    return y


@layer_norm.register_fake
def _(x, scale, shift, epsilon):
    return torch.empty_like(x)


# --- products ---------------------------------------------------------------------------------------------------------

BLOCK = 64  # values of k in a stage, and columns of C in a slot
ELEMENTS = {torch.bfloat16: "__nv_bfloat16", torch.float16: "__half"}
# Of the tile shapes that an H200 is fast with: microseconds of a block of k, and of a tile besides.
TILES = {(128, 256): (0.66, 2.0), (128, 192): (0.50, 1.6), (128, 128): (0.33, 1.2), (128, 64): (0.26, 0.9), (64, 64): (0.20, 0.9)}


@functools.cache
def plan_of(m: int, n: int, k: int, sms: int) -> GemmPlan:
    """Whole tiles of the shape that costs least. The C++ program also divides tiles among CTAs, where there are few."""
    blocks = -(-k // BLOCK)

    def plan(rows: int, columns: int) -> GemmPlan:
        down, across = -(-m // rows), -(-n // columns)
        return GemmPlan(rows, columns, False, 1, 1, down, across, blocks, 16, min(sms, down * across), down * across)

    def cost(shape: tuple[int, int]) -> float:
        of_block, of_tile = TILES[shape]
        return -(-plan(*shape).whole // sms) * (blocks * of_block + of_tile)

    return plan(*min(TILES, key=cost))


@torch.library.custom_op("dma::linear", mutates_args=())
def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """torch.nn.functional.linear: x weight^T + bias, of bfloat16 or float16, summed in float32.

    x       (m, k), rows dense; k a multiple of 8
    weight  (n, k), the same; n a multiple of 8
    """
    (m, k), n = x.shape, weight.shape[0]
    expect(
        x.dtype in ELEMENTS and k % 8 == 0 and n % 8 == 0 and x.is_contiguous() and weight.is_contiguous(),
        f"dma::linear: matrices are dense, of bfloat16 or float16; n and k are {n} and {k}, and have to be multiples of 8",
    )
    c = x.new_empty(m, n)
    if c.numel() == 0:
        return c
    plan = plan_of(m, n, k, torch.cuda.get_device_properties(x.device).multi_processor_count)
    l2_bytes = 256 if k % 128 == 0 else 128  # rows that begin on lines of the L2 come two lines at a time
    boxes = ((x, plan.rows, l2_bytes), (weight, plan.columns, l2_bytes), (c, plan.rows, 128))
    maps = b"".join(
        bytes(dma.tensor_map(matrix, (rows, BLOCK), swizzle=128, l2_bytes=fetched)) for matrix, rows, fetched in boxes
    )
    address_of_bias = None if bias is None else bias.data_ptr()
    problem = GemmProblem(m, n, k, x.data_ptr(), k, weight.data_ptr(), k, c.data_ptr(), n, address_of_bias, False)
    shape = f"gemm::TileShape{{{plan.rows}, {plan.columns}}}"
    multiply = kernel_of("gemm/kernel.hpp", f"gemm::Gemm<{ELEMENTS[x.dtype]}, {shape}>")
    multiply(plan.ctas, maps, problem, plan, bytes(16), stream=torch.cuda.current_stream())
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

SHAPES = {128: (128, 128, 2), 64: (192, 128, 3)}  # of a head's elements: queries of a tile, keys of a block, warpgroups


def map_of_heads(heads: Tensor, planes: int, rows: int) -> bytes:
    """Of boxes of so many rows of a head, in planes of 64 columns, as wide as the swizzle."""
    batches_heads_planes_rows = heads.unflatten(-1, (-1, 64)).transpose(2, 3)
    return bytes(dma.tensor_map(batches_heads_planes_rows, (1, 1, planes, rows, 64), swizzle=128, l2_bytes=256))


@torch.library.custom_op("dma::attention", mutates_args=())
def attention(q: Tensor, k: Tensor, v: Tensor, causal: bool = False) -> Tensor:
    """torch.nn.functional.scaled_dot_product_attention(q, k, v, enable_gqa=True); with `causal` the last query sees all
    keys, and each before it one less.

    q     (batches, heads, queries, head_size), of bfloat16 or float16; head_size is 64 or 128 and contiguous
    k, v  (batches, kv_heads, keys, head_size); heads are a multiple of kv_heads
    """
    batches, heads, queries, head_size = q.shape
    kv_heads, keys = k.shape[1:3]
    expect(
        q.dtype in ELEMENTS and head_size in (64, 128) and keys > 0 and heads % kv_heads == 0,
        f"dma::attention: heads have 64 or 128 elements of bfloat16 or float16, and are a multiple of those of k; there are "
        f"{heads} heads of {head_size} over {kv_heads} of {keys} keys",
    )
    expect(
        all(one.stride(3) == 1 and all(stride % 8 == 0 for stride in one.stride()[:3]) for one in (q, k, v)),
        "dma::attention: rows are contiguous and begin at multiples of 8 elements",
    )
    o = q.new_empty(q.shape)
    if o.numel() == 0:
        return o
    device = torch.cuda.get_device_properties(q.device)
    rows, block, groups = SHAPES[head_size]
    ctas = min(batches * heads * -(-queries // rows), device.multi_processor_count)
    band = attention_band(batches * heads, queries, keys, rows, block, ctas) if causal else 1
    plan = AttentionPlan(batches, heads, queries, keys, causal, rows, block, band, ctas)
    arrays = [Heads(one.data_ptr(), *one.stride()[:3]) for one in (q, k, v, o)]
    problem = AttentionProblem(batches, heads, kv_heads, queries, keys, head_size, *arrays, None, 0, causal)
    planes = head_size // 64
    maps = map_of_heads(q, planes, rows) + map_of_heads(k, planes, block) + map_of_heads(v, planes, block) + map_of_heads(o, 1, rows)
    attend = kernel_of("attention/kernel.hpp", f"attention::Attention<{ELEMENTS[q.dtype]}, {head_size}, {block}, {groups}>")
    attend(ctas, maps, problem, plan, stream=torch.cuda.current_stream())
    return o


@attention.register_fake
def _(q, k, v, causal=False):
    return q.new_empty(q.shape)
