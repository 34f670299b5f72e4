// A hot path: its name, the kernels with which it is counted, and the function that does a fixed amount of its work.
#pragma once

#include <span>
#include <string_view>

#include "bench/instructions/counted.h"

namespace bloomery::instructions {

struct Path {
  std::string_view name;
  std::string_view kernels;  // values of BLOOMERY_KERNEL, with spaces between
  Counted (*run)();          // once in a process
};

// Of paths whose instructions depend on the kernel.
inline constexpr std::string_view kBoth = "scalar avx2";
// Of paths that are compiled for AVX2.
inline constexpr std::string_view kAvx2 = "avx2";
// Of paths without a kernel that callgrind can run. No kernel has this name, so none is forced.
inline constexpr std::string_view kAny = "any";

std::span<const Path> filter_paths();   // all types of our own
std::span<const Path> dialect_paths();  // filters of other systems
std::span<const Path> key_paths();      // from lines to hashes, and dedup
std::span<const Path> hfile_paths();

}  // namespace bloomery::instructions
