#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// What messages say to a user of the library, and what they say to one of CUDA and PTX.
struct PtxWords {
  std::string_view library;
  std::string_view ptx;  ///< `#` in both is one number
};

/// In the order in which they are replaced: what a phrase is part of is before it.
inline constexpr std::array ptx_words{
    // Who says it.
    PtxWords{"dma::host::launch: ", ""},
    PtxWords{"dma::host: ", ""},
    PtxWords{"dma::AsyncReads: ", ""},
    PtxWords{"dma::Cta: ", ""},
    PtxWords{"dma::TensorMemory: ", ""},
    PtxWords{"dma::multiply_add: ", ""},
    // Memory.
    PtxWords{"the kernel's own shared memory", "shared memory"},
    PtxWords{"; name it among the outputs too", "; declare it as out in the launch, or write elsewhere"},
    PtxWords{"; stay inside the array, or name all of it",
             "; stay inside the array, or give it as many elements in the launch"},
    PtxWords{"; name it among the outputs, as dma::proof::output(y), or write elsewhere",
             "; give the launch an array for it, as y: out f32[256], or write elsewhere"},
    PtxWords{"; name it among the inputs, as dma::proof::input(x), or read elsewhere",
             "; give the launch an array for it, as x: f32[256], or read elsewhere"},
    PtxWords{
        "; stay inside the arrays, and to be told which element it is, name them as inputs and outputs in a program "
        "that sees every access (dma_see_every_access)",
        "; stay inside the arrays of the launch"},
    PtxWords{"; stay inside the kernel body's Shared",
             "; stay inside it, or give the launch more dynamic shared memory: <<<grid, block, bytes>>>"},
    PtxWords{"; give one in the kernel body's Shared", "; give one of the CTA's shared memory"},
    PtxWords{"; fill the whole tile, or store a shorter one", "; write all of it first, or copy less"},
    PtxWords{"; write it first, or stop at the tile's size()", "; write it first, or read less"},
    PtxWords{"; close the pipeline first, or use other memory", "; let mbarrier.inval be first, or use other memory"},
    // Barriers.
    PtxWords{"\nlet both sides take the same tiles in the same order, and every thread release its slots and make the "
             "same calls",
             "\nlet each thread that a barrier counts arrive at it as often as the others"},
    PtxWords{"; align the barrier's State to 8 bytes (alignas(8))", "; align it to 8 bytes"},
    PtxWords{"a phase barrier is opened again in place; close() the pipeline that had this storage first",
             "an mbarrier is initialized again in place; let mbarrier.inval be first"},
    PtxWords{"a phase barrier is opened for ", "an mbarrier is initialized for "},
    PtxWords{
        "a phase barrier that is not open; construct the pipeline before the branch of the roles, and close it after "
        "the last tile",
        "an mbarrier that is not initialized; let mbarrier.init be before, with __syncthreads() in between"},
    PtxWords{"a pipeline is closed with ", "mbarrier.inval is executed with "},
    PtxWords{"a phase barrier", "an mbarrier"},
    PtxWords{"; let all warps that fill the slot move each tile to its end",
             "; let all threads that the barrier counts arrive, each as often as the others"},
    PtxWords{"; wait for them, or use every tile", "; wait for them"},
    // Warps.
    PtxWords{"compute.sync(), or cta.sync() outside of roles", "__syncthreads()"},
    PtxWords{"cta.sync(): inside a role call compute.sync() instead, and move others out of branches",
             "__syncthreads(): move it out of branches, or let a part of the threads use a barrier of its own "
             "(bar.sync 1, 64)"},
    PtxWords{"cta.sync_warp()", "__syncwarp()"},
    PtxWords{"call sync_warp()", "call __syncwarp()"},
    PtxWords{"sync_warp()", "bar.warp.sync"},
    PtxWords{"shuffle()", "a shuffle"},
    PtxWords{"elect()", "elect.sync"},
    PtxWords{"cta.sync()", "__syncthreads()"},
    // Products of a warpgroup.
    PtxWords{"AsyncReads::commit()", "wgmma.commit_group"},
    PtxWords{"AsyncReads::wait<#>()", "wgmma.wait_group #"},
    PtxWords{"a pipeline ends, or close() is called,", "mbarrier.inval is executed"},
    PtxWords{"tensor cores may still read a slot", "tensor cores may still read shared memory"},
    PtxWords{"; call commit() after the products", "; let wgmma.commit_group be after the products"},
    PtxWords{", and wait<0>() before", ", and wgmma.wait_group 0 before this"},
    PtxWords{", since no wait covers that commit()", ", since no wait covers that group"},
    PtxWords{"; call wait<#>() before, or release later", "; let wgmma.wait_group # be before this"},
    PtxWords{"; use a multiple of four compute warps", "; use a multiple of four warps"},
    // Tensor memory.
    PtxWords{"; construct one TensorMemory a kernel, of all columns that it needs", "; allocate all columns before"},
    PtxWords{"; stay inside the columns of the TensorMemory, while it is there",
             "; stay inside the columns of an allocation, until it is freed"},
    PtxWords{", as a TensorMemory does at its end", ""},
    PtxWords{"; pass false for adds to the first product", "; let enable-input-d be false for the first product"},
    PtxWords{"; give TensorMemory and arrive_when_multiplied() the same number of CTAs",
             "; let all tcgen05 instructions have the same .cta_group"},
    PtxWords{"; call reads.release_when_read(slot) or barrier.arrive_when_multiplied() behind them",
             "; let tcgen05.commit be behind them"},
    // Clusters and grids.
    PtxWords{"a thread ends after peer() without cta.cluster_sync(),",
             "a thread ends behind an access to another CTA without cluster.sync(),"},
    PtxWords{"a thread calls peer() before cta.cluster_sync(),",
             "a thread accesses another CTA before cluster.sync(),"},
    PtxWords{"cta.cluster_sync()", "cluster.sync()"},
    PtxWords{"peer() was asked for CTA ", "mapa was asked for CTA "},
    PtxWords{"; give a rank below cluster_size()", "; give a rank below %cluster_nctarank"},
    PtxWords{"; give it the address of a member of Shared", "; give it an address of that"},
    PtxWords{"; run the kernel body by dma::host::launch", "; give the launch a cluster"},
    PtxWords{"a body with programmatic_launch", "a programmatic launch"},
    PtxWords{"cta.grid_dependency_wait()", "cudaGridDependencySynchronize()"},
    PtxWords{": let each take its number from a counter when it begins (dma::TileQueue), or launch",
             ": let each take its number from a counter when it begins, or launch"},
    PtxWords{" as many as the GPU holds, with 'static constexpr dma::KernelTraits traits{.cooperative = true};'",
             " as many as the GPU holds, by cudaLaunchCooperativeKernel"},
    PtxWords{" as many as the GPU holds: dma::occupancy<Kernel, Args...>().ctas",
             " as many as the GPU holds: cudaOccupancyMaxActiveClusters"},
    // Limits.
    PtxWords{"dma::proof::Options::limits.seconds ended", "the seconds of a launch (--seconds) ended"},
    PtxWords{"a quarter of dma::proof::Options::limits.seconds", "a quarter of the seconds of a launch (--seconds)"},
    PtxWords{"dma::proof::Options::limits.executions", "the limit of executions (--executions)"},
    PtxWords{"are more than limits.atomics, ", "are more than --atomics, "},
    PtxWords{"by more seeds", "by more --seeds"},
    PtxWords{": limits.atomics = 1", " (--atomics 1)"},
    PtxWords{"more than dma::proof::Options::limits.bytes", "more bytes than a proof has"},
    PtxWords{
        "; prove a smaller problem or allow more bytes, and if the thread loops until another one has written memory, "
        "let it wait at a barrier or for a tile instead",
        "; prove a smaller problem, and if the thread loops until another one has written memory, let it wait at a "
        "barrier instead"},
    PtxWords{"a thread ran too long without a wait of the library",
             "a thread ran too long without a barrier or a wait"},
    PtxWords{"; wait at a barrier or for a tile instead", "; wait at a barrier instead"},
    PtxWords{
        "no run moved a tile, met a barrier or wrote what is watched, so that there was nothing to judge; prove the "
        "kernel for arguments with which it works, and name what it writes in dma::proof::Options::outputs",
        "no run met a barrier, or wrote shared memory or an array of the launch, so that there was nothing to judge; "
        "give arguments with which the kernel works, and declare what it writes as out"},
};

/// Replaces a phrase wherever it is.
inline void replace_words(std::string& text, const PtxWords& words) {
  const std::size_t number = words.library.find('#');
  const std::string_view before = words.library.substr(0, number);
  const std::string_view behind =
      number == std::string_view::npos ? std::string_view() : words.library.substr(number + 1);
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    std::string ptx(words.ptx);
    std::size_t end = at + before.size();
    if (number != std::string_view::npos) {
      const std::size_t first = end;
      end = std::min(text.find_first_not_of("0123456789", first), text.size());
      if (end == first || text.compare(end, behind.size(), behind) != 0) {
        at = first;
        continue;
      }
      ptx.replace(ptx.find('#'), 1, text, first, end - first);
    }
    text.replace(at, end + behind.size() - at, ptx);
    at += ptx.size();
  }
}
/// A message of the emulator or of a proof, for one who wrote the kernel in CUDA or PTX.
[[nodiscard]] inline std::string in_ptx_words(std::string text) {
  for (const PtxWords& words : ptx_words) {
    replace_words(text, words);
  }
  return text;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
