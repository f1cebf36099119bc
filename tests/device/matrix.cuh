#pragma once

#include <dma/dma.hpp>

#include "device/device.hpp"
#include "kernels/matrix.hpp"

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

inline void check(cudaError_t error) {
  if (error != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(error));
  }
}

/// The buffers of one streamed pattern, on the GPU, with an output for each CTA.
template <class Pattern>
class DeviceBuffers {
 public:
  static constexpr int ctas = 5;

  DeviceBuffers(int trips, int short_every) : host_(trips, short_every), count_(host_.in.size()) {
    check(cudaMalloc(&in_, count_ * sizeof(float)));
    check(cudaMalloc(&out_, ctas * count_ * sizeof(float)));
    check(cudaMemcpy(in_, host_.in.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
    for (int cta = 0; cta < ctas; ++cta) {
      check(cudaMemcpy(out_ + cta * count_, host_.out.data(), count_ * sizeof(float), cudaMemcpyHostToDevice));
    }
  }
  DeviceBuffers(const DeviceBuffers&) = delete;
  DeviceBuffers& operator=(const DeviceBuffers&) = delete;
  ~DeviceBuffers() {
    cudaFree(in_);
    cudaFree(out_);
  }

  [[nodiscard]] streams::Job job(int trips, unsigned seed) const {
    return {in_, out_, trips, host_.short_every, seed, static_cast<int>(count_)};
  }

  /// Counts what is wrong in the outputs of all CTAs.
  [[nodiscard]] long long wrong() {
    long long wrong = 0;
    for (int cta = 0; cta < ctas; ++cta) {
      check(cudaMemcpy(host_.out.data(), out_ + cta * count_, count_ * sizeof(float), cudaMemcpyDeviceToHost));
      wrong += host_.wrong();
    }
    return wrong;
  }

 private:
  streams::Buffers<Pattern> host_;
  std::size_t count_;
  float* in_ = nullptr;
  float* out_ = nullptr;
};

inline void add(MatrixResult& result, long long tiles, long long wrong, const std::string& kernel) {
  result.tiles += tiles;
  result.wrong += wrong;
  if (wrong != 0 && result.first_failure.empty()) {
    result.first_failure = kernel + ": " + std::to_string(wrong) + " wrong elements";
  }
}

/// Every kernel of a list on one barrier, by one engine, with 0 to 13 tiles a loop.
template <class Barrier, class Engine, class Bufferings = streams::Bufferings>
MatrixResult run_matrix(int short_every, unsigned seed) {
  MatrixResult result;
  streams::for_each_kernel<Barrier, Engine>(
      [&]<class Pipe, streams::Style style>() {
        ++result.kernels;
        for (int trips = 0; trips <= 13; ++trips) {
          using Buffers = DeviceBuffers<typename Pipe::Pattern>;
          Buffers data(trips, short_every);
          dma::launch(streams::OnePipeline<Pipe, style>{}, {Buffers::ctas}, nullptr, data.job(trips, seed));
          check(cudaDeviceSynchronize());
          add(result, 1LL * Buffers::ctas * streams::passes * trips, data.wrong(),
              std::string(dma::machine::type_name<Pipe>()) + ", " + streams::style_names[static_cast<int>(style)] +
                  ", " + std::to_string(trips) + " tiles a loop");
        }
      },
      Bufferings{});
  return result;
}

/// Every two pipelines of a list on one barrier, in one kernel.
template <class Barrier>
MatrixResult run_pairs_on(int short_every, unsigned seed) {
  MatrixResult result;
  streams::for_each_pair<Barrier>([&]<class A, class B>() {
    ++result.kernels;
    for (int trips = 0; trips <= 13; ++trips) {
      using BuffersOfA = DeviceBuffers<typename A::Pattern>;
      BuffersOfA a(trips, short_every);
      DeviceBuffers<typename B::Pattern> b(trips, short_every);
      dma::launch(streams::TwoPipelines<A, B>{}, {BuffersOfA::ctas}, nullptr, a.job(trips, seed), b.job(trips, seed));
      check(cudaDeviceSynchronize());
      add(result, 2LL * BuffersOfA::ctas * streams::passes * trips, a.wrong() + b.wrong(),
          std::string(dma::machine::type_name<A>()) + " and " + dma::machine::type_name<B>() + ", " +
              std::to_string(trips) + " tiles a loop");
    }
  });
  return result;
}
