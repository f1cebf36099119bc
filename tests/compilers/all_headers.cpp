// Every part of the library in one unit: a kernel runs, is traced, proved and replayed, its pattern keeps the laws. For
// compilers that the build does not use: 0 is the exit status where all of that is as it should be.

#include <dma/dma.hpp>
#include <dma/explain/print.hpp>
#include <dma/host/launch.hpp>
#include <dma/host/laws.hpp>
#include <dma/proof/catch2.hpp>
#include <dma/proof/prove.hpp>
#include <dma/proof/replay.hpp>
#include <dma/trace/trace_text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using Layout = dma::WarpLayout<dma::Compute<2>, dma::Dma<1>>;

/// y = 2 x. Computing warps take `Extra` tiles that are not loaded.
template <class Engine, int Extra>
struct Doubles {
  using Layout = ::Layout;
  using Tile = dma::Sequential<float, 128>;
  using Pipe = dma::DmaPipeline<Tile, dma::ManualDoubleBuffer<Layout>, dma::Traced<dma::CudaBarrier>, Engine>;
  struct Shared {
    typename Pipe::Storage storage;
    dma::TraceState trace;
  };

  DMA_HOST_DEVICE void operator()(dma::KernelCta<Doubles>& cta, const float* x, float* y, int tiles,
                                  dma::TraceBuffer events) const {
    auto& shared = cta.template shared<Shared>();
    Pipe pipe(cta, shared.storage);
    dma::start_trace(cta, events, shared.trace, shared.storage);
    if (pipe.is_dma()) {
      auto dma = pipe.as_dma();
      for (int t = 0; t < tiles; ++t) {
        dma.load(x + t * Tile::count);
      }
    } else {
      auto compute = pipe.as_compute();
      for (int t = 0; t < tiles + Extra; ++t) {
        const auto tile = compute.wait();
        for (int i = compute.rank(); i < tile.size(); i += compute.size()) {
          y[t * Tile::count + i] = 2 * tile[i];
        }
      }
    }
  }
};

/// Its storage is four bytes into shared memory.
struct Misaligned {
  using Layout = ::Layout;
  using Pipe = dma::DmaPipeline<dma::Sequential<float, 32>, dma::SingleBuffer<Layout>>;
  struct Shared {
    unsigned char bytes[sizeof(Pipe::Storage) + 16];
  };
  void operator()(dma::KernelCta<Misaligned>& cta) const {
    const Pipe pipe(cta, reinterpret_cast<Pipe::Storage&>(cta.shared<Shared>().bytes[4]));
  }
};

int failures = 0;

void expect(bool condition, const std::string& what) {
  if (!condition) {
    std::printf("not so: %s\n", what.c_str());
    ++failures;
  }
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Calls `run` and returns what the `Exception` that it throws says.
template <class Exception, class Run>
std::string message_of(const Run& run) {
  try {
    run();
  } catch (const Exception& exception) {
    return exception.what();
  }
  return "no exception";
}

constexpr int tiles = 5;
constexpr int size = 128 * tiles;

template <class Engine>
void check_engine(const std::string& engine) {
  using Kernel = Doubles<Engine, 0>;
  using Faulty = Doubles<Engine, 1>;
  std::vector<float> x(size);
  std::vector<float> y(size + 128, -1.0F);
  for (int i = 0; i < size; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i % 100);
  }
  std::vector<dma::TraceEvent> events(3 * 64);
  const dma::TraceBuffer buffer{events.data(), 1, 64};

  dma::host::launch({.seed = 7}, Kernel{}, {1}, x.data(), y.data(), tiles, buffer);
  int wrong = 0;
  for (int i = 0; i < size; ++i) {
    wrong += y[static_cast<std::size_t>(i)] == static_cast<float>(i % 100 * 2) ? 0 : 1;
  }
  expect(wrong == 0, engine + ": each element is doubled; wrong are " + std::to_string(wrong));
  expect(y[size] == -1.0F, engine + ": nothing is written behind the end");

  std::ostringstream text;
  dma::write_trace(text, "doubles", "steps", buffer, 3);
  const std::string told = text.str();
  const auto lines = std::count(told.begin(), told.end(), '\n');
  // A line for the recording, one for each warp's beginning; a tile's consumers wait and arrive.
  expect(contains(told, "trace doubles steps 3\n") && lines > 1 + 3 + 2 * tiles * 2,
         engine + ": the trace has a line an event");

  const dma::proof::Verdict proof = dma::proof::for_all_trips<typename Kernel::Pipe>([&](int trips) {
    std::vector<float> in(128 * static_cast<std::size_t>(trips) + 4);
    std::vector<float> out(in.size());
    return dma::proof::prove({.inputs = {dma::proof::input(in)}, .outputs = {dma::proof::output(out)}}, Kernel{}, {1},
                             in.data(), out.data(), trips, dma::TraceBuffer{});
  });
  expect(proof.is_proved(), engine + ": is proved; " + proof.message);

  const dma::proof::Verdict fault = dma::proof::prove(Faulty{}, {1}, x.data(), y.data(), 2, dma::TraceBuffer{});
  expect(fault.kind == dma::proof::FindingKind::deadlock, engine + ": a tile too many is a deadlock; " + fault.message);
  std::ostringstream report;
  report << fault;
  expect(contains(report.str(), "all_headers.cpp:"), engine + ": the report names the line; " + report.str());
  const std::string replayed = message_of<dma::host::Deadlock>(
      [&] { dma::proof::replay(fault, Faulty{}, {1}, x.data(), y.data(), 2, dma::TraceBuffer{}); });
  // The third tile has the first one's slot again.
  expect(contains(replayed, "compute warps wait for full, slot 0"), engine + ": the replay ends there; " + replayed);
}

}  // namespace

int main() {
  check_engine<dma::RegisterCopy<>>("RegisterCopy");
  check_engine<dma::AsyncCopy<>>("AsyncCopy");
  check_engine<dma::BulkCopy<>>("BulkCopy");

  for (int rows = 0; rows <= 4; ++rows) {
    // A box of 4 rows of 20 floats in an array of `rows` rows of 24.
    const dma::Tile2D<float, 20, 4> box{.pitch_bytes = 96, .array_rows = rows};
    expect(dma::host::broken_law(box).empty(),
           "Tile2D keeps the laws in an array of " + std::to_string(rows) + " rows");
  }
  const std::string misaligned = message_of<std::logic_error>([] { dma::host::launch(Misaligned{}, {1}); });
  expect(contains(misaligned, "its Storage is not aligned"), "storage that is not aligned is refused; " + misaligned);

  std::ostringstream table;
  table << dma::explain<Doubles<dma::BulkCopy<>, 0>::Pipe>();
  expect(contains(table.str(), "BulkCopy"), "explain names the engine; " + table.str());
  return failures == 0 ? 0 : 1;
}
