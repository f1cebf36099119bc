#include "kernels/between_ctas.hpp"
#include "kernels/multicast.hpp"
#include "mutants/cases.hpp"

#include <dma/engines/tensor/host_tensor_map.hpp>
#include <dma/host/launch.hpp>
#include <dma/proof/prove.hpp>

#include <string>
#include <vector>

namespace mutants {

namespace {

template <class Kernel>
void add_exchange(const std::string& name, Cases& cases) {
  cases.push_back({name,
                   [] {
                     std::vector<int> got(Kernel::count);
                     return dma::proof::prove(writes(got), Kernel{}, {between_ctas::grid}, got.data());
                   },
                   [] {
                     std::vector<int> got(Kernel::count);
                     dma::host::launch({3}, Kernel{}, {between_ctas::grid}, got.data());
                     return Kernel::count_wrong(got) == 0;
                   }});
}

constexpr int tiles = 11;

template <class Layout, int Cluster, int Stages>
void add_multicast(const std::string& name, Cases& cases) {
  using Kernel = multicast::Scale<Layout, Cluster, Stages>;
  const auto map_of = [](const std::vector<float>& in) {
    return dma::host::tensor_map<typename Kernel::Tile>(in.data(), Kernel::tile_of(0, tiles));
  };
  cases.push_back({name,
                   [=] {
                     const std::vector<float> in = multicast::input(tiles);
                     std::vector<float> out(in.size() * Cluster);
                     return dma::proof::prove(writes(out), Kernel{}, {Cluster}, map_of(in), out.data(), tiles);
                   },
                   [=] {
                     const std::vector<float> in = multicast::input(tiles);
                     std::vector<float> out(in.size() * Cluster);
                     dma::host::launch({3}, Kernel{}, {Cluster}, map_of(in), out.data(), tiles);
                     return multicast::count_wrong(in, out) == 0;
                   }});
}

}  // namespace

void add_clusters(Cases& cases) {
  using dma::Compute;
  using dma::Dma;
  add_exchange<between_ctas::Sums<between_ctas::Ints<1>>>("CTAs that send each other words", cases);
  add_exchange<between_ctas::Relay>("CTAs that copy arrays to each other", cases);
  add_multicast<dma::WarpLayout<Compute<2>, Dma<1>>, 2, 2>("multicast loads by a warp", cases);
  add_multicast<dma::WarpLayout<Compute<2>, Dma<2>>, 4, 1>("multicast loads by two warps", cases);
}

}  // namespace mutants
