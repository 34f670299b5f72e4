// The ribbon kernel for AVX2. It compares sixteen columns of a key at once, without a branch on their bits.
//
// A key's slots are in two neighbouring blocks. The kernel reads sixteen words of each block, even if the key
// has fewer columns, and masks off the surplus. The two halves of the key's row pick bits of these words.
// Folding turns them into sixteen parities of one bit each.
//
// Functions have a target attribute, so that no other code of the build is compiled for a processor on which
// it may not run.
#include "filter/ribbon/ribbon_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define BLOOMERY_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define BLOOMERY_RIBBON_TARGET BLOOMERY_AVX2

#include "filter/ribbon/ribbon_probe.h"

namespace bloomery {
namespace {

// Returns the XOR of the bits that both halves of a row pick, for four neighbouring columns.
BLOOMERY_AVX2 inline __m256i picked(const std::uint64_t* low, const std::uint64_t* high, __m256i low_row,
                                    __m256i high_row) {
  const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low));
  const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
  return _mm256_xor_si256(_mm256_and_si256(a, low_row), _mm256_and_si256(b, high_row));
}

// Returns the parities of sixteen columns, bit j for column j. XORs the halves of each column until four bits
// of it are left in a byte. Every fold packs two vectors into one.
BLOOMERY_AVX2 inline std::uint32_t parities(__m256i c0, __m256i c4, __m256i c8, __m256i c12) {
  const __m256i c0_4 = _mm256_blend_epi32(_mm256_xor_si256(c0, _mm256_srli_epi64(c0, 32)),
                                          _mm256_xor_si256(c4, _mm256_slli_epi64(c4, 32)), 0xaa);
  const __m256i c8_12 = _mm256_blend_epi32(_mm256_xor_si256(c8, _mm256_srli_epi64(c8, 32)),
                                           _mm256_xor_si256(c12, _mm256_slli_epi64(c12, 32)), 0xaa);
  __m256i all = _mm256_blend_epi16(_mm256_xor_si256(c0_4, _mm256_srli_epi32(c0_4, 16)),
                                   _mm256_xor_si256(c8_12, _mm256_slli_epi32(c8_12, 16)), 0xaa);
  all = _mm256_xor_si256(all, _mm256_srli_epi16(all, 8));
  all = _mm256_and_si256(_mm256_xor_si256(all, _mm256_srli_epi16(all, 4)), _mm256_set1_epi16(0xf));
  const __m128i nibbles =  // by column: 0 8 4 12 1 9 5 13 2 10 6 14 3 11 7 15
      _mm_packus_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  const __m128i odd = _mm_setr_epi8(0, -1, -1, 0, -1, 0, 0, -1, -1, 0, 0, -1, 0, -1, -1, 0);
  const __m128i in_order = _mm_setr_epi8(0, 4, 8, 12, 2, 6, 10, 14, 1, 5, 9, 13, 3, 7, 11, 15);
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_shuffle_epi8(_mm_shuffle_epi8(odd, nibbles), in_order)));
}

// The same for sixteen columns of one key.
BLOOMERY_AVX2 inline std::uint32_t parities(const Probe& probe, std::uint32_t first) {
  const std::uint64_t* const low = probe.low + first;
  const std::uint64_t* const high = probe.high + first;
  const __m256i lows = _mm256_set1_epi64x(static_cast<long long>(probe.low_row));
  const __m256i highs = _mm256_set1_epi64x(static_cast<long long>(probe.high_row));
  return parities(picked(low, high, lows, highs), picked(low + 4, high + 4, lows, highs),
                  picked(low + 8, high + 8, lows, highs), picked(low + 12, high + 12, lows, highs));
}

struct InGroups {
  static constexpr bool kReadsGroups = true;

  // Two keys of at most eight columns cost one fold.
  BLOOMERY_AVX2 static unsigned contain(const Probe& a, const Probe& b) {
    if (__builtin_expect(a.columns > kColumnGroup / 2 || b.columns > kColumnGroup / 2, 0)) {
      return (contains(a) ? 1U : 0U) | (contains(b) ? 2U : 0U);
    }
    const __m256i a_lows = _mm256_set1_epi64x(static_cast<long long>(a.low_row));
    const __m256i a_highs = _mm256_set1_epi64x(static_cast<long long>(a.high_row));
    const __m256i b_lows = _mm256_set1_epi64x(static_cast<long long>(b.low_row));
    const __m256i b_highs = _mm256_set1_epi64x(static_cast<long long>(b.high_row));
    const std::uint32_t found =
        parities(picked(a.low, a.high, a_lows, a_highs), picked(a.low + 4, a.high + 4, a_lows, a_highs),
                 picked(b.low, b.high, b_lows, b_highs), picked(b.low + 4, b.high + 4, b_lows, b_highs));
    const std::uint32_t of_a =
        (found ^ static_cast<std::uint32_t>(a.fingerprint)) & _bzhi_u32(0xff, a.columns);
    const std::uint32_t of_b =
        (found >> 8 ^ static_cast<std::uint32_t>(b.fingerprint)) & _bzhi_u32(0xff, b.columns);
    return (of_a == 0 ? 1U : 0U) | (of_b == 0 ? 2U : 0U);
  }

  BLOOMERY_AVX2 static bool contains(const Probe& probe) {
    std::uint64_t different = parities(probe, 0) ^ probe.fingerprint;
    for (std::uint32_t first = kColumnGroup; __builtin_expect(first < probe.columns, 0);
         first += kColumnGroup) {
      if ((different & 0xffff) != 0) {
        return false;
      }
      different = parities(probe, first) ^ probe.fingerprint >> first;
    }
    const std::uint32_t rest = (probe.columns - 1) % kColumnGroup + 1;
    return (different & ((std::uint64_t{1} << rest) - 1)) == 0;
  }
};

// Four columns, one in each lane.
struct Lanes {
  __m256i window;
  __m256i shifts;  // shifts that bring the column of each lane to bit 0
};

// Returns the parity of every lane in its lowest bit. The bits above it are not 0.
BLOOMERY_AVX2 inline __m256i parity_of_lanes(__m256i bits) {
  bits = _mm256_xor_si256(bits, _mm256_srli_epi64(bits, 32));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi64(bits, 16));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi64(bits, 8));
  bits = _mm256_xor_si256(bits, _mm256_srli_epi64(bits, 4));
  const __m256i odd = _mm256_setr_epi8(0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,  //
                                       0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0);
  return _mm256_shuffle_epi8(odd, _mm256_and_si256(bits, _mm256_set1_epi8(0xf)));
}

template <std::size_t kVectors>
BLOOMERY_AVX2 void back_substitute_vectors(std::span<const BandEquation> equations,
                                           std::uint32_t first_column, std::uint64_t* out) {
  const __m256i one = _mm256_set1_epi64x(1);
  std::array<Lanes, kVectors> lanes;
  for (std::size_t v = 0; v < kVectors; ++v) {
    lanes[v] = {.window = _mm256_setzero_si256(),
                .shifts = _mm256_add_epi64(
                    _mm256_set1_epi64x(std::int64_t{first_column} + 4 * static_cast<std::int64_t>(v)),
                    _mm256_setr_epi64x(0, 1, 2, 3))};
  }
  for (std::size_t slot = equations.size(); slot-- > 0;) {
    const __m256i row = _mm256_set1_epi64x(static_cast<long long>(equations[slot].row));
    // The equation of a free slot is all zeros, so the slot becomes 0 without a branch.
    const __m256i wanted = _mm256_set1_epi64x(static_cast<long long>(equations[slot].fingerprint));
    for (std::size_t v = 0; v < kVectors; ++v) {
      const __m256i window = _mm256_slli_epi64(lanes[v].window, 1);
      const __m256i parity = parity_of_lanes(_mm256_and_si256(window, row));
      const __m256i bit =
          _mm256_and_si256(_mm256_xor_si256(parity, _mm256_srlv_epi64(wanted, lanes[v].shifts)), one);
      lanes[v].window = _mm256_or_si256(window, bit);
    }
    if (slot % kRibbonBlockSlots == 0) {
      std::uint64_t* const block = out + slot / kRibbonBlockSlots * kColumnGroup;
      for (std::size_t v = 0; v < kVectors; ++v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(block + 4 * v), lanes[v].window);
      }
    }
  }
}

void back_substitute(std::span<const BandEquation> equations, std::uint32_t first_column,
                     std::uint32_t columns, std::uint64_t* out) {
  switch ((columns + 3) / 4) {
    case 0:
    case 1:
      return back_substitute_vectors<1>(equations, first_column, out);
    case 2:
      return back_substitute_vectors<2>(equations, first_column, out);
    case 3:
      return back_substitute_vectors<3>(equations, first_column, out);
    default:
      return back_substitute_vectors<4>(equations, first_column, out);
  }
}

}  // namespace

const RibbonKernel kAvx2RibbonKernel = {
    .name = "avx2",
    .available = [] { return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0; },
    .may_contain = may_contain<InGroups>,
    .may_contain_batch = may_contain_batch<InGroups>,
    .back_substitute = back_substitute};

}  // namespace bloomery

#else

namespace bloomery {

const RibbonKernel kAvx2RibbonKernel = {.name = "avx2",
                                        .available = [] { return false; },
                                        .may_contain = nullptr,
                                        .may_contain_batch = nullptr,
                                        .back_substitute = nullptr};

}  // namespace bloomery

#endif
