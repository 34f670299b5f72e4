// Does the work of one hot path, so that scripts/instructions can count its instructions.
//
//   hot_paths PATH          does a fixed amount of the path's work, and prints how many operations that was
//   hot_paths --list        the paths, one a line: name,kernels      kernels: the values of BLOOMERY_KERNEL to count
//   hot_paths --compiler    NAME-MAJOR of the compiler, "gcc-12"; "unoptimised" where it was told not to optimise
//
// The script runs it under callgrind. The same path is the same instructions each time: keys follow from
// fixed seeds, there is one thread, and nothing that is counted asks a clock. Making keys and filters is not counted.
#include <algorithm>
#include <array>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "bench/instructions/path.h"

namespace bloomery::instructions {
namespace {

std::array<std::span<const Path>, 4> all_paths() {
  return {filter_paths(), dialect_paths(), key_paths(), hfile_paths()};
}

std::string compiler() {
#if !defined(__OPTIMIZE__) || !defined(NDEBUG)
  return "unoptimised";
#elif defined(__clang__)
  return fmt::format("clang-{}", __clang_major__);
#else
  return fmt::format("gcc-{}", __GNUC__);
#endif
}

const Path* find(std::string_view name) {
  for (const std::span<const Path>& paths : all_paths()) {
    const auto found = std::ranges::find(paths, name, &Path::name);
    if (found != paths.end()) {
      return &*found;
    }
  }
  return nullptr;
}

void list() {
  for (const std::span<const Path>& paths : all_paths()) {
    for (const Path& path : paths) {
      fmt::print("{},{}\n", path.name, path.kernels);
    }
  }
}

int run(std::string_view argument) {
  if (argument == "--compiler") {
    fmt::print("{}\n", compiler());
    return 0;
  }
  if (argument == "--list") {
    list();
    return 0;
  }
  const Path* const path = find(argument);
  if (path == nullptr) {
    fmt::print(stderr, "hot_paths: no path '{}'; hot_paths --list names them\n", argument);
    return 2;
  }
  const Counted count = path->run();
  fmt::print("{},{}\n", count.operations, count.result);
  return 0;
}

}  // namespace
}  // namespace bloomery::instructions

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: hot_paths PATH | --list | --compiler\n");
    return 2;
  }
  return bloomery::instructions::run(argv[1]);
}
