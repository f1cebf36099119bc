#include "device/matrix.cuh"

namespace {

template <class Barrier>
void run_pairs_on(MatrixResult& result, int short_every, unsigned seed) {
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
}

}  // namespace

MatrixResult run_pairs(int short_every, unsigned seed) {
  MatrixResult result;
  run_pairs_on<dma::NamedBarrier>(result, short_every, seed);
  run_pairs_on<dma::CudaBarrier>(result, short_every, seed);
  return result;
}
