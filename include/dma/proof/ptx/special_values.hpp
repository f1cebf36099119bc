#pragma once

#include <dma/proof/ptx/lane.hpp>

namespace dma::inline v0_1::proof::ptx::detail {

/// Clocks are not known: what depends on them has no answer.
inline Value Lane::special_value(Special special) const {
  const Index3 block = launch_.block;
  const Index3 at = launch_.place_of_cta(thread_.block(), thread_.cluster_rank());
  const int rank = thread_.rank();
  const auto of = [](auto value) { return Value{static_cast<std::uint64_t>(value)}; };
  const std::uint64_t bit = std::uint64_t{1} << lane();
  switch (special) {
    case Special::tid_x:
      return of(rank % block.x);
    case Special::tid_y:
      return of(rank / block.x % block.y);
    case Special::tid_z:
      return of(rank / (block.x * block.y));
    case Special::ntid_x:
      return of(block.x);
    case Special::ntid_y:
      return of(block.y);
    case Special::ntid_z:
      return of(block.z);
    case Special::ctaid_x:
      return of(at.x);
    case Special::ctaid_y:
      return of(at.y);
    case Special::ctaid_z:
      return of(at.z);
    case Special::nctaid_x:
      return of(launch_.grid.x);
    case Special::nctaid_y:
      return of(launch_.grid.y);
    case Special::nctaid_z:
      return of(launch_.grid.z);
    case Special::laneid:
      return of(lane());
    case Special::warpid:
      return of(rank / 32);
    case Special::nwarpid:
      return of((launch_.threads() + 31) / 32);
    case Special::lanemask_eq:
      return of(bit);
    case Special::lanemask_le:
      return of(bit | (bit - 1));
    case Special::lanemask_lt:
      return of(bit - 1);
    case Special::lanemask_ge:
      return of(~(bit - 1) & 0xffffffffU);
    case Special::lanemask_gt:
      return of(~(bit | (bit - 1)) & 0xffffffffU);
    default:
      return cluster_value(special);
  }
}

/// Of the cluster, and of shared memory.
inline Value Lane::cluster_value(Special special) const {
  const Index3 of_cluster = launch_.place_of_cluster(thread_.block());
  const Index3 in_cluster = launch_.place_in_cluster(thread_.cluster_rank());
  const Index3 cluster = launch_.cluster;
  const auto of = [](auto value) { return Value{static_cast<std::uint64_t>(value)}; };
  const auto unless = [](bool is_missing) { return is_missing ? unset_special : Unknown(); };
  switch (special) {
    case Special::cluster_ctarank:
      return of(thread_.cluster_rank());
    case Special::cluster_ctaid_x:
      return of(in_cluster.x);
    case Special::cluster_ctaid_y:
      return of(in_cluster.y);
    case Special::cluster_ctaid_z:
      return of(in_cluster.z);
    case Special::gridid:
      return of(0);
    case Special::cluster_nctarank:
      return of(launch_.ctas_of_cluster());
    case Special::cluster_nctaid_x:
      return of(cluster.x);
    case Special::cluster_nctaid_y:
      return of(cluster.y);
    case Special::cluster_nctaid_z:
      return of(cluster.z);
    case Special::clusterid_x:
      return of(of_cluster.x);
    case Special::clusterid_y:
      return of(of_cluster.y);
    case Special::clusterid_z:
      return of(of_cluster.z);
    case Special::nclusterid_x:
      return of(launch_.grid.x / cluster.x);
    case Special::nclusterid_y:
      return of(launch_.grid.y / cluster.y);
    case Special::nclusterid_z:
      return of(launch_.grid.z / cluster.z);
    case Special::is_explicit_cluster:
      return of(launch_.ctas_of_cluster() > 1 ? 1 : 0);
    case Special::dynamic_smem_size:
      return of(launch_.dynamic_shared_bytes);
    case Special::total_smem_size:
      return of(launch_.shared_bytes());
    case Special::nsmid:
      launch_.lacks_sms = launch_.sms == 0;
      return {launch_.sms, unless(launch_.lacks_sms)};
    case Special::warp_size:
      return of(32);
    case Special::envreg1:
      return {launch_.grid_workspace >> 32, unless(launch_.grid_workspace == 0)};
    case Special::envreg2:
      return {launch_.grid_workspace & 0xffffffffU, unless(launch_.grid_workspace == 0)};
    default:
      return {0, unset_special};
  }
}

}  // namespace dma::inline v0_1::proof::ptx::detail
