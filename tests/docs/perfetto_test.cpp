// The JSON for Perfetto against the events of its trace.

#include "guide/timelines/perfetto.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;

/// In steps or cycles.
long long time_of(const json& event, const char* name = "ts") {
  return std::llround(event.at(name).get<double>() * 1000);
}

/// The slices and arrows of a JSON, by process.
struct Read {
  struct Slice {
    long long end;
    std::string name;
    std::string category;
  };
  struct Arrow {
    int from, to;  ///< warps
    long long leaves, arrives;
    std::string name;
  };
  std::map<std::pair<int, long long>, Slice> slices;  ///< by warp and begin
  std::vector<Arrow> arrows;
};

std::map<int, Read> read(const json& file) {
  std::map<int, Read> processes;
  std::map<int, json> begun;
  for (const json& event : file.at("traceEvents")) {
    const std::string phase = event.at("ph");
    Read& process = processes[event.at("pid")];
    const int warp = event.at("tid");
    if (phase == "X") {
      const long long begin = time_of(event);
      REQUIRE(
          process.slices
              .try_emplace({warp, begin}, Read::Slice{begin + time_of(event, "dur"), event.at("name"), event.at("cat")})
              .second);
    } else if (phase == "s") {
      REQUIRE(begun.try_emplace(event.at("id"), event).second);
    } else if (phase == "f") {
      const json& from = begun.at(event.at("id"));
      REQUIRE(from.at("pid") == event.at("pid"));
      REQUIRE(from.at("name") == event.at("name"));
      process.arrows.push_back({from.at("tid"), warp, time_of(from), time_of(event), event.at("name")});
      begun.erase(event.at("id"));
    } else {
      REQUIRE(phase == "M");
    }
  }
  REQUIRE(begun.empty());
  return processes;
}

/// Of a trace of one CTA whose loads are of one warp a slot.
void check(const draw::Trace& trace, const Read& process) {
  long long begin = trace.events.front().time;
  for (const draw::Event& event : trace.events) {
    begin = std::min(begin, event.time);
  }
  std::map<std::pair<int, long long>, int> times;
  std::map<std::pair<int, int>, std::vector<std::pair<int, long long>>> loaded;  // by slot: warp and time
  for (const draw::Event& event : trace.events) {
    times[{event.warp, event.time - begin}] += 1;
    if (event.mark == "arrives" && event.state == "full") {
      loaded[{event.pipeline, event.slot}].push_back({event.warp, event.time - begin});
    }
  }
  long long last = 0;
  int warp = -1;
  for (const auto& [place, slice] : process.slices) {
    CAPTURE(place.first, place.second);
    CHECK(times.contains(place));
    CHECK(times.contains({place.first, slice.end}));
    CHECK((place.first != warp || place.second >= last));  // no slice begins within another
    warp = place.first;
    last = slice.end;
  }

  // An arrow from its load to each use of a tile, and from the last release of a slot to its next load.
  std::map<std::tuple<int, int, int>, std::size_t> used;
  std::size_t uses = 0;
  for (const draw::Event& event : trace.events) {
    if (event.mark != "goes_on" || event.state != "full") {
      continue;
    }
    const std::size_t tile = used[{event.warp, event.pipeline, event.slot}]++;
    const auto& [loader, loaded_at] = loaded.at({event.pipeline, event.slot}).at(tile);
    const std::string name = "tile " + std::to_string(tile) + " of slot " + std::to_string(event.slot);
    const long long time = event.time - begin;
    const auto is_this = [&](const Read::Arrow& arrow) {
      return arrow.to == event.warp && arrow.arrives == time && arrow.name == name;
    };
    CAPTURE(event.warp, time, name);
    REQUIRE(std::count_if(process.arrows.begin(), process.arrows.end(), is_this) == 1);
    const Read::Arrow& arrow = *std::find_if(process.arrows.begin(), process.arrows.end(), is_this);
    CHECK(arrow.from == loader);
    CHECK(process.slices.at({arrow.from, arrow.leaves}).end == loaded_at);
    CHECK(process.slices.contains({arrow.to, arrow.arrives}));
    ++uses;
  }
  std::size_t reloads = 0;
  for (const auto& [slot, loads] : loaded) {
    reloads += loads.size() - 1;
  }
  CHECK(process.arrows.size() == uses + reloads);
}

}  // namespace

TEST_CASE("the slices and arrows of a trace's JSON are those of its events", "[trace]") {
  std::ifstream file(DMA_TIMELINES "/bufferings.trace");
  const std::vector<draw::Trace> traces = draw::read_traces(file);
  REQUIRE(traces.size() == 3);
  const std::map<int, Read> processes = read(json::parse(draw::perfetto_events(traces).dump()));
  REQUIRE(processes.size() == traces.size());
  for (std::size_t i = 0; i < traces.size(); ++i) {
    CAPTURE(traces[i].name);
    check(traces[i], processes.at(static_cast<int>(i)));
  }
}

TEST_CASE("a tile that compute warps fill is stored", "[trace]") {
  std::istringstream text(
      "trace stores steps 2\n"
      "0 0 0 0 empty compute begins 0\n"
      "0 0 0 0 empty compute waits 1\n"
      "0 0 0 0 empty compute goes_on 2\n"
      "0 0 0 0 full compute arrives 5\n"
      "0 1 0 0 empty dma begins 0\n"
      "0 1 0 0 full dma waits 1\n"
      "0 1 0 0 full dma goes_on 6\n"
      "0 1 0 0 empty dma arrives 9\n");
  const Read process = read(draw::perfetto_events(draw::read_traces(text))).at(0);
  REQUIRE(process.arrows.size() == 1);
  const Read::Arrow& arrow = process.arrows.front();
  CHECK(process.slices.at({arrow.from, arrow.leaves}).category == "compute");
  CHECK(process.slices.at({arrow.to, arrow.arrives}).category == "store");
  CHECK(process.slices.at({arrow.to, arrow.arrives}).name == "stores slot 0");
  CHECK(process.slices.at({1, 6}).end == 9);
}
