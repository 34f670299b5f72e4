#include "codec/spark/spark_sizing.h"

#include <algorithm>
#include <string>

#include "bloomery/filter/sizing.h"
#include "codec/java_sizing.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMaxSparkBits = std::uint64_t{kMaxJavaWords} * 64;

Error no_bits() {
  return Error::invalid_argument("spark", "capacity and fpp: expected at least 1 bit, found none");
}

// Returns (int) Math.round(ideal): Java keeps the lower 32 bits of the rounded number, as two's complement.
std::uint32_t java_hash_count(double ideal) {
  const auto rounded = static_cast<std::int64_t>(java_round(ideal));
  return static_cast<std::uint32_t>(
      std::max<std::int32_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(rounded)), 1));
}

}  // namespace

Result<SparkShape> spark_shape_of_bits(std::uint64_t capacity, std::uint64_t bits) {
  if (capacity == 0 || capacity > 0x7fffffffffffffff) {
    return Error::invalid_argument(
        "spark", "capacity: expected 1 to 2^63 - 1 keys, as Spark does, found " + std::to_string(capacity));
  }
  if (bits == 0) {
    return no_bits();
  }
  if (bits > kMaxSparkBits) {
    return Error::invalid_argument(
        "spark", "bits: expected at most 2147483647 words of 64, found " + std::to_string(bits));
  }
  return SparkShape{.computed_bits = bits,
                    .words = static_cast<std::uint32_t>((bits + 63) / 64),
                    .hash_count = java_hash_count(
                        java_ideal_hash_count(static_cast<double>(bits), static_cast<double>(capacity)))};
}

Result<SparkShape> spark_shape(std::uint64_t capacity, double fpp) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  const double bits = java_optimal_bits(static_cast<double>(capacity), fpp);
  // Larger numbers may not fit in 64 bits, and are refused anyway.
  return spark_shape_of_bits(
      capacity, static_cast<std::uint64_t>(std::min(bits, static_cast<double>(kMaxSparkBits + 1))));
}

}  // namespace bloomery
