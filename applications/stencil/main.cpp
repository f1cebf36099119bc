// A star-shaped stencil in three dimensions, radius 4: the kernels of SC'11, section 6.2, and the form that is fastest
// on a GPU of today. Runs on the GPU where there is one and on the emulator where there is none, checks every point
// against float64 and reports. `stencil wave` computes an acoustic wave and writes slices of it as PNG. Exits with 1
// when a result is wrong, with 4 when more GPUs were asked for than there are.

#include "../choose.hpp"
#include "run_wave.hpp"
#include "runner.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <future>
#include <limits>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace stencil;

struct Options {
  std::vector<int> nx, ny, nz;  ///< of one domain after another
  std::string kernel = "all";
  std::string on = "auto";
  bool times = true;

  WaveOptions wave;
  bool processes = false;
};

/// The second derivative to the eighth order, along three axes at once.
constexpr double second_derivative[] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};

Star<float, radius> laplacian() {
  Star<float, radius> star{};
  for (int k = 0; k <= radius; ++k) {
    star.c[k] = static_cast<float>((k == 0 ? 3 : 1) * second_derivative[k]);
  }
  return star;
}

/// A field with its memory: values in [-1, 1), zero in the padding.
template <class T>
struct Data {
  std::vector<Vec<T>> memory;
  int nx, ny, nz;

  Data(int nx_, int ny_, int nz_, unsigned seed)
      : memory(static_cast<std::size_t>(Field<T>::padded(nx_) * ny_ * nz_) / Vec<T>::width), nx(nx_), ny(ny_), nz(nz_) {
    std::minstd_rand random(seed);
    for (int z = 0; z < nz; ++z) {
      for (int y = 0; y < ny; ++y) {
        T* const row = field().data + field().at(0, y, z);
        std::generate_n(row, nx, [&] { return static_cast<T>(random() % 65536) / 32768 - 1; });
      }
    }
  }

  [[nodiscard]] Field<T> field() { return {memory.front().v, nx, ny, nz, Field<T>::padded(nx)}; }
  [[nodiscard]] Field<const T> view() const { return {memory.front().v, nx, ny, nz, Field<T>::padded(nx)}; }
};

/// The largest error of a plane of a result in units of its bound: one rounding for each of the star's products and
/// sums, whatever their order. NaN anywhere, and anything in the padding, counts as infinite.
template <class T>
double worst_error_of_plane(const Field<const T>& u, const T* c, int r, const Field<const T>& out, int z) {
  double worst = 0;
  for (int y = 0; y < u.ny; ++y) {
    for (int x = 0; x < u.nx; ++x) {
      double sum = 0;
      double size = 0;
      const auto add = [&](int k, int px, int py, int pz) {
        if (px >= 0 && px < u.nx && py >= 0 && py < u.ny && pz >= 0 && pz < u.nz) {
          const long long at = (static_cast<long long>(pz) * u.ny + py) * u.pitch + px;
          const double term = static_cast<double>(c[k]) * static_cast<double>(u.data[at]);
          sum += term;
          size += std::abs(term);
        }
      };
      add(0, x, y, z);
      for (int k = 1; k <= r; ++k) {
        for (const int step : {-k, k}) {
          add(k, x + step, y, z);
          add(k, x, y + step, z);
          add(k, x, y, z + step);
        }
      }
      const double bound = (6 * r + 4) * static_cast<double>(std::numeric_limits<T>::epsilon()) / 2 * size;
      const double error = std::abs(static_cast<double>(out.data[out.at(x, y, z)]) - sum);
      worst = std::isnan(error) ? INFINITY : std::max(worst, error == 0 ? 0 : error / bound);
    }
    for (long long x = u.nx; x < out.pitch; ++x) {
      worst = out.data[out.at(static_cast<int>(x), y, z)] == 0 ? worst : INFINITY;
    }
  }
  return worst;
}

/// The largest error of all planes, which this machine's processors compute in parallel.
template <class T>
double worst_error(const Field<const T>& u, const T* c, int r, const Field<const T>& out) {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  std::vector<std::future<double>> parts;
  for (int t = 0; t < threads; ++t) {
    parts.push_back(std::async(std::launch::async, [=] {
      double worst = 0;
      for (int z = t; z < u.nz; z += threads) {
        worst = std::max(worst, worst_error_of_plane(u, c, r, out, z));
      }
      return worst;
    }));
  }
  double worst = 0;
  for (std::future<double>& part : parts) {
    worst = std::max(worst, part.get());
  }
  return worst;
}

// --- check and measure -----------------------------------------------------------------------------------------------

/// Runs one kernel, checks it, and measures it where there is a copy rate. Returns whether the result is right.
bool report(Runner& runner, const Data<float>& u, const Star<float, radius>& star, Data<float>& out,
            const std::string& kernel, double copy_rate) {
  std::printf("  %-18s ", kernel.c_str());
  std::fflush(stdout);
  runner.run(kernel);
  const double error = worst_error(u.view(), star.c, radius, std::as_const(out).view());
  const bool is_right = error <= 1;
  std::printf("error %.4f of its bound%s", error, is_right ? "" : " WRONG");
  if (copy_rate != 0) {
    const double seconds = runner.time(kernel);
    const auto points = static_cast<double>(u.view().points());
    const double rate = 8 * points / seconds;
    std::printf("  %10.1f us  %9.1f Mpoint/s  %7.1f GB/s  %5.1f%% of the copy rate", seconds * 1e6,
                points / seconds * 1e-6, rate * 1e-9, 100 * rate / copy_rate);
  }
  std::printf("\n");
  return is_right;
}

/// Computes one domain with every requested kernel. Returns whether all results are right.
bool solve(Runner& runner, int nx, int ny, int nz, const Options& options) {
  const Data<float> u(nx, ny, nz, 1);
  Data<float> out(nx, ny, nz, 2);
  const Star<float, radius> star = laplacian();
  runner.load(u.view(), star, out.field());
  std::printf("%d x %d x %d points", nx, ny, nz);
  double copy_rate = 0;
  if (options.times) {
    copy_rate = runner.copy_rate();
  }
  if (copy_rate != 0) {
    std::printf(", this machine copies as many at %.1f GB/s, read + write", copy_rate * 1e-9);
  }
  std::printf("\n");
  bool all_right = true;
  for (const std::string kernel : kernel_names) {
    if (runner.has(kernel) && (options.kernel == "all" || options.kernel == kernel)) {
      all_right = report(runner, u, star, out, kernel, copy_rate) && all_right;
    }
  }
  return all_right;
}

/// Checks every radius, over small domains with extents that are no multiples of the tile's.
template <class T>
bool check_radii(Runner& runner, const char* type) {
  constexpr int extents[][3] = {{1, 1, 1}, {37, 19, 9}, {131, 67, 33}};
  bool all_right = true;
  for (int r = 1; r <= 8; ++r) {
    std::vector<T> c;
    for (int k = 0; k <= r; ++k) {
      c.push_back(static_cast<T>((k % 2 == 0 ? -1.0 : 1.0) / (k + 1.5)));
    }
    double worst = 0;
    bool has_bits = true;
    for (const auto& n : extents) {
      const Data<T> u(n[0], n[1], n[2], static_cast<unsigned>(r));
      Data<T> out(n[0], n[1], n[2], 2);
      runner.march(u.view(), c, out.field());
      worst = std::max(worst, worst_error(u.view(), c.data(), r, std::as_const(out).view()));
      Data<T> expected = out;
      for (const int count : {2, 3}) {
        Data<T> next(n[0], n[1], n[2], 3);
        runner.march(std::as_const(expected).view(), c, next.field());
        expected = next;
        Data<T> at_once(n[0], n[1], n[2], 4);
        runner.steps(u.view(), c, count, at_once.field());
        has_bits = has_bits && std::memcmp(at_once.memory.data(), expected.memory.data(),
                                           expected.memory.size() * sizeof(Vec<T>)) == 0;
      }
    }
    std::printf("  radius %d, %-6s  error %.4f of its bound%s; two and three steps at once %s\n", r, type, worst,
                worst <= 1 ? "" : " WRONG", has_bits ? "have the bits of as many" : "differ from as many: WRONG");
    all_right = all_right && worst <= 1 && has_bits;
  }
  return all_right;
}

/// Checks passes of two steps at once over slabs, beside steps of the march over the whole domain.
bool check_slabs(Runner& runner, const Division& division, int nx, int ny, int nz) {
  constexpr int passes = 3;
  bool all_right = true;
  for (int r = 1; r <= 2; ++r) {
    std::vector<float> c;
    for (int k = 0; k <= r; ++k) {
      c.push_back((k % 2 == 0 ? -0.3F : 0.1F) / static_cast<float>(k + 1));
    }
    const Data<float> u(nx, ny, nz, static_cast<unsigned>(r));
    Data<float> out(nx, ny, nz, 2);
    runner.steps_in_slabs(u.view(), c, passes, division, out.field());
    Data<float> expected = u;
    for (int i = 0; i < 2 * passes; ++i) {
      Data<float> next(nx, ny, nz, 3);
      runner.march(std::as_const(expected).view(), c, next.field());
      expected = next;
    }
    const bool has_bits =
        std::memcmp(out.memory.data(), expected.memory.data(), expected.memory.size() * sizeof(Vec<float>)) == 0;
    std::printf("  radius %d, %d passes of two steps over %d slabs %s\n", r, passes, division.slabs,
                has_bits ? "have the bits of one domain" : "differ from one domain: WRONG");
    all_right = all_right && has_bits;
  }
  return all_right;
}

void parse(CLI::App& app, Options& options) {
  const CLI::Range positive(1, std::numeric_limits<int>::max());
  const CLI::Range extent(1, 1 << 20);  // 2^60 points are counted without overflow
  app.add_option("--nx", options.nx, "points along x, of one domain after another")->check(extent);
  app.add_option("--ny", options.ny, "points along y, as many as --nx (default: as along x)")->check(extent);
  app.add_option("--nz", options.nz, "points along z, as many as --nx (default: as along x)")->check(extent);
  app.add_option("--on", options.on, "where to run")->check(CLI::IsMember({"auto", "gpu", "host"}));
  std::vector<std::string> names(std::begin(kernel_names), std::end(kernel_names));
  names.emplace_back("all");
  app.add_option("--kernel", options.kernel, "which kernel")->check(CLI::IsMember(names));
  app.add_flag("--time,!--no-time", options.times, "on a GPU: measure, or only check");
  app.add_subcommand("radii",
                     "check the best kernel for every radius from 1 to 8, in float and double, and steps of it at once")
      ->fallthrough();
  Division& division = options.wave.division;
  const CLI::Range count(1, 1024);
  CLI::App* const slabs =
      app.add_subcommand("slabs", "check two steps at once over slabs, which exchange planes once for both");
  slabs->fallthrough();
  slabs->add_option("--gpus", division.gpus, "GPUs, each with a slab of the domain")->check(count);
  slabs->add_option("--slabs", division.slabs, "slabs, dealt to the GPUs in order (default: one a GPU, at least two)")
      ->check(count);
  CLI::App* const wave = app.add_subcommand("wave", "let an acoustic wave run and write slices of it as PNG");
  wave->fallthrough();
  wave->add_option("--steps", options.wave.steps, "steps of time (default: twice nz)")->check(CLI::Range(1, 1 << 30));
  wave->add_option("--every", options.wave.every, "write a slice every so many steps (default: the last only)")
      ->check(positive);
  wave->add_option("--out", options.wave.out, "the folder for slices")->check(CLI::ExistingDirectory);
  wave->add_option("--gpus", division.gpus, "GPUs, each with a slab of the domain")->check(count);
  wave->add_option("--slabs", division.slabs, "slabs, dealt to the GPUs in order (default: one a GPU)")->check(count);
  wave->add_flag("--processes", options.processes, "a process for each GPU; mpirun starts them itself");
  wave->add_option("--exchange", division.exchange, "how slabs exchange planes (default: by topology)")
      ->check(CLI::IsMember({"auto", "peer", "nccl"}));
  wave->add_option("--checkpoint", options.wave.checkpoint, "write the state with each slice to this file");
  wave->add_option("--resume", options.wave.resume, "begin with the state in this file, from any number of slabs")
      ->check(CLI::ExistingFile);
}

/// The processes of a wave, or null where this is the only one. The first one prints.
std::unique_ptr<Ranks> ranks_of(const Options& options) {
  std::unique_ptr<Ranks> ranks = mpi_ranks();
  if (ranks == nullptr && options.processes) {
    ranks = fork_ranks(options.wave.division.gpus);
  }
  if (ranks != nullptr && !ranks->is_first() && std::freopen("/dev/null", "w", stdout) == nullptr) {
    throw std::runtime_error("stencil: cannot open /dev/null");
  }
  return ranks;
}

/// Extents that are not given follow those along x.
void complete(Options& options, bool on_host) {
  if (options.nx.empty()) {
    options.nx = {on_host ? 48 : 512};
  }
  for (std::vector<int>* axis : {&options.ny, &options.nz}) {
    if (axis->empty()) {
      *axis = options.nx;
    }
    if (axis->size() != options.nx.size()) {
      throw std::invalid_argument("stencil: --nx names " + std::to_string(options.nx.size()) +
                                  " domains, --ny or --nz another number; give as many");
    }
  }
  constexpr long long most_points = 1LL << 37;  // no machine has memory for more
  for (std::size_t i = 0; i < options.nx.size(); ++i) {
    if (Field<float>::padded(options.nx[i]) * options.ny[i] * options.nz[i] > most_points) {
      throw std::bad_alloc();
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("A star of radius 4 in three dimensions, through DMA warps");
  Options options;
  parse(app, options);
  CLI11_PARSE(app, argc, argv);

  const std::unique_ptr<Ranks> ranks = ranks_of(options);  // before CUDA is used
  if (ranks != nullptr) {
    options.wave.division.gpus = ranks->count();
    options.wave.division.slabs = ranks->count();
    options.wave.division.ranks = ranks.get();
  }
  Runner* const runner = choose(options.on, device_runner, host_runner());
  if (runner == nullptr) {
    return 4;
  }
  complete(options, runner == &host_runner());

  if (app.got_subcommand("wave")) {
    run_wave(*runner, options.wave, laplacian(), options.nx[0], options.ny[0], options.nz[0]);
    return 0;
  }
  std::printf("stencil on %s\n", runner->name().c_str());
  bool all_right = true;
  if (app.got_subcommand("slabs")) {
    Division& division = options.wave.division;
    division.slabs = std::max({division.slabs, division.gpus, 2});
    all_right = check_slabs(*runner, division, options.nx[0], options.ny[0], options.nz[0]);
  } else if (app.got_subcommand("radii")) {
    all_right = check_radii<float>(*runner, "float") && all_right;
    all_right = check_radii<double>(*runner, "double") && all_right;
  } else {
    for (std::size_t i = 0; i < options.nx.size(); ++i) {
      all_right = solve(*runner, options.nx[i], options.ny[i], options.nz[i], options) && all_right;
    }
  }
  std::printf("%s\n", all_right ? "every point is within its bound" : "WRONG answers");
  return all_right ? 0 : 1;
} catch (const std::bad_alloc&) {
  std::fprintf(stderr, "stencil: there is no memory for so many points; give fewer\n");
  return 1;
} catch (const stencil::TooFewGpus& error) {
  std::printf("skipped: %s\n", error.what());
  return 4;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
