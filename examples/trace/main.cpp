// trace --out <file>: runs single, double and manual double buffering and writes when each warp did what, for
// docs/guide/timelines/draw_trace to draw.

#include "kernel.hpp"

#include <dma/host/launch.hpp>
#include <dma/trace/trace_text.hpp>

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void run_on_host(const trace::Problem& p, const trace::Done& done) {
  trace::for_each_buffering(p.tiles, [&](const auto& kernel, trace::Recording& recording) {
    dma::host::launch(kernel, {1}, p, recording.buffer());
    done(recording);
  });
}

int run(const std::string& on, const std::string& file, int tiles, int additions) {
  const std::size_t count = static_cast<std::size_t>(tiles) * trace::Tile::count;
  std::vector<float> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = static_cast<float>(i % 1009);
  }
  std::vector<float> y(count, -1.0F);
  std::ofstream out(file);
  if (!out) {
    throw std::runtime_error("trace: cannot write " + file);
  }
  long long wrong = 0;
  const auto write = [&](trace::Recording& recording) {
    dma::write_trace(out, recording.name, on == "gpu" ? "cycles" : "steps", recording.buffer(), recording.warps);
    for (std::size_t i = 0; i < count; ++i) {
      wrong += y[i] == x[i] + static_cast<float>(additions) ? 0 : 1;
      y[i] = -1.0F;
    }
  };
  const trace::Problem problem{x.data(), y.data(), tiles, additions};
  if (on == "host") {
    run_on_host(problem, write);
  } else {
#if defined(TRACE_HAS_DEVICE)
    const std::string reason = trace::run_on_device(problem, write);
#else
    const std::string reason = "built without a CUDA compiler";
#endif
    if (!reason.empty()) {
      std::printf("skipped: %s\n", reason.c_str());
      return 4;
    }
  }
  out.close();  // what the stream still holds may not fit
  if (!out) {
    throw std::runtime_error("trace: cannot write all of " + file);
  }
  std::printf("%s: three bufferings, %d tiles, %lld elements wrong\n", file.c_str(), tiles, wrong);
  return wrong == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) try {
  CLI::App app("What the warps of three bufferings do when.");
  std::string on = "host";
  std::string file;
  int tiles = 10;
  int additions = 12;
  app.add_option("--on", on, "where the kernels run")->check(CLI::IsMember({"host", "gpu"}))->capture_default_str();
  app.add_option("--out", file, "the file to write")->required();
  app.add_option("--tiles", tiles, "tiles of 2048 floats")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--additions", additions, "to each element")->check(CLI::Range(0, 100000))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  return run(on, file, tiles, additions);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
