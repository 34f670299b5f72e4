#include "filter/any/exact_table.h"

#include <algorithm>
#include <bit>
#include <new>
#include <tuple>
#include <utility>

#include "base/endian.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery {
namespace {

constexpr std::size_t kLeastSlots = 16;
// The fallback if the machine has no random numbers: odd numbers without a pattern in their bits.
constexpr ExactTable::Spread kFixedSpread{.by_low = 0x9e3779b97f4a7c15, .by_high = 0xd6e8feb86659fd93};

}  // namespace

ExactTable::Spread ExactTable::Spread::drawn() {
  static const Spread spread = [] {
    const Result<HashSecret> random = HashSecret::generate();
    if (!random) {
      return kFixedSpread;
    }
    const auto bytes = std::as_bytes(std::span(random->bytes));
    return Spread{.by_low = load_little64(bytes.data()) | 1, .by_high = load_little64(bytes.data() + 8) | 1};
  }();
  return spread;
}

std::size_t ExactTable::place_of(const Hash128& hash) const {
  std::size_t place = home_of(hash);
  while (slots_[place].count != 0 && slots_[place].hash != hash) {
    place = next(place);
  }
  return place;
}

Status ExactTable::resize(std::size_t slots) {
  std::vector<Entry> larger;
  try {  // the one place where the standard library may throw
    larger.resize(slots);
  } catch (const std::bad_alloc&) {
    return Error::capacity(
        "exact set", "expected memory for " + std::to_string(slots * sizeof(Entry)) + " bytes, found less");
  }
  std::swap(slots_, larger);
  shift_ = 64 - std::countr_zero(slots_.size());
  for (const Entry& entry : larger) {
    if (entry.count != 0) {
      slots_[place_of(entry.hash)] = entry;
    }
  }
  return {};
}

Status ExactTable::reserve(std::uint64_t hashes) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>((hashes * 5 + 3) / 4, kLeastSlots));
  return slots > slots_.size() ? resize(slots) : Status();
}

Status ExactTable::insert(const Hash128& hash, std::uint64_t times) {
  if (times > ~std::uint64_t{0} - total_) {
    return Error::capacity("exact set", "expected counts with a sum of less than 2^64, found more");
  }
  BLOOMERY_RETURN_IF_ERROR(reserve(size_ + 1));
  Entry& entry = slots_[place_of(hash)];
  size_ += entry.count == 0 ? 1 : 0;
  entry = {.hash = hash, .count = entry.count + times};
  total_ += times;
  return {};
}

bool ExactTable::remove(const Hash128& hash) {
  if (count(hash) == 0) {
    return false;
  }
  std::size_t hole = place_of(hash);
  --total_;
  if (--slots_[hole].count != 0) {
    return true;
  }
  --size_;
  // An entry after the hole moves into it if its home is at or before the hole, and so leaves a new hole.
  for (std::size_t place = next(hole); slots_[place].count != 0; place = next(place)) {
    const std::size_t mask = slots_.size() - 1;
    const std::size_t from_home = (place - home_of(slots_[place].hash)) & mask;
    if (from_home >= ((place - hole) & mask)) {
      slots_[hole] = std::exchange(slots_[place], Entry());
      hole = place;
    }
  }
  return true;
}

void ExactTable::clear() {
  *this = ExactTable(spread_);
}

std::vector<ExactTable::Entry> ExactTable::sorted() const {
  std::vector<Entry> entries;
  entries.reserve(size_);
  std::ranges::copy_if(slots_, std::back_inserter(entries),
                       [](const Entry& entry) { return entry.count != 0; });
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::tie(entry.hash.low, entry.hash.high); });
  return entries;
}

}  // namespace bloomery
