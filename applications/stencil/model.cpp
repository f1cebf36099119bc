// Prints what a step takes on 1 to 512 GPUs by the model of docs/applications/many_gpus.md, and marks what was
// measured.

#include "../../examples/usage.hpp"
#include "scaling_model.hpp"

#include <cstdio>

namespace {

using namespace stencil;

constexpr ModelMachine h200_hosts{.sms = 132,
                                  .gpus_a_host = 8,
                                  .inside = {3.6e-6, 398e9, true},
                                  .between = {25e-6, 50e9, false},
                                  .join_seconds = 2.2e-6,
                                  .memory_rate = 4e12};
constexpr ModelDomain domains[] = {
    {512, 512, 512, 256, 16, 0.994e-6, 4.2e-6},
    {800, 800, 200, 200, 25, 1.242e-6, 8.8e-6},
};

struct Measured {
  int domain;
  int gpus;
  bool is_weak;
  double seconds;
};
constexpr Measured measured[] = {{0, 1, false, 264.9e-6}, {0, 2, false, 145.2e-6}, {0, 2, true, 272.8e-6},
                                 {1, 1, false, 269.9e-6}, {1, 2, false, 149.6e-6}, {1, 2, true, 274.0e-6}};

void print_step(int domain, const ModelStep& step, int gpus, bool is_weak, double efficiency) {
  std::printf("  %7.1f us %6.1f%% %s", step.total * 1e6, 100 * efficiency,
              gpus == 1                    ? "march   "
              : step.exchange > step.march ? "exchange"
                                           : "march   ");
  double seen = 0;
  for (const Measured& m : measured) {
    seen = m.domain == domain && m.gpus == gpus && (m.is_weak == is_weak || gpus == 1) ? m.seconds : seen;
  }
  if (seen != 0) {
    std::printf(" measured %6.1f", seen * 1e6);
  } else {
    std::printf("%16s", "");
  }
}

}  // namespace

int main(int argc, char** argv) {
  expect_no_arguments(argc, argv,
                      "Prints the time of a step of the stencil on many GPUs, by a model of measured times.");
  for (int d = 0; d < 2; ++d) {
    const ModelDomain& domain = domains[d];
    std::printf("%d x %d x %d points: a step of one such domain on all GPUs (strong), of one on each (weak)\n",
                domain.nx, domain.ny, domain.nz);
    std::printf("  GPUs  strong                                     weak\n");
    const double alone = model_step(domain, h200_hosts, domain.nz, 1).total;
    for (int gpus = 1; gpus <= 512; gpus *= 2) {
      std::printf("  %4d", gpus);
      if (domain.nz / gpus >= model_radius) {
        const int planes = (domain.nz + gpus - 1) / gpus;
        const ModelStep strong = model_step(domain, h200_hosts, planes, gpus);
        print_step(d, strong, gpus, false, alone / strong.total / gpus);
      } else {
        std::printf("  %-42s", "fewer planes than the star reaches");
      }
      const ModelStep weak = model_step(domain, h200_hosts, domain.nz, gpus);
      print_step(d, weak, gpus, true, alone / weak.total);
      std::printf("\n");
    }
  }
  return 0;
}
