#pragma once

#include "host/proof/wrong_ctas.hpp"
#include "host/proof/wrong_kernels.hpp"

#include <dma/cudadma/copy_tile.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

/// Accesses outside of arrays and of shared memory. The arrays are `in`, which is input 0, `out`, which is output 0,
/// and `words`, output 1.
namespace wrong {

inline constexpr int shared_bytes = int{sizeof(Kernel<Layout>::Shared)};

/// Memory that no launch names, far from that of all others.
inline int far_away[16384];
inline int* const unnamed = &far_away[8192];

/// Those of the library and of its copies.
inline const std::vector<Program> announced_bounds = {
    {"a bulk copy stores past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(t.out + (array_count - 32));
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     },
     "a thread writes elements 2016 to 2079 of output 0, which has 2048 elements; stay inside the array"},
    {"threads store past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       StoreByThreads pipe(t.cta, t.at<StoreByThreads::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(t.out + (array_count - 32));
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     },
     "writes elements 2048 to 2051 of output 0, which has 2048 elements"},
    {"a bulk copy adds past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       using Sums =
           dma::DmaPipeline<dma::StoreAdd<Tile>, dma::MultiBuffer<Layout, 2, dma::DmaGroups{.first = 1}>, Phase, Bulk>;
       Sums pipe(t.cta, t.at<Sums::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(t.out + array_count);
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     },
     "writes elements 2048 to 2111 of output 0"},
    {"a bulk copy loads from before the array",
     {Kind::out_of_bounds},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in - 16);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "a thread reads elements -16 to 47 of input 0, which has 2048 elements"},
    {"cp.async loads past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       LoadAsync pipe(t.cta, t.at<LoadAsync::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in + (array_count - 32));
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "reads elements 2048 to 2051 of input 0"},
    {"threads load past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in + (array_count - 32));
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "reads elements 2048 to 2051 of input 0"},
    {"a gather has an index that is no row of its table",
     {Kind::out_of_bounds},
     [](Thread& t) {
       using Rows = dma::Indirect<int, 16, 4>;
       using Pipe = dma::DmaPipeline<Rows, dma::MultiBuffer<Layout, 2>, Phase, Async>;
       Pipe pipe(t.cta, t.at<Pipe::Storage>(0));
       auto& rows = t.at<int[4]>(own);
       if (t.rank() < 4) {
         rows[t.rank()] = t.rank() == 2 ? 130 : t.rank();
       }
       t.cta.sync();
       const Rows tile{.indices = rows, .table_rows = 1000};
       if (pipe.is_dma()) {
         pipe.as_dma().load(t.in, tile);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait(tile));
       }
     },
     "reads elements 2080 to 2083 of input 0"},
    {"a box is of an array that is larger than the one that was named",
     {Kind::out_of_bounds},
     [](Thread& t) {
       BoxStore pipe(t.cta, t.at<BoxStore::Storage>(0));
       const Box box{.pitch_bytes = 64, .array_rows = 160, .array_cols = 16, .row = 126};
       if (pipe.is_dma()) {
         const auto map = std::make_unique<const dma::TensorMap<Box>>(dma::host::tensor_map<Box>(t.out, box));
         pipe.as_dma().store(*map, box);
       } else if (pipe.is_compute()) {
         auto slot = pipe.as_compute().wait(box);
         if (t.rank() < 16) {
           slot[t.rank()] = t.rank();
         }
       }
     },
     "writes elements 2048 to 2051 of output 0"},
    {"a tile is stored into an input",
     {Kind::out_of_bounds},
     [](Thread& t) {
       Store pipe(t.cta, t.at<Store::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().store(const_cast<int*>(t.in) + 64);
       } else if (pipe.is_compute()) {
         pipe.as_compute().wait()[t.rank()] = 1;
       }
     },
     "writes elements 64 to 127 of input 0, which is an input; name it among the outputs too"},
    {"a tile is loaded from memory that no launch names",
     {Kind::out_of_bounds},
     [](Thread& t) {
       LoadByThreads pipe(t.cta, t.at<LoadByThreads::Storage>(0));
       if (pipe.is_dma()) {
         pipe.as_dma().load(unnamed);
       } else if (pipe.is_compute()) {
         static_cast<void>(pipe.as_compute().wait());
       }
     },
     "reads 16 bytes of global memory that is in no array of this launch; name it among the inputs"},
    {"a tile goes past the end of shared memory",
     {Kind::broken_contract},
     [](Thread& t) {
       const dma::cudadma::CopyWarps<4> warps(t.cta);
       dma::cudadma::copy_tile(warps, t.in, reinterpret_cast<int*>(t.shared + shared_bytes - 64), Tile{});
     },
     "the tile is not inside the CTA's shared memory; pass the address of an array there that has room for it "
     "[address byte 16320 of shared memory (0 modulo 16), bytes 256"},
    {"a reference is to bytes past the end of shared memory",
     {Kind::out_of_bounds},
     [](Thread& t) { dma::machine::touched(t.shared + (shared_bytes - 4), 8, dma::machine::Access::write); },
     "a thread writes bytes 16380 to 16387 of its CTA's shared memory, which has 16384 bytes"},
};

/// Those that only a proof that sees every access can tell.
inline const std::vector<Program> seen_bounds = {
    {"threads write past the end",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[here(array_count - 100 + t.rank())] = 1; },
     "a thread writes element 2048 of output 0, which has 2048 elements; stay inside the array, or name all of it "
     "[block (0, 0, 0), thread 100, wrong_bounds.hpp:"},
    {"a thread of the second CTA writes past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       if (t.rank() < 16) {
         t.words[here(t.cta.block().x * 10 + t.rank())] = 1;
       }
     },
     "writes element 16 of output 1, which has 16 elements; stay inside the array, or name all of it "
     "[block (1, 0, 0), thread 6",
     2},
    {"threads read past the end",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[t.rank()] = t.in[here(array_count - 1 + t.rank())]; },
     "reads element 2048 of input 0"},
    {"threads read before the array",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[t.rank()] = t.in[here(t.rank() - 1)]; },
     "reads element -1 of input 0"},
    {"a gather has an index that is no element",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[t.rank()] = t.in[here(t.rank() * 17)]; },
     "reads element 2057 of input 0"},
    {"an index is so wrong that no array is near",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[t.rank()] = t.in[here(1LL << 40)]; },
     "reads 4 bytes of global memory that is in no array of this launch"},
    {"a thread writes to an input",
     {Kind::out_of_bounds},
     [](Thread& t) { const_cast<int*>(t.in)[here(t.rank())] = 1; },
     "writes element 0 of input 0, which is an input; name it among the outputs too"},
    {"memory is set past the end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       if (t.rank() == 0) {
         std::memset(t.out + here(array_count - 4), 0, 32);
       }
     },
     "writes elements 2044 to 2051 of output 0"},
    {"a counter that no launch names is incremented atomically",
     {Kind::out_of_bounds},
     [](Thread&) { __atomic_fetch_add(&unnamed[here(0)], 1, __ATOMIC_RELAXED); },
     "writes 4 bytes of global memory that is in no array of this launch; name it among the outputs"},
    {"shared memory is read past its end",
     {Kind::out_of_bounds},
     [](Thread& t) { t.out[t.rank()] = t.at<int>(here(shared_bytes)); },
     "reads bytes 16384 to 16387 of its CTA's shared memory, which has 16384 bytes; stay inside the kernel body's"},
    {"a read of shared memory ends past its end",
     {Kind::out_of_bounds},
     [](Thread& t) {
       long long value = 0;
       std::memcpy(&value, t.shared + here(shared_bytes - 4), sizeof value);
       t.out[t.rank()] = static_cast<int>(value);
     },
     "reads bytes 16380 to 16387 of its CTA's shared memory"},
    {"shared memory is written before its begin",
     {Kind::out_of_bounds},
     [](Thread& t) { t.at<int>(here(-4 * t.rank())) = 1; },
     "writes bytes -4 to -1 of its CTA's shared memory, which has 16384 bytes; stay inside the kernel body's Shared "
     "[block (0, 0, 0), thread 1,"},
    {"an index is read before it is loaded, which is the cause",
     {Kind::race, Kind::unfinished_copy, Kind::unwritten_bytes},
     [](Thread& t) {
       Load pipe(t.cta, t.at<Load::Storage>(0));
       if (computes_after_loading(t, pipe, 1)) {
         const int index = t.at<int>(here(0));
         t.out[t.rank()] = t.in[index == t.in[0] ? 0 : array_count];
         static_cast<void>(pipe.as_compute().wait());
       }
     }},
    {"an index is read that another thread writes, which is the cause",
     {Kind::race},
     [](Thread& t) {
       auto& index = t.at<int>(here(own));
       if (t.rank() == 40) {
         index = array_count;
       }
       t.cta.sync();
       if (t.rank() == 0) {
         index = array_count;
       } else if (t.rank() == 40) {
         t.out[40] = t.in[here(index)];
       }
     }},
    {"an index is read that no thread has written, which is the cause",
     {Kind::unwritten_bytes},
     [](Thread& t) { t.out[t.rank()] = t.in[t.at<unsigned>(here(own)) % 4096 + array_count]; }},
};

}  // namespace wrong
