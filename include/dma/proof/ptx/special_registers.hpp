#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace dma::inline v0_1::proof::ptx::detail {

/// What a thread asks of its place in the grid and of its machine.
enum class Special : unsigned char {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  clock,
  clock_hi,
  clock64,
  globaltimer,
  globaltimer_lo,
  globaltimer_hi,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctarank,
  cluster_nctarank,
  is_explicit_cluster,
  dynamic_smem_size,
  total_smem_size,
  warp_size,
  envreg1,
  envreg2,
  other  ///< known by name, and without a value here
};

/// A special register by its name.
struct SpecialRow {
  std::string_view name;
  Special special;
};

/// Source  PTX ISA, "Special Registers"
inline constexpr std::array special_registers{
    SpecialRow{"%tid.x", Special::tid_x},
    SpecialRow{"%tid.y", Special::tid_y},
    SpecialRow{"%tid.z", Special::tid_z},
    SpecialRow{"%ntid.x", Special::ntid_x},
    SpecialRow{"%ntid.y", Special::ntid_y},
    SpecialRow{"%ntid.z", Special::ntid_z},
    SpecialRow{"%ctaid.x", Special::ctaid_x},
    SpecialRow{"%ctaid.y", Special::ctaid_y},
    SpecialRow{"%ctaid.z", Special::ctaid_z},
    SpecialRow{"%nctaid.x", Special::nctaid_x},
    SpecialRow{"%nctaid.y", Special::nctaid_y},
    SpecialRow{"%nctaid.z", Special::nctaid_z},
    SpecialRow{"%laneid", Special::laneid},
    SpecialRow{"%warpid", Special::warpid},
    SpecialRow{"%nwarpid", Special::nwarpid},
    SpecialRow{"%smid", Special::smid},
    SpecialRow{"%nsmid", Special::nsmid},
    SpecialRow{"%gridid", Special::gridid},
    SpecialRow{"%lanemask_eq", Special::lanemask_eq},
    SpecialRow{"%lanemask_le", Special::lanemask_le},
    SpecialRow{"%lanemask_lt", Special::lanemask_lt},
    SpecialRow{"%lanemask_ge", Special::lanemask_ge},
    SpecialRow{"%lanemask_gt", Special::lanemask_gt},
    SpecialRow{"%clock", Special::clock},
    SpecialRow{"%clock_hi", Special::clock_hi},
    SpecialRow{"%clock64", Special::clock64},
    SpecialRow{"%globaltimer", Special::globaltimer},
    SpecialRow{"%globaltimer_lo", Special::globaltimer_lo},
    SpecialRow{"%globaltimer_hi", Special::globaltimer_hi},
    SpecialRow{"%cluster_ctaid.x", Special::cluster_ctaid_x},
    SpecialRow{"%cluster_ctaid.y", Special::cluster_ctaid_y},
    SpecialRow{"%cluster_ctaid.z", Special::cluster_ctaid_z},
    SpecialRow{"%cluster_nctaid.x", Special::cluster_nctaid_x},
    SpecialRow{"%cluster_nctaid.y", Special::cluster_nctaid_y},
    SpecialRow{"%cluster_nctaid.z", Special::cluster_nctaid_z},
    SpecialRow{"%clusterid.x", Special::clusterid_x},
    SpecialRow{"%clusterid.y", Special::clusterid_y},
    SpecialRow{"%clusterid.z", Special::clusterid_z},
    SpecialRow{"%nclusterid.x", Special::nclusterid_x},
    SpecialRow{"%nclusterid.y", Special::nclusterid_y},
    SpecialRow{"%nclusterid.z", Special::nclusterid_z},
    SpecialRow{"%cluster_ctarank", Special::cluster_ctarank},
    SpecialRow{"%cluster_nctarank", Special::cluster_nctarank},
    SpecialRow{"%is_explicit_cluster", Special::is_explicit_cluster},
    SpecialRow{"%dynamic_smem_size", Special::dynamic_smem_size},
    SpecialRow{"%total_smem_size", Special::total_smem_size},
    SpecialRow{"%aggr_smem_size", Special::total_smem_size},
    SpecialRow{"WARP_SZ", Special::warp_size},
    SpecialRow{"%envreg1", Special::envreg1},
    SpecialRow{"%envreg2", Special::envreg2},
    SpecialRow{"%envreg3", Special::other},
    SpecialRow{"%reserved_smem_offset_begin", Special::other},
    SpecialRow{"%reserved_smem_offset_end", Special::other},
    SpecialRow{"%reserved_smem_offset_cap", Special::other},
    SpecialRow{"%current_graph_exec", Special::other},
};

/// Its index in `special_registers`; -1 where there is none.
[[nodiscard]] constexpr int special_register(std::string_view name) noexcept {
  for (std::size_t i = 0; i < special_registers.size(); ++i) {
    if (special_registers[i].name == name) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

}  // namespace dma::inline v0_1::proof::ptx::detail
