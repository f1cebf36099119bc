// prove_kernels [--svg FILE] KERNEL MISTAKE: what `prove` says of a kernel of the site, and its schedule as a picture.
// prove_kernels: of all of them. Exits with 1 where it is not what the kernel's mistake should get.

#include "verdicts.hpp"

#include <dma/proof/draw.hpp>

#include <CLI/CLI.hpp>

#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

int main(int argc, char** argv) try {
  std::string kernel;
  std::string mistake;
  std::string svg_file;
  CLI::App app("Proves the kernels of the site, right and with a mistake.");
  app.add_option("kernel", kernel, "as a choice of the site is called, scale for example; all where there is none");
  app.add_option("mistake", mistake, "as the kernel's source calls it, or none");
  app.add_option("--svg", svg_file, "where the schedule is drawn");
  CLI11_PARSE(app, argc, argv);

  bool is_known = false;
  bool is_right = true;
  for (const site::Choice& choice : site::choices) {
    const bool is_chosen =
        kernel.empty() || (kernel == choice.kernel && (mistake.empty() || mistake == choice.mistake));
    if (is_chosen) {
      is_known = true;
      const dma::proof::Verdict verdict = choice.prove();
      // A right kernel is proved whole: its arrays do not adjoin.
      const bool is_whole = choice.kind != site::Kind::none || verdict.not_judged.empty();
      is_right = is_right && verdict.kind == choice.kind && is_whole;
      std::cout << choice.kernel << ' ' << choice.mistake << '\n' << verdict << '\n';
      if (!svg_file.empty()) {
        std::ofstream out(svg_file);
        out << dma::proof::draw(verdict);
        out.close();
        if (!out) {
          throw std::runtime_error("prove_kernels: cannot write " + svg_file);
        }
      }
    }
  }
  if (!is_known) {
    throw std::runtime_error("prove_kernels: no kernel " + kernel + " with the mistake " + mistake);
  }
  return is_right ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
