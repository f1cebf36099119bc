"""The operators of torch_ops.py: values, opcheck, torch.compile, graphs and gradients. On a GPU."""

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no GPU", allow_module_level=True)
pytest.importorskip("dma")

import torch_ops  # noqa: E402 - after its needs are known to be there

BAGS = 57


def bags_of(columns):
    torch.manual_seed(columns)
    table = torch.rand(1000, columns, device="cuda")
    sizes = torch.randint(0, 40, (BAGS,), device="cuda")
    offsets = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]).int()
    ids = torch.randint(0, 1000, (int(offsets[-1]),), device="cuda", dtype=torch.int32)
    return table, ids, offsets


def rows_of(columns):
    torch.manual_seed(columns)
    return torch.randn(37, columns, device="cuda") + 3, *torch.rand(2, columns, device="cuda"), 1e-5


def factors_of(m, n, k, dtype=torch.bfloat16):
    torch.manual_seed(m + n + k)
    return [torch.randn(shape, device="cuda", dtype=dtype) for shape in ((m, k), (n, k), (n,))]


def heads_of(heads, kv_heads, queries, keys, size, causal, dtype=torch.bfloat16):
    torch.manual_seed(queries + keys)
    shapes = (heads, queries), (kv_heads, keys), (kv_heads, keys)
    return *(torch.randn(2, count, rows, size, device="cuda", dtype=dtype) for count, rows in shapes), causal


def sums_by_torch(table, ids, offsets):
    return torch.nn.functional.embedding_bag(ids, table, offsets, mode="sum", include_last_offset=True)


def norm_by_torch(x, scale, shift, epsilon):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], scale, shift, epsilon)


def attention_by_torch(q, k, v, causal):
    queries, keys = q.shape[2], k.shape[2]
    seen = torch.ones(queries, keys, dtype=torch.bool, device="cuda").tril(keys - queries) if causal else None
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen, enable_gqa=True)


CASES = [
    (torch_ops.embedding_bag, sums_by_torch, bags_of(128), 1e-5),
    (torch_ops.embedding_bag, sums_by_torch, bags_of(256), 1e-5),
    (torch_ops.layer_norm, norm_by_torch, rows_of(8192), 1e-5),
    (torch_ops.layer_norm, norm_by_torch, rows_of(16384), 1e-5),
    (torch_ops.layer_norm, norm_by_torch, rows_of(32768), 1e-5),
    (torch_ops.linear, torch.nn.functional.linear, factors_of(384, 512, 256), 1e-2),
    (torch_ops.linear, torch.nn.functional.linear, factors_of(37, 136, 72), 1e-2),
    (torch_ops.linear, torch.nn.functional.linear, factors_of(130, 1000, 520, torch.float16), 1e-2),
    (torch_ops.attention, attention_by_torch, heads_of(4, 4, 300, 300, 64, True), 1e-2),
    (torch_ops.attention, attention_by_torch, heads_of(8, 2, 100, 700, 128, True), 1e-2),
    (torch_ops.attention, attention_by_torch, heads_of(6, 3, 257, 130, 128, False, torch.float16), 1e-2),
]
cases = pytest.mark.parametrize("op, by_torch, arguments, tolerance", CASES, ids=lambda value: getattr(value, "_name", ""))


@cases
def test_values(op, by_torch, arguments, tolerance):
    torch.testing.assert_close(op(*arguments), by_torch(*arguments), rtol=tolerance, atol=10 * tolerance)


@cases
def test_opcheck(op, by_torch, arguments, tolerance):
    torch.library.opcheck(op, arguments)


@cases
def test_a_compiled_function_and_a_graph(op, by_torch, arguments, tolerance):
    expected = 2 * op(*arguments)
    compiled = torch.compile(lambda *inputs: 2 * op(*inputs), fullgraph=True, mode="reduce-overhead")
    for _ in range(3):  # the third is a graph's replay
        assert torch.equal(compiled(*arguments), expected)


@pytest.mark.parametrize("columns", [128, 256])
def test_the_gradient_of_bags(columns):
    table, ids, offsets = bags_of(columns)
    weights = torch.rand(BAGS, columns, device="cuda")
    gradients = []
    for op in (torch_ops.embedding_bag, sums_by_torch):
        leaf = table.clone().requires_grad_()
        (op(leaf, ids, offsets) * weights).sum().backward()
        gradients.append(leaf.grad)
    torch.testing.assert_close(*gradients)


def test_the_gradient_of_a_product():
    gradients = []
    for op in (torch_ops.linear, torch.nn.functional.linear):
        leaves = [factor.requires_grad_() for factor in factors_of(100, 136, 72)]
        op(*leaves).square().sum().backward()
        gradients.append([leaf.grad for leaf in leaves])
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2)


def test_what_an_operator_does_not_take():
    with pytest.raises(ValueError, match="8192, 16384, 32768"):
        torch_ops.layer_norm(*rows_of(4096))
    with pytest.raises(ValueError, match="multiples of 8"):
        torch_ops.linear(*factors_of(16, 16, 20))
    with pytest.raises(ValueError, match="3 heads of 64 over 2"):
        torch_ops.attention(*heads_of(3, 2, 8, 8, 64, False))
