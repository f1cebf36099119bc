#pragma once

#include <dma/host/launch.hpp>

#include <cstddef>
#include <memory>
#include <vector>

/// The emulated CTA as a runner that the shared cases run on.
class HostRunner {
 public:
  /// Zeroed, aligned to 16 bytes, and alive as long as the runner.
  [[nodiscard]] unsigned char* bytes(std::size_t count) {
    blocks_.push_back(std::make_unique<Block[]>(count / sizeof(Block) + 1));
    return blocks_.back()[0].bytes;
  }

  template <class Body, class... Args>
  void run(const Body& body, int ctas, const Args&... args) const {
    dma::host::launch(body, {ctas}, args...);
  }

 private:
  struct alignas(16) Block {
    unsigned char bytes[16];
  };
  std::vector<std::unique_ptr<Block[]>> blocks_;
};
