#include "codec/rocksdb/filter_builder.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/endian.h"
#include "base/memory.h"
#include "codec/rocksdb/bloom_probes.h"
#include "codec/rocksdb/full_filter.h"
#include "codec/rocksdb/ribbon.h"

namespace bloomery {
namespace {

using FilterBytes = std::vector<std::byte>;
using Trailer = std::array<std::byte, kRocksDbTrailerBytes>;

// Returns the hashes of the keys. Omits a hash that equals the previous one.
template <typename Hash>
auto entry_hashes(std::span<const std::string_view> keys, Hash hash) {
  std::vector<decltype(hash(keys.front()))> hashes;
  for (const std::string_view key : keys) {
    const auto value = hash(key);
    if (hashes.empty() || hashes.back() != value) {
      hashes.push_back(value);
    }
  }
  return hashes;
}

Result<FilterBytes> zeroed_filter(std::uint64_t data_bytes) {
  if (data_bytes > memory_limit_bytes()) {
    return Error::capacity("rocksdb filter", "expected at most the machine's memory, found a filter of " +
                                                 std::to_string(data_bytes) + " bytes");
  }
  return FilterBytes(data_bytes + kRocksDbTrailerBytes);
}

Trailer trailer_of(unsigned first, std::uint32_t rest) {
  Trailer trailer;
  trailer[0] = static_cast<std::byte>(first);
  store_little(trailer.data() + 1, rest);
  return trailer;
}

template <typename Scheme, typename Hash>
Result<FilterBytes> bloom_bytes(const Scheme& scheme, std::span<const Hash> hashes, std::uint64_t data_bytes,
                                const Trailer& trailer) {
  BLOOMERY_ASSIGN_OR_RETURN(FilterBytes bytes, zeroed_filter(data_bytes));
  for (const Hash hash : hashes) {
    typename Scheme::Probe probe = scheme.begin(hash);
    for (std::uint32_t i = 0; i < scheme.hash_count(); ++i) {
      const std::uint64_t position = scheme.next(probe);
      bytes[position / 8] |= std::byte{1} << (position % 8);
    }
  }
  std::ranges::copy(trailer, bytes.end() - kRocksDbTrailerBytes);
  return bytes;
}

Result<FilterBytes> legacy_bytes(std::span<const std::string_view> keys, const RocksDbBits& bits) {
  const std::vector<std::uint32_t> hashes =
      entry_hashes(keys, [](std::string_view key) { return leveldb_hash(key, TailBytes::kSigned); });
  const std::uint32_t lines = legacy_lines(hashes.size(), bits);
  const RocksDbLegacyProbes scheme(lines, 512, legacy_hash_count(bits));
  return bloom_bytes(scheme, std::span(hashes), std::uint64_t{lines} * 64,
                     trailer_of(scheme.hash_count(), lines));
}

Result<FilterBytes> fast_local_filter(std::span<const std::uint64_t> hashes, const RocksDbBits& bits) {
  const std::uint64_t data_bytes = fast_local_bytes(hashes.size(), bits);
  const RocksDbFastLocalProbes scheme(static_cast<std::uint32_t>(data_bytes / 64),
                                      fast_local_hash_count(bits));
  return bloom_bytes(scheme, hashes, data_bytes, trailer_of(0xff, scheme.hash_count() << 8));
}

Result<FilterBytes> ribbon_filter(std::span<const std::uint64_t> hashes, const RocksDbBits& bits) {
  constexpr std::uint64_t kMostEntries = 950000000;
  constexpr std::uint64_t kAlwaysFromSlots = 1024;
  if (hashes.size() > kMostEntries) {
    return fast_local_filter(hashes, bits);
  }
  const std::uint64_t slots = ribbon_slots(hashes.size());
  const std::uint64_t segments = ribbon_segments(slots, bits, hashes.front());
  const std::uint64_t data_bytes = segments * 16;
  if (slots < kAlwaysFromSlots && fast_local_bytes(hashes.size(), bits) < data_bytes) {
    return fast_local_filter(hashes, bits);
  }
  const auto blocks = static_cast<std::uint32_t>(slots / kRocksDbRibbonBlockSlots);
  std::vector<std::uint64_t> words(segments * 2);
  const std::optional<std::uint8_t> seed =
      solve_rocksdb_ribbon(hashes, RocksDbRibbonShape::of(segments, blocks), words);
  if (!seed) {
    return fast_local_filter(hashes, bits);
  }
  BLOOMERY_ASSIGN_OR_RETURN(FilterBytes bytes, zeroed_filter(data_bytes));
  std::byte* to = bytes.data();
  for (const std::uint64_t word : words) {
    store_little(to, word);
    to += 8;
  }
  std::ranges::copy(trailer_of(0xfe, blocks << 8 | *seed), to);
  return bytes;
}

class Builder final : public DialectBuilder {
 public:
  Builder(const RocksDbBits& bits, RocksDbKind kind, OpenRocksDbBytes open)
      : bits_(bits), kind_(kind), open_(open) {}

  Status add(std::span<const std::string_view> keys) override {
    for (const std::string_view key : keys) {
      bytes_ += key;
      ends_.push_back(bytes_.size());
    }
    return {};
  }

  Result<std::unique_ptr<DialectFilter>> finish() override {
    std::vector<std::string_view> keys;
    keys.reserve(ends_.size());
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      keys.push_back(std::string_view(bytes_).substr(begin, end - begin));
      begin = end;
    }
    std::ranges::sort(keys);
    BLOOMERY_ASSIGN_OR_RETURN(const std::vector<std::byte> filter, rocksdb_filter_bytes(keys, bits_, kind_));
    return open_(filter);
  }

 private:
  RocksDbBits bits_;
  RocksDbKind kind_;
  OpenRocksDbBytes open_;
  std::string bytes_;  // the concatenated bytes of all keys
  std::vector<std::size_t> ends_;
};

}  // namespace

Result<std::vector<std::byte>> rocksdb_filter_bytes(std::span<const std::string_view> sorted_keys,
                                                    const RocksDbBits& bits, RocksDbKind kind) {
  if (sorted_keys.empty()) {
    return FilterBytes();
  }
  if (kind == RocksDbKind::kLegacy) {
    return legacy_bytes(sorted_keys, bits);
  }
  const std::vector<std::uint64_t> hashes = entry_hashes(sorted_keys, rocksdb_hash64);
  return kind == RocksDbKind::kRibbon ? ribbon_filter(hashes, bits) : fast_local_filter(hashes, bits);
}

std::unique_ptr<DialectBuilder> rocksdb_builder(const RocksDbBits& bits, RocksDbKind kind,
                                                OpenRocksDbBytes open) {
  return std::make_unique<Builder>(bits, kind, open);
}

}  // namespace bloomery
