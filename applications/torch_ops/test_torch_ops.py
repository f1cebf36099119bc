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


def steps_of(heads, kv_heads, queries, lengths, size, page_rows=0, dtype=torch.bfloat16):
    """NaN is behind each sequence's last key, and in pages that none has."""
    torch.manual_seed(sum(lengths))
    batches, keys = len(lengths), max(lengths)
    q = torch.randn(batches, heads, queries, size, device="cuda", dtype=dtype)
    k, v = torch.randn(2, batches, kv_heads, keys, size, device="cuda", dtype=dtype)
    for batch, length in enumerate(lengths):
        k[batch, :, length:] = v[batch, :, length:] = torch.nan
    lengths = torch.tensor(lengths, device="cuda", dtype=torch.int32)
    if page_rows == 0:
        return q, k, v, lengths
    of_sequence = -(-keys // page_rows)
    table = torch.randperm(batches * of_sequence, device="cuda").int().view(batches, of_sequence)
    paged = torch.full((2, batches * of_sequence, page_rows, kv_heads, size), torch.nan, device="cuda", dtype=dtype)
    for pages, of in zip(paged, (k, v), strict=True):
        rows = torch.nn.functional.pad(of, (0, 0, 0, of_sequence * page_rows - keys), value=torch.nan)
        pages[table.long()] = rows.unflatten(2, (of_sequence, page_rows)).permute(0, 2, 3, 1, 4)
    return q, *paged, lengths, table


def step_by_torch(q, k, v, lengths, page_table=None):
    o = torch.zeros_like(q)
    for batch, length in enumerate(lengths.tolist()):
        own = [k[batch], v[batch]]
        if page_table is not None:
            own = [pages[page_table[batch].long()].flatten(0, 1).transpose(0, 1) for pages in (k, v)]
        if length > 0:
            o[batch] = attention_by_torch(q[batch : batch + 1], *(one[None, :, :length] for one in own), True)[0]
    return o


def sums_by_torch(table, ids, offsets):
    return torch.nn.functional.embedding_bag(ids, table, offsets, mode="sum", include_last_offset=True)


def norm_by_torch(x, scale, shift, epsilon):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], scale, shift, epsilon)


def product_in_float(x, weight, bias):
    """One rounding: PyTorch's own product may round the sums of parts."""
    return torch.nn.functional.linear(x.float(), weight.float(), bias.float()).to(x.dtype)


def vector_of(elements, dtype, exclusive, first=0):
    """Integers, whose sums are exact in float32 too."""
    torch.manual_seed(elements)
    return torch.randint(-2, 3, (first + elements,), device="cuda").to(dtype)[first:], exclusive


def prefix_sums_by_torch(x, exclusive):
    sums = torch.cumsum(x, 0, dtype=x.dtype)
    return sums - x if exclusive else sums


LAYERS = {4: (torch_ops.linear_w4a16, torch_ops.pack_w4a16), 8: (torch_ops.linear_w8a16, torch_ops.pack_w8a16)}


def layer_of(m, n, k, group, has_zeros, dtype=torch.bfloat16, bits=4):
    """A case of linear_w4a16 or linear_w8a16, beside a product in float64 of the weights that the numbers mean."""
    torch.manual_seed(m + n + k)
    multiply, packed = LAYERS[bits]
    numbers = torch.randint(0, 1 << bits, (n, k), device="cuda", dtype=torch.uint8)
    zeros = torch.randint(0, 1 << bits, (n, k // group), device="cuda", dtype=torch.uint8) if has_zeros else None
    scales = torch.rand(n, k // group, device="cuda").to(dtype)
    x = torch.randn(m, k, device="cuda", dtype=dtype)
    weights = numbers.float().unflatten(1, (-1, group)) - (zeros.float()[:, :, None] if has_zeros else 1 << bits - 1)

    def layer_in_float(x, *_):
        return (x.double() @ (weights * scales.float()[:, :, None]).flatten(1).double().t()).to(dtype)

    return multiply, layer_in_float, (x, packed(numbers, scales, zeros)), 1e-2


def scaled_layer_of(m, n, k, has_columns=False):
    """A case of linear_fp8; with `has_columns` the scales of X of one block of k follow one another."""
    torch.manual_seed(m + n + k)
    x, w = (torch.randn(rows, k, device="cuda").to(torch.float8_e4m3fn) for rows in (m, n))
    x_scales, w_scales = (torch.rand(rows, -(-k // 128), device="cuda") for rows in (m, -(-n // 128)))
    if has_columns:
        x_scales = x_scales.t().contiguous().t()
    return torch_ops.linear_fp8, scaled_layer_in_double, (x, w, x_scales, w_scales), 1e-2


def scaled_layer_in_double(x, w, x_scales, w_scales):
    (n, k) = w.shape
    of_x, of_w = (scales.double().repeat_interleave(128, 1)[:, :k] for scales in (x_scales, w_scales))
    return ((x.double() * of_x) @ (w.double() * of_w.repeat_interleave(128, 0)[:n]).t()).bfloat16()


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
    (torch_ops.linear, product_in_float, factors_of(384, 512, 256), 1e-2),
    (torch_ops.linear, product_in_float, factors_of(37, 136, 72), 1e-2),
    (torch_ops.linear, product_in_float, factors_of(130, 1000, 520, torch.float16), 1e-2),
    (torch_ops.linear, product_in_float, factors_of(2048, 2048, 2056), 1e-2),  # clusters
    (torch_ops.linear, product_in_float, factors_of(256, 256, 16384), 1e-2),  # clusters, and a launch that adds
    (torch_ops.linear, product_in_float, factors_of(256, 4096, 4096), 1e-2),  # clusters that divide the sums
    (torch_ops.linear, product_in_float, factors_of(37, 136, 4096), 1e-2),  # divided sums, and their counters
    (torch_ops.linear, product_in_float, factors_of(1, 4096, 4096), 1e-2),  # tiles of the transpose
    (torch_ops.attention, attention_by_torch, heads_of(4, 4, 300, 300, 64, True), 1e-2),
    (torch_ops.attention, attention_by_torch, heads_of(8, 2, 100, 700, 128, True), 1e-2),
    (torch_ops.attention, attention_by_torch, heads_of(6, 3, 257, 130, 128, False, torch.float16), 1e-2),
    (torch_ops.decode_attention, step_by_torch, steps_of(32, 8, 1, (4000, 0, 1, 777), 128), 1e-2),
    (torch_ops.decode_attention, step_by_torch, steps_of(12, 2, 2, (1500, 300), 64, dtype=torch.float16), 1e-2),
    (torch_ops.decode_attention, step_by_torch, steps_of(32, 8, 1, (4000, 0, 1, 777), 128, page_rows=64), 1e-2),
    (torch_ops.decode_attention, step_by_torch, steps_of(16, 1, 1, (1500, 300), 64, page_rows=16), 1e-2),
    (torch_ops.scan, prefix_sums_by_torch, vector_of(1, torch.float32, False), 0),
    (torch_ops.scan, prefix_sums_by_torch, vector_of(100_003, torch.int32, True), 0),
    (torch_ops.scan, prefix_sums_by_torch, vector_of(3_000_001, torch.float32, True), 0),
    (torch_ops.scan, prefix_sums_by_torch, vector_of(2_000_000, torch.float64, False), 0),
    (torch_ops.scan, prefix_sums_by_torch, vector_of(1_234_567, torch.int64, False, 1), 0),
    layer_of(1, 4096, 4096, 128, False),
    layer_of(13, 1000, 28672, 128, False),
    layer_of(40, 129, 4032, 64, True),
    layer_of(64, 300, 2048, 64, False, torch.float16),
    layer_of(1, 4096, 4096, 128, False, bits=8),  # a slot of two boxes
    layer_of(40, 129, 4032, 64, True, bits=8),
    layer_of(16, 1000, 8192, 128, True, torch.float16, bits=8),
    scaled_layer_of(1, 4096, 4096),
    scaled_layer_of(13, 1000, 28672, True),
    scaled_layer_of(64, 300, 2064),
]
cases = pytest.mark.parametrize("op, by_torch, arguments, tolerance", CASES, ids=lambda value: getattr(value, "_name", getattr(value, "__name__", "")))


@cases
def test_values(op, by_torch, arguments, tolerance):
    torch.testing.assert_close(op(*arguments), by_torch(*arguments), rtol=tolerance, atol=10 * tolerance)


@cases
def test_opcheck(op, by_torch, arguments, tolerance):
    if op is torch_ops.attention:
        op, arguments = torch_ops.attention_with_logarithms, (*arguments, True)
    elif op in (torch_ops.linear_w4a16, torch_ops.linear_w8a16):
        x, (words, *form, _) = arguments
        op, arguments = torch_ops.linear_of_numbers, (x, words, *form)
    elif op is torch_ops.linear_fp8:
        x, w, *scales = arguments
        op, arguments = torch_ops.linear_of_8_bits, (x.view(torch.uint8), w.view(torch.uint8), *scales)
    torch.library.opcheck(op, arguments)


@cases
def test_a_compiled_function_and_a_graph(op, by_torch, arguments, tolerance):
    expected = 2 * op(*arguments)
    torch._dynamo.reset()  # a lambda is compiled eight times at most, for all its cases together
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


@pytest.mark.parametrize("exclusive", [False, True])
def test_the_gradient_of_prefix_sums(exclusive):
    x, weights = (vector_of(elements, torch.float64, exclusive)[0] for elements in (70_001, 70_001))
    gradients = []
    for op in (torch_ops.scan, prefix_sums_by_torch):
        leaf = x.clone().requires_grad_()
        (op(leaf, exclusive) * weights).sum().backward()
        gradients.append(leaf.grad)
    assert torch.equal(*gradients)


def test_prefix_sums_after_one_another_and_of_other_types():
    for elements, dtype in ((500_000, torch.int64), (9_000_000, torch.float32), (500_000, torch.int32), (0, torch.int32)):
        x, _ = vector_of(elements, dtype, False)
        for _ in range(3):
            assert torch.equal(torch_ops.scan(x), torch.cumsum(x, 0, dtype=dtype))
    with pytest.raises(ValueError, match="it has 2 axes of torch.float32"):
        torch_ops.scan(torch.zeros(2, 2, device="cuda"))


def test_the_gradient_of_a_product():
    gradients = []
    for op in (torch_ops.linear, torch.nn.functional.linear):
        leaves = [factor.requires_grad_() for factor in factors_of(100, 136, 72)]
        op(*leaves).square().sum().backward()
        gradients.append([leaf.grad for leaf in leaves])
    for ours, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=2e-2, atol=2)


HEADS = [(4, 4, 300, 300, 64, True), (6, 2, 100, 200, 64, False), (8, 2, 100, 700, 128, True), (3, 3, 257, 130, 128, False)]


@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_is_as_exact_as_cudnn(size, causal):
    """The root of the mean square of the error, against float64. A row's zero that is kept has 1.04, causal 1.01."""
    q, k, v, _ = heads_of(4, 4, 1024, 1024, size, causal)
    expected = torch.nn.functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=causal)
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION):
        theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert (torch_ops.attention(q, k, v, causal) - expected).norm() <= 1.003 * (theirs - expected).norm()


def inputs_of(*shape):
    *inputs, causal = heads_of(*shape)
    return [one.requires_grad_() for one in inputs], causal


def gradients_of(op, inputs, causal):
    o = op(*inputs, causal)
    torch.manual_seed(1)
    return torch.autograd.grad(o, inputs, torch.randn_like(o))


@pytest.mark.parametrize("shape", HEADS)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_the_gradients_of_attention(shape, dtype):
    """Beside PyTorch's in double."""
    inputs, causal = inputs_of(*shape, dtype)
    wide = [one.detach().double().requires_grad_() for one in inputs]
    theirs = gradients_of(lambda *all: attention_by_torch(*all).to(dtype), wide, causal)
    tolerance = 4e-2 if dtype == torch.bfloat16 else 5e-3
    for mine, other in zip(gradients_of(torch_ops.attention, inputs, causal), theirs, strict=True):
        assert (mine - other).norm() <= tolerance / 4 * other.norm()
        torch.testing.assert_close(mine.double(), other, rtol=tolerance, atol=tolerance * other.abs().max().item())


def test_opcheck_of_the_gradients_of_attention():
    (q, k, v), causal = inputs_of(*HEADS[0])
    with torch.no_grad():
        o, logarithms = torch_ops.attention_with_logarithms(q, k, v, causal, True)
        arguments = (torch.ones_like(o), q, k, v, o, logarithms, causal)
        tests = ("test_schema", "test_faketensor", "test_autograd_registration")
        torch.library.opcheck(torch_ops.attention_backward, arguments, test_utils=tests)


def test_gradients_of_attention_compiled_and_in_a_graph():
    inputs, causal = inputs_of(*HEADS[2])

    def step(*inputs):
        return torch.autograd.grad(torch_ops.attention(*inputs, causal).float().square().sum(), inputs)

    expected = step(*inputs)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        step(*inputs)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed = step(*inputs)
    for _ in range(2):
        graph.replay()
    compiled = torch.compile(lambda *inputs: torch_ops.attention(*inputs, causal).float().square().sum(), fullgraph=True)
    for gradients in (replayed, torch.autograd.grad(compiled(*inputs), inputs)):
        for mine, other in zip(gradients, expected, strict=True):
            torch.testing.assert_close(mine, other, rtol=2e-2, atol=2e-2 * other.abs().max().item())


def test_products_at_the_same_time_have_counters_of_their_own():
    """Divided sums, on two streams and in a graph of both."""
    of_streams = [factors_of(37, 136, 4096), factors_of(64, 136, 4096)]
    expected = [torch_ops.linear(*factors) for factors in of_streams]
    side = torch.cuda.Stream()

    def both():
        side.wait_stream(torch.cuda.current_stream())
        products = []
        for _ in range(8):
            products.append(torch_ops.linear(*of_streams[0]))
            with torch.cuda.stream(side):
                products.append(torch_ops.linear(*of_streams[1]))
        torch.cuda.current_stream().wait_stream(side)
        return products

    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        replayed = both()
    for _ in range(3):
        graph.replay()
        for products in (both(), replayed):
            for at, product in enumerate(products):
                assert torch.equal(product, expected[at % 2])


@pytest.mark.parametrize("bits", [4, 8])
def test_opcheck_of_packing(bits):
    numbers = torch.randint(0, 16, (100, 384), device="cuda", dtype=torch.uint8)
    scales, zeros = torch.rand(100, 3, device="cuda").half(), numbers[:, :3].contiguous()
    for of_zeros in (None, zeros):
        torch.library.opcheck(torch_ops.pack_numbers, (numbers, scales, of_zeros, bits), test_utils=("test_schema", "test_faketensor"))


def test_a_layer_right_behind_its_packing():
    """The weights that are written at once after others, in the same memory."""
    torch.manual_seed(1)
    x = torch.randn(8, 8192, device="cuda", dtype=torch.bfloat16)
    scales = torch.rand(4096, 64, device="cuda").bfloat16()
    weights = torch.randint(0, 16, (6, 4096, 8192), device="cuda", dtype=torch.uint8)
    packed = [torch_ops.pack_w4a16(numbers, scales) for numbers in weights]
    expected = [torch_ops.linear_w4a16(x, one) for one in packed]
    torch.cuda.synchronize()
    of_all = packed[0]._replace(words=torch.empty_like(packed[0].words))
    for _ in range(20):
        for one, right in zip(packed, expected, strict=True):
            of_all.words.copy_(one.words)
            assert torch.equal(torch_ops.linear_w4a16(x, of_all), right)


def test_a_scaled_layer_right_behind_its_weights():
    """Weights that are written at once after others, in the same memory."""
    _, _, (x, w, x_scales, w_scales), _ = scaled_layer_of(8, 4096, 8192)
    weights = [w, w.flip(0).contiguous(), w.flip(1).contiguous()]
    expected = [torch_ops.linear_fp8(x, one, x_scales, w_scales) for one in weights]
    torch.cuda.synchronize()
    of_all = torch.empty_like(w)
    for _ in range(20):
        for one, right in zip(weights, expected, strict=True):
            of_all.copy_(one)
            assert torch.equal(torch_ops.linear_fp8(x, of_all, x_scales, w_scales), right)


def test_what_an_operator_does_not_take():
    with pytest.raises(ValueError, match="8192, 16384, 32768"):
        torch_ops.layer_norm(*rows_of(4096))
    with pytest.raises(ValueError, match="multiples of 8"):
        torch_ops.linear(*factors_of(16, 16, 20))
    with pytest.raises(ValueError, match="3 heads of 64 over 2"):
        torch_ops.attention(*heads_of(3, 2, 8, 8, 64, False))
    with pytest.raises(ValueError, match="1 queries of 3 heads of 64 over 2"):
        torch_ops.decode_attention(*steps_of(3, 2, 1, (8,), 64))
    with pytest.raises(ValueError, match="dense and of int32"):
        q, k, v, lengths = steps_of(2, 2, 1, (8,), 64)
        torch_ops.decode_attention(q, k, v, lengths.long())
    numbers, scales = (torch.ones(64, columns, device="cuda") for columns in (256, 2))
    numbers, scales = numbers.to(torch.uint8), scales.bfloat16()
    with pytest.raises(ValueError, match=r"\(64, 2\) scales of 64 x 512 numbers"):
        torch_ops.pack_w4a16(numbers.repeat(1, 2), scales)
    weights = torch_ops.pack_w4a16(numbers, scales)
    x = torch.ones(65, 256, device="cuda", dtype=torch.bfloat16)
    with pytest.raises(ValueError, match="up to 64 rows, .* 65 rows of 256"):
        torch_ops.linear_w4a16(x, weights)
    with pytest.raises(ValueError, match="8 rows of 128 and 64 weights' rows in groups of 128"):
        torch_ops.linear_w4a16(x[:8, :128].contiguous(), weights)
    with pytest.raises(ValueError, match="x is of torch.float16 and the scales"):
        torch_ops.linear_w4a16(x[:8].half(), weights)
    with pytest.raises(ValueError, match="linear_w8a16: the weights have another number of bits; pack them by pack_w8a16"):
        torch_ops.linear_w8a16(x[:8], weights)
    with pytest.raises(ValueError, match="pack_w8a16: zeros are of uint8, one for each scale"):
        torch_ops.pack_w8a16(numbers, scales, numbers)
    with pytest.raises(ValueError, match="pack_w8a16: numbers are of uint8"):
        torch_ops.pack_w8a16(numbers.int(), scales)
    _, _, (x, w, x_scales, w_scales), _ = scaled_layer_of(8, 256, 256)
    with pytest.raises(ValueError, match="x and w are of torch.bfloat16 and torch.float8_e4m3fn"):
        torch_ops.linear_fp8(x.bfloat16(), w, x_scales, w_scales)
    with pytest.raises(ValueError, match="8 rows of 256 and 256 of 128"):
        torch_ops.linear_fp8(x, w.view(512, 128)[:256], x_scales, w_scales)
    with pytest.raises(ValueError, match=r"there are \(8, 2\) and \(1, 2\) of 8 x 256 and 256 x 256"):
        torch_ops.linear_fp8(x, w, x_scales, w_scales[:1])
