#include "halo_exchange.hpp"
#include "halo_only.hpp"
#include "host_slabs.hpp"
#include "runner.hpp"
#include "tuning.hpp"

#include <dma/host/launch.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace stencil {
namespace {

constexpr int ctas = 3;

template <class Kernel, class T, int Radius, class Epilogue>
void launch_kernel(const Plan& plan, const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue) {
  const auto map = dma::host::tensor_map<typename Kernel::Plane>(u.data, Kernel::plane_at(u, 0, 0, 0));
  dma::PaceCounter counter{};
  dma::host::launch(Kernel{}, {plan.ctas}, map, u, star, plan.work, &counter, epilogue);
}
template <class T, int Radius, class Epilogue>
void launch_march(const Field<const T>& u, const Star<T, Radius>& star, const Epilogue& epilogue) {
  with_march<T, Radius, Epilogue>(
      u, ctas, [&](auto kernel, const Plan& plan) { launch_kernel<decltype(kernel)>(plan, u, star, epilogue); });
}
/// In the first shape of a slab.
template <class Epilogue>
void launch_slab(const Field<const float>& u, int planes, const Star<float, radius>& star, const Epilogue& epilogue) {
  using Kernel = March<float, radius, slab_shapes<float, radius>[0], Epilogue>;
  launch_kernel<Kernel>(plan(u.nx, u.ny, planes, radius, Kernel::cols, Kernel::rows, ctas, Epilogue::sends), u, star,
                        epilogue);
}

/// A wave in slabs that march one after another.
class HostWave final : public Wave {
 public:
  HostWave(const Medium& medium, const Star<float, radius>& laplacian, const Division& division)
      : medium_(medium),
        laplacian_(laplacian),
        ranks_(division.ranks),
        slabs_(stencil::slabs(medium.nz, radius, division.slabs)),
        own_(own_slabs(slabs_, ranks_)),
        exchange_(slabs_, ranks_) {
    for (const Slab& slab : slabs_) {
      const auto points = Field<float>::padded(medium.nx) * medium.ny * slab.depth();
      now_.emplace_back(static_cast<std::size_t>(points) / Vec<float>::width);
    }
    before_ = now_;
  }

  [[nodiscard]] std::string exchange() const override { return slabs_.size() == 1 ? "" : exchange_.name(); }

  void step(float source) override {
    stencil::step(own_, exchange_, fields(before_), [&](const Slab& slab, const RaiseFlag& take) {
      const Field<float> now = field(now_, slab);
      const Field<const float> u{now.data, now.nx, now.ny, now.nz, now.pitch};
      const StepWaveFrom<float> wave = wave_step(medium_, slab, now, field(before_, slab), source);
      dma::ArrivalCounter finished[ends]{};
      with_slab_epilogue(slab, wave, finished, take, [&]<class Epilogue>(const Epilogue& epilogue) {
        if constexpr (sends_of<Epilogue> == Sends::to_none) {
          launch_march(u, laplacian_, epilogue);
        } else {
          launch_slab(u, slab.planes(), laplacian_, epilogue);
        }
      });
    });
    std::swap(now_, before_);
  }

  void read_slice(int y, std::vector<float>& to) override {
    const auto row_size = static_cast<std::size_t>(medium_.nx);
    to.resize(row_size * static_cast<std::size_t>(medium_.nz));
    for (const Slab& slab : own_) {
      const Field<float> now = field(now_, slab);
      for (int z = slab.first; z < slab.last; ++z) {
        std::copy_n(now.data + now.at(0, y, slab.local(z)), now.nx, to.data() + row_size * static_cast<std::size_t>(z));
      }
    }
    gather_rows(ranks_, slabs_, 0, medium_.nz, row_size, to.data());
  }
  void read_planes(State state, int first, int count, float* to) override {
    for (const Slab& slab : own_) {
      const Field<float> f = field(memory(state), slab);
      for (int z = std::max(first, slab.first); z < std::min(first + count, slab.last); ++z) {
        for (int y = 0; y < f.ny; ++y) {
          std::copy_n(f.data + f.at(0, y, slab.local(z)), f.nx, to + row(first, y, z));
        }
      }
    }
    gather_rows(ranks_, slabs_, first, count, static_cast<std::size_t>(row(0, 0, 1)), to);
  }
  void write_planes(State state, int first, int count, const float* from) override {
    for (const Slab& slab : own_) {
      const Field<float> f = field(memory(state), slab);
      const int begin = slab.first - slab.below();
      for (int z = std::max(first, begin); z < std::min(first + count, begin + slab.depth()); ++z) {
        for (int y = 0; y < f.ny; ++y) {
          std::copy_n(from + row(first, y, z), f.nx, f.data + f.at(0, y, slab.local(z)));
        }
      }
    }
  }

 private:
  using Memory = std::vector<std::vector<Vec<float>>>;

  [[nodiscard]] Memory& memory(State state) { return state == State::now ? now_ : before_; }
  [[nodiscard]] Field<float> field(Memory& memory, const Slab& slab) const {
    return {memory[static_cast<std::size_t>(slab.index)].front().v, medium_.nx, medium_.ny, slab.depth(),
            Field<float>::padded(medium_.nx)};
  }
  [[nodiscard]] std::vector<Field<float>> fields(Memory& memory) const {
    std::vector<Field<float>> all;
    for (const Slab& slab : slabs_) {
      all.push_back(field(memory, slab));
    }
    return all;
  }
  /// Where a row is among planes from `first` on.
  [[nodiscard]] std::ptrdiff_t row(int first, int y, int z) const {
    return (static_cast<std::ptrdiff_t>(z - first) * medium_.ny + y) * medium_.nx;
  }

  Medium medium_;
  Star<float, radius> laplacian_;
  const Ranks* ranks_;
  std::vector<Slab> slabs_;  ///< of the domain; those of other processes have memory here that nothing uses
  std::vector<Slab> own_;
  HostCopy exchange_;
  Memory now_;
  Memory before_;
};

class HostRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return "host CTA (every thread emulated, no GPU)"; }
  [[nodiscard]] bool has(std::string_view kernel) const override {
    return kernel != "reference" && kernel != "cached";  // CUDA without the library
  }

  void load(const Field<const float>& u, const Star<float, radius>& star, const Field<float>& out) override {
    u_ = u;
    star_ = star;
    out_ = out;
  }

  void run(std::string_view kernel) override {
    for (int z = 0; z < out_.nz; ++z) {
      for (int y = 0; y < out_.ny; ++y) {
        std::fill_n(out_.data + out_.at(0, y, z), out_.nx, std::numeric_limits<float>::quiet_NaN());
      }
    }
    const StoreSum<float> store{out_.data};
    if (kernel == "march") {
      launch_march(u_, star_, store);
    } else {
      with_paper_kernel<float, radius, StoreSum<float>>(
          kernel, [&](const auto& body) { dma::host::launch(body, paper_grid(u_), u_, star_, store); });
    }
  }

  void march(const Field<const float>& u, const std::vector<float>& coefficients, const Field<float>& out) override {
    march_any(u, coefficients, out);
  }
  void march(const Field<const double>& u, const std::vector<double>& coefficients, const Field<double>& out) override {
    march_any(u, coefficients, out);
  }
  void steps(const Field<const float>& u, const std::vector<float>& coefficients, int count,
             const Field<float>& out) override {
    steps_any(u, coefficients, count, out);
  }
  void steps(const Field<const double>& u, const std::vector<double>& coefficients, int count,
             const Field<double>& out) override {
    steps_any(u, coefficients, count, out);
  }

  void steps_in_slabs(const Field<const float>& u, const std::vector<float>& coefficients, int passes,
                      const Division& division, const Field<float>& out) override {
    with_star<2>(coefficients, [&]<int Radius>(const Star<float, Radius>& star) {
      HostSlabs slabs(u, 2 * Radius, division.slabs);
      HostCopy exchange(slabs.slabs());
      for (int i = 0; i < passes; ++i) {
        slabs.step(exchange, [&]<class Epilogue>(const auto& of, const Slab& slab, const Epilogue& epilogue) {
          using Kernel = Steps<float, Radius, steps_shapes<float, Radius, 2>[0], Epilogue>;
          launch_kernel<Kernel>(steps_plan<Kernel>(of.nx, of.ny, slab.planes(), ctas), of, star, epilogue);
        });
      }
      slabs.store(out);
    });
  }

  [[nodiscard]] std::unique_ptr<Wave> wave(const Medium& medium, const Star<float, radius>& laplacian,
                                           const Division& division) override {
    return std::make_unique<HostWave>(medium, laplacian, division);
  }

 private:
  template <class T>
  void march_any(const Field<const T>& u, const std::vector<T>& coefficients, const Field<T>& out) {
    with_star(coefficients, [&](const auto& star) { launch_march(u, star, StoreSum<T>{out.data}); });
  }
  template <class T>
  void steps_any(const Field<const T>& u, const std::vector<T>& coefficients, int count, const Field<T>& out) {
    with_star(coefficients, [&](const auto& star) {
      if (count == 2) {
        steps_of<2>(u, star, out);
      } else {
        steps_of<3>(u, star, out);
      }
    });
  }
  template <int Count, class T, int Radius>
  void steps_of(const Field<const T>& u, const Star<T, Radius>& star, const Field<T>& out) {
    const bool is_one_pass = with_steps<T, Radius, Count>(u, ctas, [&](auto kernel, const Plan& plan) {
      launch_kernel<decltype(kernel)>(plan, u, star, StoreSum<T>{out.data});
    });
    if (!is_one_pass) {
      std::vector<Vec<T>> between(static_cast<std::size_t>(u.plane_pitch() * u.nz) / Vec<T>::width);
      step_by_step(Count, u, between.front().v, out.data,
                   [&](const Field<const T>& from, T* to) { launch_march(from, star, StoreSum<T>{to}); });
    }
  }

  Field<const float> u_{};
  Star<float, radius> star_{};
  Field<float> out_{};
};

}  // namespace

Runner& host_runner() {
  static HostRunner runner;
  return runner;
}

}  // namespace stencil
