#pragma once

/// The arguments of a program that has no options: `--help` prints what it does, any other one is an error.

#include <cstdio>
#include <cstdlib>
#include <cstring>

/// Whether the first argument asks for help.
[[nodiscard]] inline bool asks_for_help(int argc, char** argv) {
  return argc > 1 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
}

/// Returns where there are no arguments; otherwise the program ends, with 0 where it was asked for help and else
/// with 2.
///
/// @param what  the program does, in a sentence
inline void expect_no_arguments(int argc, char** argv, const char* what) {
  if (argc > 1) {
    const bool is_asked = asks_for_help(argc, argv);
    std::fprintf(is_asked ? stdout : stderr, "%s\nUsage: %s [--help]\n", what, argv[0]);
    if (!is_asked) {
      std::fprintf(stderr, "%s: it has no argument %s\n", argv[0], argv[1]);
    }
    std::exit(is_asked ? 0 : 2);
  }
}
