#include "../../examples/gpu.hpp"
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
  void run(PagedCase<BFloat16>& c, const PagedPlan& plan) override { run_on_copies(c, plan); }
  void run(PagedCase<Half>& c, const PagedPlan& plan) override { run_on_copies(c, plan); }
  void run(BackwardCase<BFloat16>& c, const BackwardPlan& plan) override { run_on_copies(c, plan); }
  void run(BackwardCase<Half>& c, const BackwardPlan& plan) override { run_on_copies(c, plan); }

  [[nodiscard]] double time() override { return gpu::median_seconds(gpu_.stream, again_); }

 private:
  template <class Element>
  struct Copies {
    Copy<Element> q, k, v, o;
    gpu::Array<float> log_sums;
  };

  template <class Element>
  struct PagedCopies : Copies<Element> {
    gpu::Array<int> lengths, table;
  };
  template <class Element>
  struct BackwardCopies : Copies<Element> {
    Copy<Element> d_o, d_q, d_k, d_v;
    gpu::Array<float> work;
  };

  template <class Element>
  void run_on_copies(Case<Element>& c, const Plan& plan) {
    const auto copies = std::make_shared<Copies<Element>>(copies_of(c, c.memory_k, c.memory_v, c.p));
    Problem<Element> own = c.p;
    use(*copies, own);
    run_with(copies, c, [=, this] { attend(own, plan, gpu_.stream); });
  }
  template <class Element>
  void run_on_copies(PagedCase<Element>& c, PagedPlan plan) {
    const std::vector<int>& lengths = c.whole.lengths;
    const auto copies = std::make_shared<PagedCopies<Element>>(
        PagedCopies<Element>{copies_of(c.whole, c.memory_k, c.memory_v, c.p), gpu::Array<int>(lengths.size()),
                             gpu::Array<int>(c.table.size())});
    copy_to(copies->lengths, lengths);
    copy_to(copies->table, c.table);
    PagedProblem<Element> own = c.p;
    use(*copies, own);
    own.lengths = copies->lengths.data();
    own.page_table = copies->table.data();
    plan.lengths = own.lengths;
    run_with(copies, c.whole, [=, this] { attend(own, plan, gpu_.stream); });
  }
  template <class Element>
  void run_on_copies(BackwardCase<Element>& c, const BackwardPlan& plan) {
    const BackwardProblem<Element>& p = c.backward;
    const auto copies =
        std::make_shared<BackwardCopies<Element>>(BackwardCopies<Element>{copies_of(c, c.memory_k, c.memory_v, c.p),
                                                                          {c.memory_d_o, p.d_o.first},
                                                                          {c.memory_d_q, p.d_q.first},
                                                                          {c.memory_d_k, p.d_k.first},
                                                                          {c.memory_d_v, p.d_v.first},
                                                                          gpu::Array<float>(c.work)});
    BackwardProblem<Element> own = p;
    use(*copies, own.forward);
    own.d_o.first = copies->d_o.first();
    own.d_q.first = copies->d_q.first();
    own.d_k.first = copies->d_k.first();
    own.d_v.first = copies->d_v.first();
    own.work = copies->work.data();
    run_with(copies, c, [=, this] { attend_backward(own, plan, gpu_.stream); });
    copies->d_q.copy_back();
    copies->d_k.copy_back();
    copies->d_v.copy_back();
  }

  template <class T>
  static void copy_to(const gpu::Array<T>& array, const std::vector<T>& from) {
    check(cudaMemcpy(array.data(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  /// K and V are where the problem says, in memory of their own.
  template <class Element>
  static Copies<Element> copies_of(const Case<Element>& c, const std::vector<Element>& k, const std::vector<Element>& v,
                                   const Problem<Element>& p) {
    Copies<Element> copies{{c.memory_q, p.q.first},
                           {k, p.k.first},
                           {v, p.v.first},
                           {c.memory_o, p.o.first},
                           gpu::Array<float>(c.log_sums.size())};
    copy_to(copies.log_sums, c.log_sums);
    return copies;
  }
  template <class Element>
  static void use(const Copies<Element>& copies, Problem<Element>& p) {
    p.q.first = copies.q.first();
    p.k.first = copies.k.first();
    p.v.first = copies.v.first();
    p.o.first = copies.o.first();
    p.log_sums = copies.log_sums.data();
  }
  template <class Copies, class Element>
  void run_with(const std::shared_ptr<Copies>& copies, Case<Element>& c, const std::function<void()>& launch) {
    again_ = [copies, launch] { launch(); };
    again_();
    check(cudaStreamSynchronize(gpu_.stream));
    copies->o.copy_back();
    check(cudaMemcpy(c.log_sums.data(), copies->log_sums.data(), c.log_sums.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
  }

  gpu::Device gpu_;
  std::function<void()> again_;  ///< owns the copies that it reads
};

}  // namespace

Runner* device_runner(std::string& reason) { return gpu::only_runner<DeviceRunner>(reason); }

}  // namespace attention
