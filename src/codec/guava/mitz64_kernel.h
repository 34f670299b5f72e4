// Keys and their bits under Guava's strategy 1 (guava_probes.h): the definition, and AVX-512.
//
// Each kernel gives the same bits and answers; a test compares them. A kernel is a
// row of the table in mitz64_kernel.cc. Source of positions: docs/formats/guava.md.
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
  // As DialectFilter's functions of these names. Precondition: the scheme is of as many bits.
  bool (*may_contain)(const WordBits&, const Mitz64&, std::string_view key);
  bool (*insert)(WordBits&, const Mitz64&, std::string_view key);
  void (*may_contain_batch)(const WordBits&, const Mitz64&, std::span<const std::string_view>,
                            std::span<std::uint64_t> answers);
  std::uint64_t (*insert_batch)(WordBits&, const Mitz64&, std::span<const std::string_view>);
};

// All kernels of this build, the definition last.
std::span<const Mitz64Kernel> mitz64_kernels();

// The first that this machine can run, or the one that the environment variable BLOOMERY_KERNEL names, if it
// can run it.
const Mitz64Kernel& chosen_mitz64_kernel();

extern const Mitz64Kernel kScalarMitz64Kernel;
extern const Mitz64Kernel kAvx512Mitz64Kernel;

}  // namespace bloomery
