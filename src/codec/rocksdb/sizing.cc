#include "codec/rocksdb/sizing.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "codec/plan.h"
#include "codec/rocksdb/ribbon.h"

namespace bloomery {
namespace {

constexpr double kLeastBits = 0.5;
constexpr double kMostBits = 100;
constexpr double kLineBits = 512;

// Returns the fpp of a Bloom filter whose bits are evenly distributed.
double even_fpp(double bits, double hash_count) {
  return std::pow(1.0 - std::exp(-hash_count / bits), hash_count);
}

std::uint32_t hash_count_of_kind(const RocksDbBits& bits, RocksDbKind kind) {
  return kind == RocksDbKind::kLegacy ? legacy_hash_count(bits) : fast_local_hash_count(bits);
}

Result<RocksDbBits> rocksdb_bits_for_fpp(double fpp, RocksDbKind kind) {
  // One in 512 legacy keys probes only a single bit, and another one only two. More bits per key do
  // not help them.
  constexpr double kLeastLegacyFpp = 0.005;
  if (kind == RocksDbKind::kLegacy && fpp < kLeastLegacyFpp) {
    return Error::invalid_argument(
        "fpp", "expected at least 0.005, which a legacy filter can reach, found " + std::to_string(fpp));
  }
  // The legacy filter accepts only integer bits per key.
  const std::uint32_t step = kind == RocksDbKind::kLegacy ? 1000 : 1;
  for (std::uint32_t millibits = 1000; millibits <= 100 * 1000; millibits += step) {
    const RocksDbBits bits{.bits = millibits / 1000.0, .millibits = millibits};
    if (1 / line_one_in(bits.bits, hash_count_of_kind(bits, kind)) <= fpp) {
      return bits;
    }
  }
  return Error::invalid_argument(
      "fpp", "expected one that 100 bits per key can reach, found " + std::to_string(fpp));
}

// Returns how many entries 2^power slots hold if about every second seed succeeds; 0 if that is unknown.
double entries_for_power(std::int64_t power) {
  constexpr std::int64_t kFirst = 8;
  constexpr std::array<double, 10> kEntries = {248.851, 499.532, 1001.26, 2003.97, 4005.59,
                                               8000.39, 15966.6, 31828.1, 63447.3, 126506};
  constexpr std::int64_t kLast = kFirst + 9;
  constexpr double kPerPower = 0.0038;  // growth of slots per entry with each doubling
  if (power < kFirst) {
    return 0;
  }
  if (power <= kLast) {
    return kEntries[static_cast<std::size_t>(power - kFirst)];
  }
  const double base = std::exp2(kLast) / kEntries.back() - kLast * kPerPower;
  return std::exp2(power) / (base + static_cast<double>(power) * kPerPower);
}

}  // namespace

RocksDbBits RocksDbBits::of(double bits_per_key) {
  const double bits = std::clamp(bits_per_key, 1.0, kMostBits);
  return {.bits = bits, .millibits = static_cast<std::uint32_t>(bits * 1000.0 + 0.500001)};
}

Result<RocksDbBits> rocksdb_bits(const DialectPlan& plan, RocksDbKind kind) {
  BLOOMERY_ASSIGN_OR_RETURN(const double planned, planned_bits_per_key(plan));
  if (plan.fpp) {
    return rocksdb_bits_for_fpp(*plan.fpp, kind);
  }
  if (planned < kLeastBits) {
    return Error::invalid_argument(
        "bits per key",
        "RocksDB makes no filter of less than 0.5: expected at least that, found " + std::to_string(planned));
  }
  return RocksDbBits::of(planned);
}

std::uint32_t legacy_whole_bits(const RocksDbBits& bits) {
  return (bits.millibits + 500) / 1000;
}

std::uint32_t legacy_hash_count(const RocksDbBits& bits) {
  return static_cast<std::uint32_t>(std::clamp(legacy_whole_bits(bits) * 0.69, 1.0, 30.0));
}

std::uint32_t legacy_lines(std::uint64_t entries, const RocksDbBits& bits) {
  constexpr std::uint64_t kMostBitsOfAll = 0xffff0000;
  const std::uint64_t total = std::min(entries * legacy_whole_bits(bits), kMostBitsOfAll);
  return static_cast<std::uint32_t>((total + 511) / 512) | 1;
}

std::uint32_t fast_local_hash_count(const RocksDbBits& bits) {
  // One probe is used up to the first number of millibits, two up to the second, and so on.
  constexpr std::array<std::uint32_t, 12> kUpTo = {2080,  3580,  5100,  6640,  8300,  10070,
                                                   11720, 14001, 16050, 18300, 22001, 25501};
  const auto* const found = std::ranges::lower_bound(kUpTo, bits.millibits);
  if (found != kUpTo.end()) {
    return static_cast<std::uint32_t>(found - kUpTo.begin()) + 1;
  }
  return bits.millibits > 50000 ? 24 : (bits.millibits - 1) / 2000 - 1;
}

std::uint64_t fast_local_bytes(std::uint64_t entries, const RocksDbBits& bits) {
  constexpr std::uint64_t kMostFilterBytes = 0xffffffc0;
  const std::uint64_t bytes = (entries * bits.millibits + 7999) / 8000;
  return std::min((bytes + 63) / 64 * 64, kMostFilterBytes);
}

double line_one_in(double bits, std::uint32_t hash_count) {
  const double keys = kLineBits / bits;
  const double deviation = std::sqrt(keys);
  const double crowded = even_fpp(kLineBits / (keys + deviation), hash_count);
  const double uncrowded = even_fpp(kLineBits / (keys - deviation), hash_count);
  return 1.0 / ((crowded + uncrowded) / 2);
}

std::uint64_t ribbon_slots(std::uint64_t entries) {
  constexpr std::uint64_t kLeastSlots = 2 * kRocksDbRibbonBlockSlots;
  const auto n = static_cast<double>(entries);
  auto power = static_cast<std::int64_t>(std::floor(std::log(n) * 1.4426950409 + 0.5));
  double lower = entries_for_power(power);
  if (power == 0 || lower == 0) {
    return kLeastSlots;
  }
  double upper = lower;
  if (n < lower) {
    --power;
    lower = entries_for_power(power);
  } else {
    upper = entries_for_power(power + 1);
  }
  const double least = std::exp2(power);
  const auto slots = static_cast<std::uint64_t>((n - lower) / (upper - lower) * least + least + 0.999999999);
  return std::max(
      (slots + kRocksDbRibbonBlockSlots - 1) / kRocksDbRibbonBlockSlots * kRocksDbRibbonBlockSlots,
      kLeastSlots);
}

std::uint64_t ribbon_segments(std::uint64_t slots, const RocksDbBits& bits, std::uint64_t first_hash) {
  constexpr double kMostOneIn = std::numeric_limits<std::uint32_t>::max();
  const double one_in = line_one_in(bits.bits, fast_local_hash_count(bits));
  if (one_in <= 1) {
    return 1;
  }
  if (one_in > kMostOneIn) {
    return slots / 4;  // 32 columns
  }
  const auto columns = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint32_t>(one_in))) - 1;
  const double wider_rate = std::exp2(-static_cast<double>(columns));
  const double narrower_rate = wider_rate / 2;
  const double share = (1 / one_in - narrower_rate) / (wider_rate - narrower_rate);
  const std::uint64_t blocks = slots / kRocksDbRibbonBlockSlots;
  const auto starts = static_cast<double>(slots - kRocksDbRibbonBlockSlots + 1);
  const double bias = (static_cast<double>(first_hash >> 32) + 0.5) / 4294967296.0;
  const auto narrow_blocks = static_cast<std::uint64_t>((share * starts + bias) / kRocksDbRibbonBlockSlots);
  return blocks * columns + (blocks - std::min(narrow_blocks, blocks));
}

}  // namespace bloomery
