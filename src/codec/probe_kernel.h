// A row of a table of kernels (base/kernel_choice.h) for a scheme of probes.h: the functions that set and
// query the bits of a WordBits, optimised for one processor.
//
// All kernels of a scheme set the same bits and return the same answers; a test compares them. The definition
// is kScalarKernel, which is probes.h itself.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "codec/probes.h"
#include "codec/word_bits.h"

namespace bloomery {

template <typename Scheme>
struct ProbeKernel {
  const char* name;
  bool (*available)();
  // Each function does the same as the function of DialectFilter with its name. Precondition: the WordBits
  // has as many bits as the scheme.
  bool (*may_contain)(const WordBits&, const Scheme&, std::string_view key);
  bool (*insert)(WordBits&, const Scheme&, std::string_view key);
  void (*may_contain_batch)(const WordBits&, const Scheme&, std::span<const std::string_view>,
                            std::span<std::uint64_t> answers);
  std::uint64_t (*insert_batch)(WordBits&, const Scheme&, std::span<const std::string_view>);
};

template <ProbeScheme Scheme>
inline constexpr ProbeKernel<Scheme> kScalarKernel = {
    .name = "scalar",
    .available = [] { return true; },
    .may_contain = probes::may_contain<Scheme>,
    .insert = probes::insert<Scheme>,
    .may_contain_batch = probes::may_contain_batch<Scheme>,
    .insert_batch =
        [](WordBits& bits, const Scheme& scheme, std::span<const std::string_view> keys) {
          return probes::insert_batch<Scheme>(bits, scheme, keys);
        }};

// The row of a kernel that this build does not contain.
template <typename Scheme>
inline constexpr ProbeKernel<Scheme> kMissingKernel = {.name = "avx512",
                                                       .available = [] { return false; },
                                                       .may_contain = nullptr,
                                                       .insert = nullptr,
                                                       .may_contain_batch = nullptr,
                                                       .insert_batch = nullptr};

}  // namespace bloomery
