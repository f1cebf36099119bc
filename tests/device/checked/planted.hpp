#pragma once

/// Kernels with a mistake in them, for the checked build to name: plain functions, so that Catch2 stays out of nvcc's
/// sight. Each runs one kernel in the process that calls it, which is of no use to CUDA afterwards.

#include <string_view>

/// Exit statuses of a process that ran one.
inline constexpr int kernel_was_stopped = 0;
inline constexpr int kernel_went_through = 1;
inline constexpr int has_no_device = 4;
inline constexpr int has_no_such_mistake = 5;

/// What a kernel that is stopped has taken: a second's limit, and its last words.
inline constexpr double slowest_end_s = 10;

/// Where the second of two pipelines of one type keeps its Storage.
inline constexpr int second_storage = 3072;

enum class BarrierKind { phase, named };

int run_hang(std::string_view mistake, BarrierKind barrier);
int run_parted(std::string_view mistake, BarrierKind barrier);
int run_violation(std::string_view mistake);
