#include "../gpu.hpp"
#include "execute.hpp"
#include "runner.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <cuda_runtime.h>

namespace attention {
namespace {

using gpu::check;

/// A host array's copy in the GPU's memory, from 8 elements before the first row on.
template <class Element>
class Copy {
 public:
  Copy(const std::vector<Element>& memory, const Element* first)
      : before_(first - 8), count_(memory.size() - static_cast<std::size_t>(before_ - memory.data())), array_(count_) {
    check(cudaMemcpy(array_.data(), before_, count_ * sizeof(Element), cudaMemcpyHostToDevice));
  }
  [[nodiscard]] Element* first() const { return array_.data() + 8; }
  void copy_back() const {
    check(cudaMemcpy(const_cast<Element*>(before_), array_.data(), count_ * sizeof(Element), cudaMemcpyDeviceToHost));
  }

 private:
  const Element* before_;
  std::size_t count_;
  gpu::Array<Element> array_;
};

class DeviceRunner final : public Runner {
 public:
  [[nodiscard]] std::string name() const override { return gpu_.properties.name; }
  [[nodiscard]] int sms() const override { return gpu_.properties.multiProcessorCount; }
  void run(Case<BFloat16>& c, const Plan& plan) override { run_on_copies(c, plan); }
  void run(Case<Half>& c, const Plan& plan) override { run_on_copies(c, plan); }

  [[nodiscard]] double time() override { return gpu::median_seconds(gpu_.stream, again_); }

 private:
  template <class Element>
  struct Copies {
    Copy<Element> q, k, v, o;
    gpu::Array<float> log_sums;
  };

  template <class Element>
  void run_on_copies(Case<Element>& c, const Plan& plan) {
    const auto copies = std::make_shared<Copies<Element>>(Copies<Element>{{c.memory_q, c.p.q.first},
                                                                          {c.memory_k, c.p.k.first},
                                                                          {c.memory_v, c.p.v.first},
                                                                          {c.memory_o, c.p.o.first},
                                                                          gpu::Array<float>(c.log_sums.size())});
    const std::size_t bytes = c.log_sums.size() * sizeof(float);
    check(cudaMemcpy(copies->log_sums.data(), c.log_sums.data(), bytes, cudaMemcpyHostToDevice));
    Problem<Element> own = c.p;
    own.q.first = copies->q.first();
    own.k.first = copies->k.first();
    own.v.first = copies->v.first();
    own.o.first = copies->o.first();
    own.log_sums = copies->log_sums.data();
    again_ = [copies, own, plan, this] { attend(own, plan, gpu_.stream); };
    again_();
    check(cudaStreamSynchronize(gpu_.stream));
    copies->o.copy_back();
    check(cudaMemcpy(c.log_sums.data(), copies->log_sums.data(), bytes, cudaMemcpyDeviceToHost));
  }

  gpu::Device gpu_;
  std::function<void()> again_;  ///< owns the copies that it reads
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace attention
