#pragma once

#include <dma/config.hpp>
#include <dma/engines/tensor/tensor_map.hpp>
#include <dma/kernel/tile_range.hpp>
#include <dma/machine/index3.hpp>
#include <dma/machine/machine.hpp>
#include <dma/patterns/transfer_pattern.hpp>
#include <dma/roles/take_roles.hpp>
#include <dma/standard.hpp>

namespace dma::inline v0_1 {

namespace detail {

/// Whether a parameter by value is, or contains, a tensor map: no other type has this alignment.
template <class Parameter>
inline constexpr bool copies_map =
    !stdlib::is_reference_v<Parameter> && alignof(Parameter) >= alignof(TensorDescriptor);

/// Whether a call operator of this type copies a tensor map into a parameter.
template <class Call>
inline constexpr bool call_copies_map = false;
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...)> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) const> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) noexcept> = (copies_map<Parameters> || ...);
template <class Result, class Kernel, class... Parameters>
inline constexpr bool call_copies_map<Result (Kernel::*)(Parameters...) const noexcept> = (copies_map<Parameters> ||
                                                                                           ...);

/// Whether a kernel body takes a tensor map by value. Not known, and false, where its call operator is a template.
template <class Kernel>
inline constexpr bool body_copies_map = false;
template <class Kernel>
  requires requires { &Kernel::operator(); }
inline constexpr bool body_copies_map<Kernel> = call_copies_map<decltype(&Kernel::operator())>;

}  // namespace detail

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

/// The CTA that a kernel body runs in, as one of its threads sees it. The same on a GPU and on a host.
///
/// Kernels of your own call `this_cta()`; `launch` passes it to a kernel body.
struct Cta {
  /// This thread's rank in the CTA, 0 to `Layout::threads` - 1.
  [[nodiscard]] DMA_HOST_DEVICE int thread() const { return machine::thread_rank(); }
  [[nodiscard]] DMA_HOST_DEVICE int lane() const { return machine::thread_rank() % 32; }
  [[nodiscard]] DMA_HOST_DEVICE int warp() const { return machine::thread_rank() / 32; }

  /// This CTA's index in the grid, and the grid's extents.
  [[nodiscard]] DMA_HOST_DEVICE Index3 block() const { return machine::block(); }
  [[nodiscard]] DMA_HOST_DEVICE Index3 blocks() const { return machine::blocks(); }
  /// This CTA's of `count` tiles, which the CTAs of the grid's first axis take in turn.
  [[nodiscard]] DMA_HOST_DEVICE TileRange tiles(int count) const { return {block().x, count, blocks().x}; }

  /// This CTA's rank in its cluster, and the cluster's CTAs: 0 and 1 without `KernelTraits::cluster`.
  [[nodiscard]] DMA_HOST_DEVICE int cluster_rank() const { return machine::cluster_rank(); }
  [[nodiscard]] DMA_HOST_DEVICE int cluster_size() const { return machine::cluster_size(); }

  /// Waits for all threads of the cluster, and sees what they wrote before, to each other's shared memory too.
  /// Collective over the cluster: every thread of every CTA calls it.
  ///
  /// Source  PTX ISA, barrier.cluster with release and acquire
  DMA_HOST_DEVICE void cluster_sync(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::sync_cluster();
  }
  /// Distributed shared memory: the address of what CTA `rank` of the cluster has where this CTA has `*shared`. Loads
  /// and stores through it are ordinary ones, ordered by `cluster_sync`; they take several times as long as those of
  /// the CTA's own shared memory.
  ///
  /// A thread calls `cluster_sync()` before its first `peer()`, as the other CTA may not have started yet, and again
  /// after its last access, before it ends: otherwise the other CTA may be gone. A host checks both.
  ///
  /// @pre `shared` is in this CTA's shared memory; `rank` is 0 to `cluster_size()` - 1.
  /// Source  PTX ISA, mapa
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE T* peer(int rank, T* shared,
                                        machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    return static_cast<T*>(machine::peer_address(const_cast<stdlib::remove_const_t<T>*>(shared), rank));
  }

  /// For a body with `programmatic_launch`: waits until the preceding grids are complete. Every thread calls it before
  /// it reads what they wrote, or writes what they read or write. A CTA whose threads skip it could end before them,
  /// and the next grid waits for this one only.
  ///
  /// Source  PTX ISA, griddepcontrol
  DMA_HOST_DEVICE void grid_dependency_wait() const { machine::grid_dependency_wait(); }
  /// Programmatic dependent launch: lets the next grid start as soon as all CTAs of this one have called it; otherwise
  /// it starts when all have ended. The next grid's CTAs go to whichever SMs free up first, which unbalances a long
  /// grid.
  DMA_HOST_DEVICE void trigger_dependent_launch() const { machine::trigger_dependent_launch(); }

  /// Waits for all threads of the CTA.
  DMA_HOST_DEVICE void sync(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::sync_cta();
  }
  /// Waits for the 32 lanes of the warp.
  DMA_HOST_DEVICE void sync_warp(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    machine::sync_warp();
  }
  /// True in one lane of the warp. @pre The warp's lanes are converged.
  [[nodiscard]] DMA_HOST_DEVICE bool elect(machine::SourceLocation caller = machine::SourceLocation::here()) const {
    machine::called_from(caller);
    return machine::elect();
  }
  /// `value` of lane `source` modulo 32. Orders no memory accesses, as `sync_warp` does. @pre All 32 lanes call it.
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE T shuffle(T value, int source) const {
    static_assert(stdlib::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                  "dma::Cta: a shuffle moves one number of 4 or 8 bytes; shuffle the parts of anything else");
    return machine::shuffle(value, source);
  }
  /// Whether `value` is true in any lane of the warp. Orders no memory accesses. @pre All 32 lanes call it.
  ///
  /// Source  PTX ISA, vote.sync.any
  [[nodiscard]] DMA_HOST_DEVICE bool any(bool value) const { return machine::any(value); }
  /// The lanes of the warp in which `value` is true: bit l is lane l. Orders no memory accesses. @pre All 32 lanes call
  /// it.
  ///
  /// Source  PTX ISA, vote.sync.ballot
  [[nodiscard]] DMA_HOST_DEVICE unsigned ballot(bool value) const { return machine::ballot(value); }

  /// Not for use: `KernelCta` has it.
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE T& shared() const {
    static_assert(detail::always_false<T>,
                  "dma::Cta: shared memory is that of a kernel body, which takes dma::KernelCta<Body>& first; write "
                  "that, or declare a __shared__ variable in a __global__ function of your own");
    return *static_cast<T*>(machine::shared_memory());
  }
};

/// The CTA of the calling thread.
[[nodiscard]] DMA_HOST_DEVICE Cta this_cta() { return {}; }

/// A kernel body declares its warp layout; `launch` derives the rest.
///
/// Optional members:
///
/// - `Shared`: the one trivial aggregate that it keeps in shared memory, returned by `cta.shared<Shared>()`;
/// - `traits`: its `KernelTraits`;
/// - `expects(args...)`: a static check of the arguments that throws.
///
/// It is copied to the GPU, so it is copy assignable: no member is a reference.
///
/// An example, which is built and tested:
/// @include scale/body.hpp
template <class Kernel>
concept KernelBody = requires {
  Kernel::Layout::threads;
};

namespace detail {

/// Checks that a body's layout and its other members agree.
template <class Kernel>
constexpr void check_body() {
  check_kernel_traits<Kernel>();
  static_assert(!Kernel::Layout::has_register_budgets || kernel_traits<Kernel>.min_ctas == 1,
                "dma::launch: register budgets divide the registers of a whole SM, so that it holds one CTA; leave "
                "min_ctas out, or the budgets");
  static_assert(!kernel_traits<Kernel>.programmatic_launch || !kernel_traits<Kernel>.cooperative,
                "dma::launch: CTAs that start early may occupy an SM that CTAs of a cooperative grid wait for; leave "
                "programmatic_launch or cooperative out");
  static_assert(kernel_traits<Kernel>.cluster >= 1 && kernel_traits<Kernel>.cluster <= 16,
                "dma::launch: a cluster has 1 to 16 CTAs; correct the cluster of the kernel body's traits");
  static_assert(kernel_traits<Kernel>.cluster == 1 || !kernel_traits<Kernel>.cooperative,
                "dma::launch: which clusters are resident at once is not known as it is for CTAs; leave cluster or "
                "cooperative out");
  static_assert(stdlib::is_copy_assignable_v<Kernel>,
                "dma::launch: a kernel body is copied to the GPU, where a reference to host memory is an illegal "
                "access, so it must be copy assignable; replace members that are references or const by values or "
                "device pointers");
  static_assert(!body_copies_map<Kernel>,
                "dma::launch: the kernel body takes a tensor map by value, and the hardware reads a map where launch "
                "has put it; take it by reference: const dma::TensorMap<Pattern>&");
}

/// The type that a kernel body keeps in shared memory, `void` where it keeps none.
template <class Kernel>
struct SharedOf {
  using Type = void;
  static constexpr int bytes = 0;
};
template <class Kernel>
  requires requires { typename Kernel::Shared; }
struct SharedOf<Kernel> {
  using Type = typename Kernel::Shared;
  static constexpr int bytes = static_cast<int>(sizeof(Type));
  static_assert(stdlib::is_trivially_default_constructible_v<Type> && stdlib::is_trivially_copyable_v<Type>,
                "dma::launch: Kernel::Shared is raw shared memory, so it must be trivial; initialize it in the body");
  static_assert(
      alignof(Type) <= machine::shared_alignment,
      "dma::launch: shared memory is aligned to 1024 bytes; give Kernel::Shared no member that asks for more");
};

/// Whether the body has a check of its arguments that takes these.
template <class Kernel>
concept HasExpectations = requires {
  &Kernel::expects;
};
/// The kernel body's `expects` takes these arguments.
template <class Kernel, class... Args>
concept ExpectsArguments = requires(const Args&... args) {
  Kernel::expects(args...);
};

}  // namespace detail

/// The CTA of a kernel body, which also gives access to the shared memory that the body declared.
///
/// Not constrained: a body names it in its own members, where the body is not yet complete.
template <class Kernel>
struct KernelCta : Cta {
  template <class T>
  [[nodiscard]] DMA_HOST_DEVICE T& shared() const {
    static_assert(stdlib::is_same_v<T, typename detail::SharedOf<Kernel>::Type>,
                  "dma::KernelCta: a kernel body has the shared memory that it declares; "
                  "name it 'using Shared = ...' and ask for cta.shared<Shared>()");
    return *static_cast<T*>(machine::shared_memory());
  }

  /// `dma::take_roles` of the body's layout.
  template <class... Bodies>
  DMA_HOST_DEVICE void take_roles(const Bodies&... bodies) const {
    dma::take_roles<typename Kernel::Layout>(bodies...);
  }
};

namespace detail {

/// The kernel body can be called with these arguments.
template <class Kernel, class... Args>
concept TakesArguments = requires(const Kernel& kernel, KernelCta<Kernel>& cta, Args&... args) {
  kernel(cta, args...);
};

/// Calls the body's own check of its arguments, where it has one.
template <class Kernel, class... Args>
void check_arguments(const Args&... args) {
  static_assert(TakesArguments<Kernel, Args...>,
                "dma::launch: the kernel body's operator() does not take these arguments after its CTA; pass what it "
                "takes, in its order, and declare it const, with a dma::KernelCta of this body first");
  static_assert(!HasExpectations<Kernel> || ExpectsArguments<Kernel, Args...>,
                "dma::launch: the body's expects() does not take the arguments of this launch, so it would check "
                "nothing; give it the parameters that operator() has after the CTA");
  if constexpr (ExpectsArguments<Kernel, Args...>) {
    Kernel::expects(args...);
  }
}

}  // namespace detail

}  // namespace dma::inline v0_1
