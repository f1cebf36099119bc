#pragma once

#include <dma/patterns/transfer_pattern.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

/// The optional properties of a kernel body, which it declares as one member:
///
///     static constexpr dma::KernelTraits traits{.min_ctas = 2, .cooperative = true};
struct KernelTraits {
  /// CTAs that an SM should hold at a time: the second argument of `__launch_bounds__`.
  int min_ctas = 1;
  /// CTAs wait for one another (cooperative launch): all of them have to be on the device at once, and `launch` refuses
  /// a larger grid.
  bool cooperative = false;
  /// CTAs may start while the preceding grid still runs (programmatic dependent launch): the body calls
  /// `cta.grid_dependency_wait()`.
  bool programmatic_launch = false;
  /// CTAs of a cluster, neighbours along the grid's first axis: they run at the same time, synchronize
  /// (`cta.cluster_sync()`) and access each other's shared memory (`cta.peer()`). 8 run on every GPU that has clusters
  /// (sm_90 and newer), up to 16 on some. The grid's first extent is a multiple of it.
  int cluster = 1;
};

namespace detail {

/// A kernel body's traits, the defaults where it declares none.
template <class Kernel>
inline constexpr KernelTraits kernel_traits = {};
template <class Kernel>
  requires stdlib::is_same_v<decltype(Kernel::traits), const KernelTraits>
inline constexpr KernelTraits kernel_traits<Kernel> = Kernel::traits;

/// Whether a kernel body has these properties as direct members, which `launch` does not read.
template <class Kernel>
concept HasStrayKernelTraits = (requires { Kernel::min_ctas; }) || (requires { Kernel::cooperative; }) ||
                               (requires { Kernel::programmatic_launch; }) || (requires { Kernel::cluster; });
/// Whether a kernel body's `traits` are not `KernelTraits`.
template <class Kernel>
concept HasOtherKernelTraits = (requires { Kernel::traits; }) &&
                               !stdlib::is_same_v<decltype(Kernel::traits), const KernelTraits>;

/// Checks how a kernel body declares its properties: a compile error where it does so in a place that is not read.
template <class Kernel>
constexpr void check_kernel_traits() {
  static_assert(!HasStrayKernelTraits<Kernel>,
                "dma::launch: the kernel body has min_ctas, cooperative, programmatic_launch or cluster as a member of "
                "its own, which nothing reads; put it into 'static constexpr dma::KernelTraits traits{...};'");
  static_assert(
      !HasMisnamedTraits<Kernel, KernelTraits>,
      "dma::launch: the kernel body has its dma::KernelTraits under another name than 'traits', which nothing "
      "reads; name the member 'traits'");
  static_assert(!HasOtherKernelTraits<Kernel>,
                "dma::launch: the kernel body's 'traits' is not a dma::KernelTraits; declare it 'static constexpr "
                "dma::KernelTraits traits{...};', or give it another name");
}

}  // namespace detail

}  // namespace dma::v0_1
