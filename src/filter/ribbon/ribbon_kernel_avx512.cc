// The ribbon kernel for AVX-512. A vector holds eight columns of a key, and their parities are counts of
// bits.
//
// Masks leave out the columns that a key does not have, so only words of the key's own two blocks are read.
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run.
#include "filter/ribbon/ribbon_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define BLOOMERY_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vpopcntdq,avx2,bmi,bmi2,popcnt")))
#define BLOOMERY_RIBBON_TARGET BLOOMERY_AVX512

#include "filter/ribbon/ribbon_probe.h"

namespace bloomery {
namespace {

constexpr std::uint32_t kLanes = 8;
// Without a mask GCC 12 warns that the intrinsics of shifts read a value that was never set.
constexpr __mmask8 kAll = 0xff;

// Returns the parities of the picked bits, a bit for each column in `columns`, from column `first` on.
BLOOMERY_AVX512 inline std::uint32_t parities(const Probe& probe, std::uint32_t first, __mmask8 columns) {
  const __m512i low_row = _mm512_set1_epi64(static_cast<long long>(probe.low_row));
  const __m512i high_row = _mm512_set1_epi64(static_cast<long long>(probe.high_row));
  // A row that ends in its block must not read the next block, which may not exist.
  const __mmask8 of_next = probe.high_row == 0 ? 0 : columns;
  const __m512i low = _mm512_maskz_loadu_epi64(columns, probe.low + first);
  const __m512i high = _mm512_maskz_loadu_epi64(of_next, probe.high + first);
  // 0x78: a xor (b and c), which is (low and low_row) xor (high and high_row).
  const __m512i picked = _mm512_ternarylogic_epi64(_mm512_and_si512(low, low_row), high, high_row, 0x78);
  return _mm512_test_epi64_mask(_mm512_popcnt_epi64(picked), _mm512_set1_epi64(1));
}

struct Exactly {
  static constexpr bool kReadsGroups = false;

  BLOOMERY_AVX512 static unsigned contain(const Probe& a, const Probe& b) {
    return (contains(a) ? 1U : 0U) | (contains(b) ? 2U : 0U);
  }
  // Compares two vectors at once, so that the columns of most plans are compared without a branch.
  BLOOMERY_AVX512 static bool contains(const Probe& probe) {
    for (std::uint32_t first = 0;; first += 2 * kLanes) {
      const std::uint32_t columns = _bzhi_u32(0xffff, probe.columns - first);
      const std::uint32_t found = parities(probe, first, static_cast<__mmask8>(columns)) |
                                  parities(probe, first + kLanes, static_cast<__mmask8>(columns >> kLanes))
                                      << kLanes;
      const bool equal = ((found ^ static_cast<std::uint32_t>(probe.fingerprint >> first)) & columns) == 0;
      if (__builtin_expect(probe.columns - first <= 2 * kLanes, 1)) {
        return equal;
      }
      if (!equal) {
        return false;
      }
    }
  }
};

// Eight columns, one in each lane.
struct Lanes {
  __m512i window;
  __m512i shifts;  // shifts that bring the column of each lane to bit 0
};

template <std::size_t kVectors>
BLOOMERY_AVX512 void back_substitute_vectors(std::span<const BandEquation> equations,
                                             std::uint32_t first_column, std::uint64_t* out) {
  const __m512i one = _mm512_set1_epi64(1);
  std::array<Lanes, kVectors> lanes;
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::uint64_t column = first_column + kLanes * v;
    lanes[v] = {.window = _mm512_setzero_si512(),
                .shifts = _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(column)),
                                           _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7))};
  }
  for (std::size_t slot = equations.size(); slot-- > 0;) {
    const __m512i row = _mm512_set1_epi64(static_cast<long long>(equations[slot].row));
    // The equation of a free slot is all zeros, so the slot becomes 0 without a branch.
    const __m512i wanted = _mm512_set1_epi64(static_cast<long long>(equations[slot].fingerprint));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const __m512i window = _mm512_maskz_slli_epi64(kAll, lanes[v].window, 1);
      const __m512i count = _mm512_popcnt_epi64(_mm512_and_si512(window, row));
      const __m512i bit =
          _mm512_ternarylogic_epi64(count, _mm512_maskz_srlv_epi64(kAll, wanted, lanes[v].shifts), one,
                                    0x28);  // (a xor b) and c
      lanes[v].window = _mm512_or_si512(window, bit);
    }
    if (slot % kRibbonBlockSlots == 0) {
      for (std::size_t v = 0; v < kVectors; ++v) {
        _mm512_storeu_si512(out + slot / kRibbonBlockSlots * kColumnGroup + kLanes * v, lanes[v].window);
      }
    }
  }
}

void back_substitute(std::span<const BandEquation> equations, std::uint32_t first_column,
                     std::uint32_t columns, std::uint64_t* out) {
  return columns <= kLanes ? back_substitute_vectors<1>(equations, first_column, out)
                           : back_substitute_vectors<2>(equations, first_column, out);
}

bool available() {
  return __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vpopcntdq") != 0 && __builtin_cpu_supports("bmi2") != 0;
}

}  // namespace

const RibbonKernel kAvx512RibbonKernel = {.name = "avx512",
                                          .available = available,
                                          .may_contain = may_contain<Exactly>,
                                          .may_contain_batch = may_contain_batch<Exactly>,
                                          .back_substitute = back_substitute};

}  // namespace bloomery

#else

namespace bloomery {

const RibbonKernel kAvx512RibbonKernel = {.name = "avx512",
                                          .available = [] { return false; },
                                          .may_contain = nullptr,
                                          .may_contain_batch = nullptr,
                                          .back_substitute = nullptr};

}  // namespace bloomery

#endif
