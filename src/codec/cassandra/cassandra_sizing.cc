#include "codec/cassandra/cassandra_sizing.h"

#include <array>
#include <cstddef>
#include <string>

namespace bloomery {
namespace {

// The fpp at one number of bits per key, for each hash count from 1 on, and the best hash count.
struct Rates {
  std::uint32_t best_hash_count;
  std::array<double, kMostCassandraHashes> of_hash_count;

  double of(std::uint32_t hash_count) const { return hash_count == 0 ? 1.0 : of_hash_count[hash_count - 1]; }
  double best() const { return of(best_hash_count); }
};

constexpr std::uint32_t kFewestBits = 2;
constexpr std::uint64_t kExcessBits = 20;
constexpr std::uint64_t kMostWords = 0x7fffffff;

// The first row is for 2 bits per key. Source: the behaviour of releases 1.2 to 5.0.
// clang-format off
constexpr std::array<Rates, 19> kRates = {{
    {1, {0.393, 0.4}},  // 2
    {2, {0.283, 0.237, 0.253}},  // 3
    {3, {0.221, 0.155, 0.147, 0.16}},  // 4
    {3, {0.181, 0.109, 0.092, 0.092, 0.101}},  // 5
    {4, {0.154, 0.0804, 0.0609, 0.0561, 0.0578, 0.0638}},  // 6
    {5, {0.133, 0.0618, 0.0423, 0.0359, 0.0347, 0.0364}},  // 7
    {6, {0.118, 0.0489, 0.0306, 0.024, 0.0217, 0.0216, 0.0229}},  // 8
    {6, {0.105, 0.0397, 0.0228, 0.0166, 0.0141, 0.0133, 0.0135, 0.0145}},  // 9
    {7, {0.0952, 0.0329, 0.0174, 0.0118, 0.00943, 0.00844, 0.00819, 0.00846}},  // 10
    {8, {0.0869, 0.0276, 0.0136, 0.00864, 0.0065, 0.00552, 0.00513, 0.00509}},  // 11
    {8, {0.08, 0.0236, 0.0108, 0.00646, 0.00459, 0.00371, 0.00329, 0.00314}},  // 12
    {9, {0.074, 0.0203, 0.00875, 0.00492, 0.00332, 0.00255, 0.00217, 0.00199, 0.00194}},  // 13
    {10, {0.0689, 0.0177, 0.00718, 0.00381, 0.00244, 0.00179, 0.00146, 0.00129, 0.00121, 0.0012}},  // 14
    {10, {0.0645, 0.0156, 0.00596, 0.003, 0.00183, 0.00128, 0.001, 0.000852, 0.000775, 0.000744}},  // 15
    {11, {0.0606, 0.0138, 0.005, 0.00239, 0.00139, 0.000935, 0.000702, 0.000574, 0.000505,
          0.00047, 0.000459}},  // 16
    {12, {0.0571, 0.0123, 0.00423, 0.00193, 0.00107, 0.000692, 0.000499, 0.000394, 0.000335,
          0.000302, 0.000287, 0.000284}},  // 17
    {12, {0.054, 0.0111, 0.00362, 0.00158, 0.000839, 0.000519, 0.00036, 0.000275, 0.000226,
          0.000198, 0.000183, 0.000176}},  // 18
    {13, {0.0513, 0.00998, 0.00312, 0.0013, 0.000663, 0.000394, 0.000264, 0.000194, 0.000155,
          0.000132, 0.000118, 0.000111, 0.000109}},  // 19
    {14, {0.0488, 0.00906, 0.0027, 0.00108, 0.00053, 0.000303, 0.000196, 0.00014, 0.000108,
          8.89e-05, 7.77e-05, 7.12e-05, 6.79e-05, 6.71e-05}},  // 20
}};
// clang-format on

struct Choice {
  std::uint32_t hash_count;
  std::uint32_t bits_per_key;
};

Result<Choice> choose_for_fpp(double fpp) {
  if (fpp >= kRates.front().best()) {
    return Choice{.hash_count = 2, .bits_per_key = 1};
  }
  for (std::size_t row = 0; row < kRates.size(); ++row) {
    const Rates& rates = kRates[row];
    if (rates.best() <= fpp) {
      std::uint32_t hash_count = rates.best_hash_count;
      while (rates.of(hash_count - 1) <= fpp) {
        --hash_count;
      }
      return Choice{.hash_count = hash_count, .bits_per_key = static_cast<std::uint32_t>(row) + kFewestBits};
    }
  }
  return Error::invalid_argument("cassandra",
                                 "fpp: expected at least 6.71e-05, which Cassandra's table ends "
                                 "with, found " +
                                     std::to_string(fpp));
}

}  // namespace

Result<CassandraShape> cassandra_shape(std::uint64_t capacity, double fpp) {
  if (!(fpp > 0 && fpp < 1)) {
    return Error::invalid_argument(
        "cassandra", "fpp: expected above 0 and below 1 (with 1 Cassandra writes no filter), found " +
                         std::to_string(fpp));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Choice choice, choose_for_fpp(fpp));
  constexpr std::uint64_t kMostBits = kMostWords * 64;
  if (capacity > (kMostBits - kExcessBits) / choice.bits_per_key) {
    return Error::invalid_argument("cassandra",
                                   "expected a filter of at most 2147483647 words, found a plan for " +
                                       std::to_string(capacity) + " keys");
  }
  const std::uint64_t bits = capacity * choice.bits_per_key + kExcessBits;
  return CassandraShape{.hash_count = choice.hash_count,
                        .bits_per_key = choice.bits_per_key,
                        .words = static_cast<std::uint32_t>((bits + 63) / 64)};
}

}  // namespace bloomery
