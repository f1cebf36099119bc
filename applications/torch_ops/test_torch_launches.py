"""What the operators of torch_ops.py launch: kernels that compile, with arguments of their sizes. Needs no GPU."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("dma")
pytest.importorskip("cuda.core")

import types  # noqa: E402 - after its needs are known to be there

import torch_ops  # noqa: E402
from dma._arguments import Arguments  # noqa: E402

SMS = 132
ELEMENT = torch.bfloat16


@pytest.fixture
def launches(monkeypatch):
    """Records (name, grid, maps made before it) of launches on an H100, and makes none. A map is (shape, box)."""
    made, boxes, made_by = [], [], torch_ops.dma.kernel

    class Recorded:
        def __init__(self, source, name, **options):
            self.name = name
            self.kernel = made_by(source, name, **options)

        def __call__(self, grid, *args, stream=None):
            description = self.kernel.description("sm_90a")
            assert grid >= 1 and grid % description.cluster == 0
            Arguments(self.name, description.parameters, lambda value: None, lambda *_: None).fill(args)
            made.append((self.name, grid, boxes[:]))
            boxes.clear()

    def map_of(array, box, **options):
        boxes.append((tuple(array.shape), tuple(box)))
        assert len(array.shape) == len(box) and all(1 <= extent <= 256 for extent in box)
        return bytes(128)

    monkeypatch.setattr(torch_ops.dma, "kernel", Recorded)
    for cached in (torch_ops.kernel_of, torch_ops.product_of, torch_ops.scan_of, torch_ops.layer_of, torch_ops.scaled_layer_of):
        cached.cache_clear()
    monkeypatch.setattr(torch_ops.dma, "tensor_map", map_of)
    for counters in ("counters_of", "sums_of_tiles"):
        monkeypatch.setattr(torch_ops, counters, lambda _: types.SimpleNamespace(of_launch=lambda count, _: torch.zeros(count)))
    properties = types.SimpleNamespace(multi_processor_count=SMS)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _: properties)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: 0)
    yield made
    for cached in (torch_ops.kernel_of, torch_ops.product_of, torch_ops.scan_of, torch_ops.layer_of, torch_ops.scaled_layer_of):
        cached.cache_clear()


def on_lines(*shape):
    """Zeros that begin on a line of the L2, as those of a GPU do."""
    memory = torch.zeros(torch.Size(shape).numel() + 64, dtype=ELEMENT)
    first = -memory.data_ptr() % 128 // 2
    return memory[first : first + torch.Size(shape).numel()].view(shape)


@pytest.mark.parametrize(
    "m, n, k, kernels",
    [
        (4096, 4096, 4096, ["Gemm"]),
        (2048, 2048, 2056, ["ClusterGemm"]),
        (256, 256, 16384, ["ClusterGemm", "AddParts"]),
        (256, 4096, 4096, ["SplitGemm"]),
        (37, 136, 4096, ["Gemm"]),
        (1, 4096, 4096, ["Gemm"]),
    ],
)
def test_a_product_has_the_plan_of_cpp(launches, m, n, k, kernels):
    torch_ops.linear(on_lines(m, k), on_lines(n, k), on_lines(n))
    assert [name.partition("<")[0].removeprefix("gemm::") for name, *_ in launches] == kernels
    _, grid, boxes = launches[0]
    assert grid <= SMS
    # Of a stage the parts are the tiles of A and of B, whichever CTA loads them.
    *operands, (of_c, _) = boxes
    assert {shape for shape, _ in operands} == {(m, k), (n, k)} and of_c == (m, n)


@pytest.mark.parametrize("size", [64, 128])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_and_its_gradients(launches, size, causal):
    q, k, v = on_lines(2, 6, 300, size), on_lines(2, 3, 700, size), on_lines(2, 3, 700, size)
    for one in (q, k, v):
        one.requires_grad_()
    o = torch_ops.attention(q, k, v, causal)
    assert o.shape == q.shape
    (_, grid, boxes) = launches.pop()
    rows = boxes[0][1][3]
    assert grid == min(SMS, 12 * -(-300 // rows))
    assert [extents[2] * extents[4] for _, extents in boxes] == [size, size, size, 64]
    o.sum().backward()
    assert [one.grad.shape for one in (q, k, v)] == [q.shape, k.shape, v.shape]
    before, (name, grid, _), behind = launches
    boxes = before[2]  # all maps are made before the first launch
    # 5 steps of 64 queries of each head; a CTA has 1024 elements, or a sixteenth of them in words of 16
    assert (before[1], behind[1]) == (12 * 5 * 64 * size // 1024, 12 * 5 * 64 * size // 16 // 256)
    assert "AttentionBackward" in name and grid == 6 * -(-700 // 128)
    assert [extents[3] for _, extents in boxes] == [64, 64, 128, 128, 128, 128]
    # A warpgroup multiplies by half of the columns of K, which are a swizzle wide.
    assert [extents[4] for _, extents in boxes] == [64, 64, size // 2, size // 2, 64, 64]
    assert [extents[2] * extents[4] for _, extents in boxes] == [size, size, size, size, 64, 64]


def test_gradients_need_what_the_forward_pass_keeps(launches):
    q = on_lines(1, 1, 8, 64).requires_grad_()
    o, logarithms = torch_ops.attention_with_logarithms(q, q, q, False, False)
    assert logarithms.numel() == 0 and not logarithms.requires_grad
    with pytest.raises(ValueError, match="need the logarithms"):
        o.sum().backward()


@pytest.mark.parametrize("page_rows", [0, 16, 64])
def test_a_step_of_decoding(launches, page_rows):
    q = on_lines(3, 8, 1, 128)
    k, v = (on_lines(20, page_rows, 2, 128) if page_rows else on_lines(3, 2, 320, 128) for _ in range(2))
    table = torch.zeros(3, 320 // page_rows, dtype=torch.int32) if page_rows else None
    o = torch_ops.decode_attention(q, k, v, torch.tensor([320, 0, 7], dtype=torch.int32), table)
    assert o.shape == q.shape
    (plan, ctas_of_plan, boxes), (name, ctas, _) = launches
    assert (plan, ctas_of_plan, ctas) == ("decode::MakePlan", 1, 132)
    unit = page_rows or 64
    assert name == f"decode::Decode<__nv_bfloat16, decode::form_of(128, 8, {unit})>"
    assert [box for _, box in boxes] == [(1, 1, unit, 64)] * 2


@pytest.mark.parametrize(
    "elements, dtype, first, kernel, ctas",
    [
        (1, torch.float32, 0, "TilePerCta", 1),
        (1_000_000, torch.int32, 0, "TilePerCta", 245),
        (1_000_000, torch.int32, 1, "TilePerCta", 245),
        (2_000_000, torch.int32, 1, "TileStream", 2 * SMS),
        (10_000_000, torch.float64, 0, "TileStream", 2 * SMS),
    ],
)
def test_prefix_sums(launches, elements, dtype, first, kernel, ctas):
    x = torch.zeros(elements + first + 16, dtype=dtype)
    first += -x.data_ptr() % 16 // x.element_size()
    y = torch_ops.scan(x[first : first + elements])
    assert y.shape == (elements,)
    ((name, grid, _),) = launches
    assert name.startswith(f"scan::{kernel}<") and grid == ctas


@pytest.mark.parametrize(
    "bits, m, n, k, group, has_zeros, columns, row_groups, unit",
    [
        (4, 1, 4096, 4096, 128, False, 8, 1, 512),
        (4, 13, 100, 28672, 64, True, 16, 2, 256),
        (4, 64, 100, 384, 128, True, 64, 2, 256),
        (8, 8, 14336, 4096, 128, False, 8, 2, 256),
        (8, 1, 4096, 4096, 128, True, 8, 1, 512),
    ],
)
def test_a_layer_of_numbers(launches, bits, m, n, k, group, has_zeros, columns, row_groups, unit):
    numbers = torch.zeros(n, k, dtype=torch.uint8)
    zeros = torch.zeros(n, k // group, dtype=torch.uint8) if has_zeros else None
    by_bits = {4: (torch_ops.linear_w4a16, torch_ops.pack_w4a16), 8: (torch_ops.linear_w8a16, torch_ops.pack_w8a16)}
    multiply, packed = by_bits[bits]
    y = multiply(on_lines(m, k), packed(numbers, on_lines(n, k // group), zeros))
    assert y.shape == (m, n)
    (pack, blocks, _), (name, ctas, boxes) = launches
    has = "true" if has_zeros else "false"
    assert (pack, blocks) == (f"linear::Pack<__nv_bfloat16, {group}, {has}, {bits}>", -(-n // 64) * -(-k // 128))
    shape = f"{columns}, {group}, {has}, {row_groups}, "
    assert name.startswith(f"linear::Linear<__nv_bfloat16, linear::Form{{{shape}") and name.endswith(f", true, {bits}}}>")
    assert 1 <= ctas <= SMS
    lines = 8 * bits + 128 // group * (2 if has_zeros else 1)  # of 64 elements: of 64 rows and 128 k, and their scales and zeros
    maps = -(-unit // 128 * lines // 256)  # a box has at most 256 lines; the maps of a tile are one
    of_w = ((-(-n // 64), -(-k // 128) * lines, 64), (row_groups, unit // 128 * lines // maps, 64))
    assert boxes == [of_w, ((k // 64, m, 64), (unit // 64, columns, 64))]


@pytest.mark.parametrize("m, n, k, columns, row_groups", [(1, 4096, 4096, 8, 1), (13, 1000, 28672, 16, 2), (64, 300, 400, 64, 2)])
def test_a_layer_of_8_bit_numbers(launches, m, n, k, columns, row_groups):
    x, w = (torch.zeros(rows, k, dtype=torch.float8_e4m3fn) for rows in (m, n))
    scales = [torch.zeros(rows, -(-k // 128)) for rows in (m, -(-n // 128))]
    y = torch_ops.linear_fp8(x, w, *scales)
    assert y.shape == (m, n) and y.dtype == torch.bfloat16
    ((name, ctas, boxes),) = launches
    assert name.startswith(f"linear::fp8::ScaledLinear<linear::fp8::Form{{{columns}, {row_groups}, ") and name.endswith(", true}>")
    assert 1 <= ctas <= SMS
    assert boxes == [((n, k), (64 * row_groups, 128)), ((m, k), (columns, 128))]
