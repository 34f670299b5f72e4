// The kernels of Guava's strategy 1 (guava_probes.h): the scalar definition and AVX-512.
//
// All kernels give the same bits and answers, and a test compares them. Each is a row of the table in
// mitz64_kernel.cc. Source of the positions: docs/formats/guava.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codec/guava/guava_probes.h"
#include "codec/word_bits.h"

namespace bloomery {

struct Mitz64Kernel {
  const char* name;
  bool (*available)();
  // They do what the functions of DialectFilter with these names do. Precondition: the scheme has as many bits.
  bool (*may_contain)(const WordBits&, const Mitz64&, std::string_view key);
  bool (*insert)(WordBits&, const Mitz64&, std::string_view key);
  void (*may_contain_batch)(const WordBits&, const Mitz64&, std::span<const std::string_view>,
                            std::span<std::uint64_t> answers);
  std::uint64_t (*insert_batch)(WordBits&, const Mitz64&, std::span<const std::string_view>);
};

// Returns all kernels of this build. The definition is the last.
std::span<const Mitz64Kernel> mitz64_kernels();

// Returns the first kernel that this machine can run. If the environment variable BLOOMERY_KERNEL names one that it can
// run, returns that.
const Mitz64Kernel& chosen_mitz64_kernel();

extern const Mitz64Kernel kScalarMitz64Kernel;
extern const Mitz64Kernel kAvx512Mitz64Kernel;

}  // namespace bloomery
