#include "checkpoint.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace stencil {
namespace {

/// Extents, media and step, as the file begins with them.
struct Header {
  char magic[8] = {'d', 'm', 'a', 'w', 'a', 'v', 'e', '1'};
  Medium medium;
  int step;

  /// Whether the media and the extents are the same. No member has padding after it.
  [[nodiscard]] bool is_of(const Medium& m) const {
    return medium.nx == m.nx && medium.ny == m.ny && medium.nz == m.nz && medium.source_x == m.source_x &&
           medium.source_y == m.source_y && medium.source_z == m.source_z && medium.upper == m.upper &&
           medium.lower == m.lower && medium.interface == m.interface;
  }
};

/// Planes that are in the host's memory at once.
constexpr int chunk = 8;

std::size_t plane_points(const Medium& m) { return static_cast<std::size_t>(m.nx) * static_cast<std::size_t>(m.ny); }
std::uintmax_t file_bytes(const Medium& m) {
  return sizeof(Header) + 2 * sizeof(float) * plane_points(m) * static_cast<std::size_t>(m.nz);
}

/// Calls `run(state, first, count)` for all planes of both states.
template <class Run>
void for_each_chunk(const Medium& m, const Run& run) {
  for (const State state : {State::now, State::before}) {
    for (int first = 0; first < m.nz; first += chunk) {
      run(state, first, std::min(chunk, m.nz - first));
    }
  }
}

}  // namespace

void save_checkpoint(const std::string& path, Wave& wave, const Medium& medium, int step, bool writes) {
  std::vector<float> planes(plane_points(medium) * chunk);
  if (!writes) {
    for_each_chunk(medium,
                   [&](State state, int first, int count) { wave.read_planes(state, first, count, planes.data()); });
    return;
  }
  const std::string unfinished = path + ".part";
  {
    std::ofstream file(unfinished, std::ios::binary);
    Header header{};
    header.medium = medium;
    header.step = step;
    file.write(reinterpret_cast<const char*>(&header), sizeof header);
    for_each_chunk(medium, [&](State state, int first, int count) {
      wave.read_planes(state, first, count, planes.data());
      file.write(reinterpret_cast<const char*>(planes.data()),
                 static_cast<std::streamsize>(plane_points(medium) * static_cast<std::size_t>(count) * sizeof(float)));
    });
    file.close();
    if (!file) {
      throw std::runtime_error("stencil: cannot write all of " + unfinished + "; the checkpoint before is unchanged");
    }
  }
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error) {
    throw std::runtime_error("stencil: cannot write " + path + ": " + error.message());
  }
}

int load_checkpoint(const std::string& path, Wave& wave, const Medium& medium) {
  std::ifstream file(path, std::ios::binary);
  Header header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  const Header expected{};
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (!file || error || !std::equal(std::begin(header.magic), std::end(header.magic), expected.magic) ||
      bytes != file_bytes(header.medium)) {
    throw std::runtime_error("stencil: " + path + " is not a complete checkpoint; give one that --checkpoint wrote");
  }
  if (!header.is_of(medium)) {
    throw std::runtime_error("stencil: " + path + " is of " + std::to_string(header.medium.nx) + " x " +
                             std::to_string(header.medium.ny) + " x " + std::to_string(header.medium.nz) +
                             " points or of other media; give the extents that it was written with");
  }
  std::vector<float> planes(plane_points(medium) * chunk);
  for_each_chunk(medium, [&](State state, int first, int count) {
    file.read(reinterpret_cast<char*>(planes.data()),
              static_cast<std::streamsize>(plane_points(medium) * static_cast<std::size_t>(count) * sizeof(float)));
    wave.write_planes(state, first, count, planes.data());
  });
  if (!file) {
    throw std::runtime_error("stencil: cannot read all of " + path);
  }
  return header.step;
}

}  // namespace stencil
