#include "redis_module/cuckoo_chain.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "hash/murmur2.h"
#include "redis_module/front_fields.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint8_t kEmptySlot = 0;
constexpr std::uint64_t kFingerprints = 255;
constexpr std::uint64_t kMostTables = 65535;  // the limit of RedisBloom
constexpr std::uint64_t kMostTableBytes = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 62;

// Returns the hash of a fingerprint's other bucket. It is its own inverse.
std::uint64_t other_hash(std::uint64_t hash, std::uint8_t fingerprint) {
  return hash ^ fingerprint * std::uint64_t{0x5bd1e995};
}

// Returns the buckets of a table, or nothing if it would exceed the limit of its bytes.
std::optional<std::uint64_t> buckets_of_table(const CuckooChain::Header& header, std::uint64_t table) {
  const std::uint64_t most = kMostTableBytes / header.bucket_size;
  std::uint64_t buckets = header.buckets;
  for (std::uint64_t i = 0; i < table && header.expansion > 1 && buckets <= most; ++i) {
    buckets *= header.expansion;
  }
  return buckets <= most ? std::optional(buckets) : std::nullopt;
}

// A word of memory is 8 bytes, so the last one of a table may have bytes that belong to no slot.
Result<PagedWords> zeroed_table(std::uint64_t bytes) {
  return PagedWords::zeroed((bytes + kWordBytes - 1) / kWordBytes * kWordBytes);
}

Status check_cuckoo_header(const CuckooChain::Header& header) {
  const bool is_right =
      std::has_single_bit(header.buckets) && header.bucket_size >= 1 && header.bucket_size <= kFingerprints &&
      header.most_iterations != 0 && (header.expansion == 0 || std::has_single_bit(header.expansion)) &&
      header.tables >= 1 && header.tables <= kMostTables && (header.expansion != 0 || header.tables == 1) &&
      header.items <= kMostCounted && header.deleted <= kMostCounted;
  return is_right ? Status() : corrupt_front(0, "expected the header of a cuckoo filter");
}

}  // namespace

Result<CuckooChain> CuckooChain::of_header(std::span<const std::byte> bytes) {
  if (bytes.size() != kCuckooHeaderBytes) {
    return corrupt_front(0, "expected a header of 38 bytes, found " + std::to_string(bytes.size()));
  }
  FrontReader in(bytes);
  CuckooChain chain;
  Header& header = chain.header_;
  header.items = in.take<std::uint64_t>();
  header.buckets = in.take<std::uint64_t>();
  header.deleted = in.take<std::uint64_t>();
  header.tables = in.take<std::uint64_t>();
  header.bucket_size = in.take<std::uint16_t>();
  header.most_iterations = in.take<std::uint16_t>();
  header.expansion = in.take<std::uint16_t>();
  BLOOMERY_RETURN_IF_ERROR(check_cuckoo_header(header));
  std::uint64_t planned = 0;
  for (std::uint64_t i = 0; i < header.tables; ++i) {
    const auto buckets = buckets_of_table(header, i);
    planned += buckets.value_or(kMostTableBytes) * header.bucket_size;
    if (!buckets || planned > kMostPagedBytes) {
      return corrupt_front(0, "expected at most 2^32 bytes in a table and 2^36 in all");
    }
    BLOOMERY_ASSIGN_OR_RETURN(PagedWords words, zeroed_table(*buckets * header.bucket_size));
    chain.tables_.push_back(std::move(words));
  }
  return chain;
}

std::string CuckooChain::header_bytes() const {
  FrontWriter out;
  out.put(header_.items);
  out.put(header_.buckets);
  out.put(header_.deleted);
  out.put(header_.tables);
  out.put(header_.bucket_size);
  out.put(header_.most_iterations);
  out.put(header_.expansion);
  return out.text();
}

// ---- places

std::uint64_t CuckooChain::buckets_of(std::size_t table) const {
  return buckets_of_table(header_, table).value_or(1);
}

std::uint64_t CuckooChain::bytes_of(std::size_t table) const {
  return buckets_of(table) * header_.bucket_size;
}

std::uint64_t CuckooChain::slot_count() const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    total += bytes_of(i);
  }
  return total;
}

// An absent item is compared with all slots of its two buckets in each table.
double CuckooChain::current_fpp() const {
  const double load = static_cast<double>(header_.items) / static_cast<double>(slot_count());
  const double compared =
      2.0 * header_.bucket_size * static_cast<double>(tables_.size()) * std::min(load, 1.0);
  return 1 - std::pow(1 - 1.0 / kFingerprints, compared);
}

CuckooChain::ItemHash CuckooChain::hash_item(std::string_view item) {
  const std::uint64_t hash = murmur64a(item, 0);
  const auto fingerprint = static_cast<std::uint8_t>(hash % kFingerprints + 1);
  return {.first = hash, .second = other_hash(hash, fingerprint), .fingerprint = fingerprint};
}

std::uint8_t CuckooChain::byte_at(const Place& place) const {
  const std::uint64_t* const word = tables_[place.table].word(place.byte / kWordBytes);
  return word == nullptr ? kEmptySlot
                         : static_cast<std::uint8_t>(*word >> (place.byte % kWordBytes * 8) & 0xff);
}

std::optional<CuckooChain::Place> CuckooChain::find_in_bucket(std::size_t table, std::uint64_t bucket,
                                                              std::uint8_t byte) const {
  for (std::uint64_t slot = 0; slot < header_.bucket_size; ++slot) {
    const Place place = {.table = table, .byte = bucket * header_.bucket_size + slot};
    if (byte_at(place) == byte) {
      return place;
    }
  }
  return std::nullopt;
}

std::optional<CuckooChain::Place> CuckooChain::find(const ItemHash& hash, std::uint8_t byte) const {
  for (std::size_t table = tables_.size(); table-- > 0;) {
    const std::uint64_t buckets = buckets_of(table);
    for (const std::uint64_t of : {hash.first, hash.second}) {
      if (const auto place = find_in_bucket(table, of % buckets, byte)) {
        return place;
      }
    }
  }
  return std::nullopt;
}

// ---- queries and changes

std::uint64_t CuckooChain::count(std::string_view item) const {
  const ItemHash hash = hash_item(item);
  std::uint64_t copies = 0;
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    const std::uint64_t buckets = buckets_of(table);
    for (const std::uint64_t of : {hash.first, hash.second}) {
      for (std::uint64_t slot = 0; slot < header_.bucket_size; ++slot) {
        const Place place = {.table = table, .byte = of % buckets * header_.bucket_size + slot};
        copies += byte_at(place) == hash.fingerprint ? 1U : 0U;
      }
    }
  }
  return copies;
}

void CuckooChain::begin_step() {
  for (PagedWords& words : tables_) {
    words.begin_step();
  }
}

void CuckooChain::put_byte(const Place& place, std::uint8_t byte) {
  PagedWords& words = tables_[place.table];
  const std::uint64_t index = place.byte / kWordBytes;
  const std::uint64_t* const word = words.word(index);
  const std::uint64_t shift = place.byte % kWordBytes * 8;
  const std::uint64_t others = (word == nullptr ? 0 : *word) & ~(std::uint64_t{0xff} << shift);
  words.write(index, others | std::uint64_t{byte} << shift);
}

bool CuckooChain::set_byte(const Place& place, std::uint8_t byte) {
  if (!tables_[place.table].ready(place.byte / kWordBytes, 1)) {
    return false;
  }
  put_byte(place, byte);
  return true;
}

// Moves nothing before it knows all moves and has the memory for them. Half of the moves would lose an item.
Added CuckooChain::move_and_insert(const ItemHash& hash) {
  const std::size_t table = tables_.size() - 1;
  const std::uint64_t buckets = buckets_of(table);
  std::map<std::uint64_t, std::uint8_t> moved;  // bytes of the table as they will be
  const auto slot_of = [&](std::uint64_t bucket, std::uint64_t slot) {
    return bucket * header_.bucket_size + slot;
  };
  const auto value_at = [&](std::uint64_t byte) {
    const auto found = moved.find(byte);
    return found != moved.end() ? found->second : byte_at({.table = table, .byte = byte});
  };
  std::uint8_t fingerprint = hash.fingerprint;
  std::uint64_t bucket = hash.first % buckets;
  std::uint64_t victim = 0;
  bool is_placed = false;
  for (std::uint32_t i = 0; i < header_.most_iterations && !is_placed; ++i) {
    const std::uint64_t evicted = slot_of(bucket, victim);
    const std::uint8_t next = value_at(evicted);
    moved[evicted] = fingerprint;
    fingerprint = next;
    bucket = other_hash(bucket, fingerprint) % buckets;
    for (std::uint64_t slot = 0; slot < header_.bucket_size && !is_placed; ++slot) {
      if (value_at(slot_of(bucket, slot)) == kEmptySlot) {
        moved[slot_of(bucket, slot)] = fingerprint;
        is_placed = true;
      }
    }
    victim = (victim + 1) % header_.bucket_size;
  }
  if (!is_placed) {
    return Added::kFull;
  }
  for (auto at = moved.begin(); at != moved.end();) {
    const std::uint64_t page = at->first / kPageBytes;
    const auto end =
        std::find_if(at, moved.end(), [&](const auto& row) { return row.first / kPageBytes != page; });
    if (!tables_[table].ready(at->first / kWordBytes, static_cast<unsigned>(std::distance(at, end)))) {
      return Added::kNoMemory;
    }
    at = end;
  }
  for (const auto& [byte, value] : moved) {
    put_byte({.table = table, .byte = byte}, value);
  }
  return Added::kNew;
}

Added CuckooChain::grow(std::uint64_t most_bytes) {
  if (header_.expansion == 0) {
    return Added::kFull;
  }
  const std::uint64_t used = slot_count();
  const auto buckets = buckets_of_table(header_, tables_.size());
  const std::uint64_t bytes = buckets.value_or(0) * header_.bucket_size;
  if (!buckets || tables_.size() >= kMostTables || used > most_bytes || bytes > most_bytes - used) {
    return Added::kOverLimit;
  }
  Result<PagedWords> words = zeroed_table(bytes);
  if (!words) {
    return Added::kOverLimit;
  }
  tables_.push_back(std::move(words).value());
  ++header_.tables;
  return Added::kNew;
}

Added CuckooChain::add(std::string_view item, AddWhen when, std::uint64_t most_bytes) {
  if (when == AddWhen::kAbsent && may_contain(item)) {
    return Added::kKnown;
  }
  const ItemHash hash = hash_item(item);
  for (;;) {
    const auto place = find(hash, kEmptySlot);
    Added outcome = Added::kNew;
    if (place) {
      outcome = set_byte(*place, hash.fingerprint) ? Added::kNew : Added::kNoMemory;
    } else {
      outcome = move_and_insert(hash);
      if (outcome == Added::kFull) {
        if (const Added grown = grow(most_bytes); grown != Added::kNew) {
          return grown;
        }
        continue;
      }
    }
    header_.items += outcome == Added::kNew ? 1U : 0U;
    return outcome;
  }
}

Removed CuckooChain::remove(std::string_view item) {
  const ItemHash hash = hash_item(item);
  const auto place = find(hash, hash.fingerprint);
  if (!place) {
    return Removed::kAbsent;
  }
  if (!set_byte(*place, kEmptySlot)) {
    return Removed::kNoMemory;
  }
  header_.items -= header_.items == 0 ? 0U : 1U;
  ++header_.deleted;
  return Removed::kYes;
}

}  // namespace bloomery::redis_module
