#!/usr/bin/env python3
"""cudadma_names_test.py ROOT: docs/guide/reference/cudadma.md has a row for each public name of CudaDMA, and the headers
declare those of versions 1 and 2.0 that its kernels compile with.

The lists are of the paper's figures 3 to 7, of cudaDMA.h and of cudaDMAv2.h: classes, template arguments, constructor
arguments, methods, qualifiers and macros.
"""

import pathlib
import re
import sys

VERSION1 = (
    "cudaDMA cudaDMASequential cudaDMAStrided cudaDMAIndirect cudaDMAHalo cudaDMACustom start_async_dma "
    "wait_for_dma_finish wait_for_dma_start finish_async_dma owns_this_thread execute_dma execute_dma_no_sync"
).split()
VERSION2 = (
    "CudaDMA CudaDMASequential CudaDMAStrided CudaDMAIndirect start_async_dma wait_for_dma_finish wait_for_dma_start "
    "finish_async_dma owns_this_thread execute_dma execute_dma_no_sync start_xfer_async wait_xfer_finish diagnose "
    "CudaDMALoadQualifier CudaDMAStoreQualifier LOAD_CACHE_ALL LOAD_CACHE_GLOBAL LOAD_CACHE_STREAMING "
    "LOAD_CACHE_LAST_USE LOAD_CACHE_VOLATILE STORE_WRITE_BACK STORE_CACHE_GLOBAL STORE_CACHE_STREAMING "
    "STORE_CACHE_WRITE_THROUGH ptx_cudaDMA_barrier_blocking ptx_cudaDMA_barrier_nonblocking"
).split()
ARGUMENTS = (
    "dmaID num_dma_threads DMA_THREADS num_compute_threads dma_threadIdx_start DO_SYNC MAX_BYTES_PER_THREAD ALIGNMENT "
    "BYTES_PER_THREAD XFER_SIZE BYTES_PER_ELMT NUM_ELMTS src_stride dst_stride alternate_stride offset_ptr GATHER "
    "RADIUS CORNERS dimx dimy pitch GLOBAL_LOAD cudaDMAStridedTwoPhase begin_xfer_async wait_xfer_commit"
).split()

# What no kernel says, and is public there all the same: the base's transfers, helpers of the implementation, macros.
OTHERS = (
    "do_xfer do_xfer_across do_xfer_alignment_04 do_xfer_alignment_08 do_xfer_alignment_16 perform_xfer_across "
    "perform_one_xfer perform_two_xfers perform_three_xfers perform_four_xfers cudaDMAStridedBase cudaDMAIndirectBase "
    "CudaDMAMeta DMABuffer BufferLoader BufferStorer ConditionalBufferLoader ConditionalBufferStorer NestedBufferLoader "
    "NestedBufferStorer NestedConditionalLoader NestedConditionalStorer ConditionalLoader ConditionalStorer "
    "CudaDMAStaticAssert STATIC_ASSERT ptx_cudaDMA_load ptx_cudaDMA_store __ldg_intr WARP_SIZE WARP_MASK CUDADMA_BASE "
    "CUDADMA_DMA_TID CUDADMA_WARP_TID ENABLE_RESTRICT RESTRICT DEBUG_CUDADMA CUDADMA_DEBUG_ON DEBUG_PRINT PRINT_VAR "
    "MAX_LDS_OUTSTANDING_PER_THREAD MAX_BYTES_OUTSTANDING_PER_THREAD"
).split()


def declares(headers, name):
    """Whether the name is a class, an alias, an enumerator or a function there."""
    return re.search(rf"(class|enum|using) {name}\b|\b(void|bool) {name}\(|^\s+{name},$", headers, re.MULTILINE)


def main(root):
    page = (root / "docs/guide/reference/cudadma.md").read_text(encoding="utf-8")
    rows = "\n".join(line for line in page.splitlines() if line.startswith("|"))
    room = root / "include/dma/cudadma"
    shared = "".join((room / name).read_text(encoding="utf-8") for name in ("base.hpp", "transfer.hpp", "version2.hpp"))
    headers = {"version1.hpp": shared + (room / "version1.hpp").read_text(encoding="utf-8"), "version2.hpp": shared}
    every = {*VERSION1, *VERSION2, *ARGUMENTS, *OTHERS}
    wrong = [f"docs/guide/reference/cudadma.md has no row for {name}" for name in every
             if not re.search(rf"`[^`]*\b{name}\b[^`]*`", rows)]  # fmt: skip
    for header, names in (("version1.hpp", VERSION1), ("version2.hpp", VERSION2)):
        wrong += [f"dma/cudadma/{header} does not declare {name}" for name in names if not declares(headers[header], name)]
    print("\n".join(sorted(wrong)) or f"{len(every)} names have their row")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
