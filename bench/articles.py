"""What the two articles on bandwidth print: "Achievable Kernel Bandwidth", of a GTX 1050 Ti with 112 GB/s, and NVIDIA's
"Boosting Application Performance with GPU Memory Access Tuning", of an A100."""

BANDWIDTH = 112  # GB/s, the theoretical one of the 1050 Ti
BYTES = 2 * 4 * 4096**2  # that its kernels move: the matrix of floats, read and written

# kernel -> seconds, the mean of three trials, in blocks of 32 x 32 threads; of the diagonal ones it says that they are
# slower than unrolledCol and naiveCol
SECONDS = {
    "copyRow": 0.001610, "copyCol": 0.004202, "naiveRow": 0.004008, "naiveCol": 0.002123, "unrolledRow": 0.001545,
    "unrolledCol": 0.001543,
}  # fmt: skip
# naiveCol, by the block of threads
BLOCK_SECONDS = {
    "32x32": 0.002138, "32x16": 0.001692, "32x8": 0.001926, "64x16": 0.002125, "64x8": 0.001946, "128x8": 0.002229,
}  # fmt: skip
# kernel -> GB/s of loads and of stores at the first-level cache
L1_THROUGHPUT = {
    "copyRow": (81.263, 40.631), "copyCol": (120.93, 120.93), "naiveRow": (31.717, 126.87), "naiveCol": (243.64, 30.454),
}  # fmt: skip

# form of the kernel, by its name in the sweep `financial` -> registers, memory latencies of an inner loop, speedup
TUNING = {
    "scalar": (40, 8, 1.0),
    "wide_small": (36, 6, None),  # in figure 1, without a number
    "wide": (44, 3, 1.64),  # figure 1's caption has 1.63
    "bounds": (63, None, 1.77),
    "wide_small_bounds": (56, None, None),
    "wide_bounds": (64, None, 1.76),
    "bounds_2x512": (None, None, 1.79),
}


def rate(seconds):
    """Effective bandwidth in GB/s, by the first article's formula (1)."""
    return BYTES * 1e-9 / seconds
