"""The published bugs of docs/trust/bugs.md: each a kernel of ours in two forms, with a launch and a verdict."""

import dataclasses

PROVED = "proved"


@dataclasses.dataclass(frozen=True)
class Row:
    """One thread.

    `launch` names neither form: `k<<<...` is that of k_broken and of k_fixed. `verdict` is the class that dma-prove gives
    the broken form, and the words with which its message begins; `of` is what the message names. Where nothing is wrong
    both forms are proved. `hangs`: on a GPU the broken form may not end. `before` and `behind` are launches of the same
    stream, which are right.
    """

    thread: str
    file: str
    launch: str
    verdict: str = PROVED
    of: str = ""
    hangs: bool = False
    before: tuple = ()
    behind: tuple = ()

    @property
    def kernel(self):
        return self.launch[: self.launch.index("<")]

    def launch_of(self, form):
        return self.launch.replace("<<<", f"_{form}<<<", 1)

    def launches_of(self, form):
        return [*self.before, self.launch_of(form), *self.behind]


FENCE = "error: missing proxy fence"
UNFINISHED = "error: a copy or an asynchronous read that was not waited for"
RACE = "error: race"
DEADLOCK = "error: deadlock"
RECYCLED = "error: recycled barrier"
CONTRACT = "error: broken contract"

GRIDS = "error: race between grids"
FLOATS = "write_floats<<<2, 32>>>(x: out f32[64])"

ROWS = (
    Row("FlashKDA #24", "missing_fences", "flash_kda_24<<<1, 64>>>(x: u16[64] = iota, y: out f32[64])", FENCE, "of state"),
    Row("FlashKDA #25", "missing_fences", "flash_kda_25<<<1, 64>>>(x: f32[64] = random, y: out f32[64], 0)", FENCE, "of state"),
    Row("DeepEP #621", "missing_fences", "deep_ep_621<<<1, 64>>>(x: f32[192] = random, y: out f32[192], 3)", FENCE, "of slot"),
    Row("cuLA #114", "missing_fences", "cula_114<<<1, 64>>>(x: f32[64] = random, y: out f32[64])", FENCE, "of rows"),
    Row("TileLang #2634", "missing_fences", "tilelang_2634<<<1, 128>>>(x: u16[1024] = iota, y: out f32[512])", FENCE, "of operands"),
    Row("TLX #737", "missing_fences", "tlx_737<<<1, 256>>>(x: u16[1024] = iota, y: out f32[512])", FENCE, "of probabilities"),
    Row("triton #1278", "early_releases", "triton_1278<<<1, 160>>>(x: u16[4608] = iota, y: out f32[512], 4)", UNFINISHED, "of ring"),
    Row("TileLang #2613", "early_releases", "tilelang_2613<<<1, 256>>>(x: u16[3072] = iota, y: out f32[1024], 3)", UNFINISHED, "of tile"),
    Row("cudnn-frontend #426", "early_releases", "cudnn_frontend_426<<<1, 64>>>(x: f32[32] = random, y: out f32[32])", RACE, "of weights"),
    Row("cutlass #2502", "early_releases", "cutlass_2502<<<1, 64>>>(x: f32[96] = random, y: out f32[96], 3)", RACE, "of slot"),
    Row("TileLang #2166", "early_releases", "tilelang_2166<<<1, 64>>>(x: f32[64] = random, y: out f32[32])", RACE, "of stored"),
    Row("TileOps #1550", "stores", "tile_ops_1550<<<1, 128>>>(x: f32[384] = random, y: out f32[384], 3)", RACE, "of tile"),
    Row("TileOps #1633", "stores", "tile_ops_1633<<<1, 128>>>(x: f32[128] = random, y: out f32[128])", RACE, "of tile"),
    Row("mKernel #18", "stores", "mkernel_18<<<1, 64>>>(x: f32[288] = random, y: out f32[96], 3, 3)", UNFINISHED, "of slots"),
    Row("flash-attention #1344", "stores", "flash_attention_1344<<<1, 128>>>(x: f32[128] = random, y: out f32[128], 100)", RACE, "of output"),
    Row("TileOps #1903", "barriers", "tile_ops_1903<<<1, 64>>>(x: f32[128] = random, y: out f32[128], 4)", RECYCLED, hangs=True),
    Row("TileLang #2566", "barriers", "tilelang_2566<<<1, 64>>>(x: f32[32] = random, y: out f32[32])", DEADLOCK, hangs=True),
    Row("TileLang #2567", "barriers", "tilelang_2567<<<1, 64>>>(x: f32[96] = random, y: out f32[96], 3)", DEADLOCK, hangs=True),
    Row("vLLM #26026", "barriers", "vllm_26026<<<1, 64>>>(x: f32[96] = random, y: out f32[96], 3)", "error: a phase that no thread waits for", hangs=True),
    Row("GiMMiK #23", "barriers", "gimmik_23<<<1, 96>>>(x: f32[6] = random, y: out f32[6], 6)", DEADLOCK, hangs=True),
    Row("GiMMiK #25", "barriers", "gimmik_25<<<1, 64>>>(x: f32[4] = random, y: out f32[4], 4)", DEADLOCK, hangs=True),
    Row("cuda-oxide #1066", "barriers", "cuda_oxide_1066<<<1, 96>>>(x: f32[192] = random, y: out f32[192], 3)", RACE, "of tile"),
    Row("flashinfer #4533", "barriers", "flashinfer_4533<<<1, 128>>>(x: f32[96] = random, y: out f32[96])", RECYCLED),
    Row("triton #2868", "barriers", "triton_2868<<<1, 160>>>(x: u16[3200] = iota, y: out f32[512], 3)", DEADLOCK, hangs=True),
    Row("humming #53", "clusters", "humming_53<<<2, 64, cluster 2>>>(x: f32[96] = random, y: out f32[192], 3)", RACE, "of slot of CTA 1"),
    Row("DeepGEMM #415", "clusters", "deep_gemm_415<<<2, 64, cluster 2>>>(x: f32[128] = random, y: out f32[64], 2, 3)", DEADLOCK, hangs=True),
    Row("DeepGEMM #429", "clusters", "deep_gemm_429<<<2, 64, cluster 2>>>(x: f32[96] = random, y: out f32[192], 2)", DEADLOCK, hangs=True),
    Row("cutlass #3324", "clusters", "cutlass_3324<<<2, 32, cluster 2>>>(x: f32[32] = random, y: out f32[32])", "rule: an order at CTA scope between CTAs"),
    Row("quack #63", "clusters", "quack_63<<<2, 64, cluster 2>>>(x: f32[64] = random, rows: s32[32] = iota, y: out f32[32])", "rule: an order at CTA scope between CTAs"),
    Row("hopper-gemm #3", "clusters", "hopper_gemm_3<<<2, 64, cluster 2>>>(x: f32[96] = random, y: out f32[192], 3)", "error: a CTA that may have ended"),
    Row("TLX #2292", "clusters", "tlx_2292<<<2, 32, cluster 2>>>(x: f32[64] = random, y: out f32[64])", CONTRACT, "may not have started"),
    Row("sglang #38829", "clusters", "sglang_38829<<<2, 32, cluster 2>>>(x: f32[64] = random, y: out f32[32])", CONTRACT, "may end before"),
    Row("cutlass #2760", "pairs", "cutlass_2760<<<2, 32, programmatic>>>(x, y: out f32[64])", GRIDS, "of x", before=(FLOATS,)),
    Row("cutlass #2962", "pairs", "cutlass_2962<<<2, 32, programmatic>>>(rows, x: f32[64] = random, y: out f32[64])", GRIDS, "of rows", before=("write_bounds<<<1, 32>>>(rows: out s32[32], 1)",)),
    Row("flashinfer #2708", "pairs", "flashinfer_2708<<<1, 64, programmatic>>>(x, y: out f32[64])", GRIDS, "of x", before=(FLOATS,)),
    Row("flashinfer #2716", "pairs", "flashinfer_2716<<<2, 32, programmatic>>>(x)", GRIDS, "of x", before=("read_floats<<<2, 32>>>(x: out f32[64] = random, y: out f32[64])",)),
    Row("quack #206", "pairs", "quack_206<<<2, 64, programmatic>>>(w: f32[64] = random, x, y: out f32[64])", GRIDS, "of x", before=(FLOATS,)),
    Row("tokenspeed #327", "pairs", "tokenspeed_327<<<1, 32, programmatic>>>(scale: f32[1] = random, factor: out f32[1])", GRIDS, "does not wait for", before=(FLOATS,),
        behind=("scale_by<<<2, 32, programmatic>>>(factor, x, y: out f32[64])",)),
    Row("tokenspeed #536", "pairs", "tokenspeed_536<<<1, 32, programmatic>>>(places, y: out f32[64])", GRIDS, "of places", before=("write_bounds<<<1, 32>>>(places: out s32[32], 1)",)),
    Row("cccl #5456", "pairs", "cccl_5456<<<2, 32, programmatic>>>(bounds, x: f32[62] = random, y: out f32[62])", GRIDS, "of bounds", before=("write_bounds<<<1, 32>>>(bounds: out s32[32], 31)",)),
    Row("flash-attention #2462", "nothing_wrong", "flash_attention_2462<<<1, 64>>>(x: f32[96] = random, y: out f32[96], 3)"),
    Row("flash-attention #2718", "nothing_wrong", "flash_attention_2718<<<1, 64>>>(x: f32[64] = random, y: out f32[64])"),
    Row("torch-mojo-backend #397", "nothing_wrong", "torch_mojo_397<<<1, 128>>>(x: u16[3200] = iota, y: out f32[512], 3)"),
)  # fmt: skip
FILES = tuple(dict.fromkeys(row.file for row in ROWS))
