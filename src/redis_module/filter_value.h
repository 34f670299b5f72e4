// The value of a key: a filter in one of four layouts, and the progress of a load in chunks.
//
//   layout        in memory                               dumped by SCANDUMP as
//   bloomery      GrowingFilter, blocked Bloom filters    marked, checksummed chunks (value_bytes.h)
//   redisbloom    redisbloom::ChainOf<PagedWords>         RedisBloom's own bytes, with our front if leased
//   quotient      DeletableFilter                         marked, checksummed chunks
//   cuckoo        CuckooChain                             RedisBloom's own bytes, with our front if leased
//
// BF keys have one of the first two layouts, CF keys one of the others. A value's payload is the
// concatenated bytes of its layers; in a deletable filter these are its segments. During a load in chunks,
// `loaded` counts the payload bytes so far. Until all are loaded, every query answers maybe, and additions
// are refused.
//
// Lease: from the time `lease_until` on, every query answers maybe. A value with a feeder's record
// (feed_command.h) answers maybe unless a lease is valid. If the server's clock is set back, leases end
// earlier by the same time (lease_clock.h), so no lease runs longer than it was granted for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bloomery/base/result.h"
#include "codec/redisbloom/chain_of.h"
#include "filter/pages/paged_words.h"
#include "filter/quotient/deletable_filter.h"
#include "filter/scalable/growing_filter.h"
#include "redis_module/cuckoo_chain.h"
#include "redis_module/lease_clock.h"
#include "redis_module/recent_keys.h"

namespace bloomery::redis_module {

using ServerChain = redisbloom::ChainOf<PagedWords>;

enum class Layout : std::uint8_t {
  kBloomery = 1,
  kRedisBloom = 2,
  kQuotient = 3,
  kCuckoo = 4
};  // numbers are in files since version 1; never renumber

// The type of a key. BF commands accept one family, CF commands the other.
enum class Family : std::uint8_t { kBloom, kDeletable };

constexpr Family family_of(Layout layout) {
  return layout == Layout::kQuotient || layout == Layout::kCuckoo ? Family::kDeletable : Family::kBloom;
}
// Returns true if the bytes of SCANDUMP are those of RedisBloom, without marks and checksums.
constexpr bool is_of_redisbloom(Layout layout) {
  return layout == Layout::kRedisBloom || layout == Layout::kCuckoo;
}

// Parameters of RedisBloom's cuckoo filters. Our filters do not use them; CF.INFO reports them. Neither is 0.
struct CuckooNumbers {
  std::uint16_t bucket_size = 2;
  std::uint16_t most_iterations = 20;
};
inline constexpr std::uint16_t kMostBucketSize = 255;

inline constexpr std::size_t kMostRecordBytes = 512;
inline constexpr std::int64_t kLatestLease = std::int64_t{1} << 52;  // in milliseconds since 1970

class FilterValue {
 public:
  using Filter =
      std::variant<GrowingFilter, ServerChain, DeletableFilter, CuckooChain>;  // in the order of Layout

  explicit FilterValue(Filter filter, const CuckooNumbers& cuckoo = {});
  // Copies share their pages (copy-on-write).
  FilterValue(const FilterValue& other);
  FilterValue& operator=(const FilterValue&) = delete;
  ~FilterValue();

  Layout layout() const { return static_cast<Layout>(filter_.index() + 1); }
  // Precondition of these eight functions: the value has the named layout.
  const GrowingFilter& growing() const { return *std::get_if<GrowingFilter>(&filter_); }
  GrowingFilter& growing() { return *std::get_if<GrowingFilter>(&filter_); }
  const ServerChain& chain() const { return *std::get_if<ServerChain>(&filter_); }
  ServerChain& chain() { return *std::get_if<ServerChain>(&filter_); }
  const DeletableFilter& deletable() const { return *std::get_if<DeletableFilter>(&filter_); }
  DeletableFilter& deletable() { return *std::get_if<DeletableFilter>(&filter_); }
  const CuckooChain& cuckoo_chain() const { return *std::get_if<CuckooChain>(&filter_); }
  CuckooChain& cuckoo_chain() { return *std::get_if<CuckooChain>(&filter_); }

  // Precondition: the layout is kQuotient.
  const CuckooNumbers& cuckoo() const { return cuckoo_; }

  // Returns true if a *no* of the value can expire, because it has a lease or a feeder's record.
  bool has_lease() const { return lease_until_ != 0 || !record_.empty(); }
  // Returns true if every query answers maybe. `now` is the server's time in milliseconds.
  bool answers_maybe(std::int64_t now) const { return !is_loaded() || (has_lease() && now >= lease_until()); }
  // Queries keys, and stores the answers as GrowingFilter::may_contain() does: 64 bits per word.
  void may_contain(std::span<const std::string_view> keys, std::int64_t now,
                   std::span<std::uint64_t> answers) const;
  // Adds keys in order. A Bloom layout stops at the first refused key, as GrowingFilter::add() does. A
  // deletable filter adds every copy and continues, as DeletableFilter::add() does. Precondition:
  // is_loaded().
  std::size_t add(std::span<const std::string_view> keys, std::uint64_t most_bytes, std::span<Added> outcomes,
                  AddWhen when = AddWhen::kAlways);
  // Precondition of both: the family is kDeletable; for remove(), also is_loaded(). While the value answers
  // maybe to every query, count() returns at least 1.
  std::uint64_t count(std::string_view key, std::int64_t now) const;
  Removed remove(std::string_view key);

  // Replaces the filter and its load progress by those of another value. Lease and record stay.
  void take_filter_of(FilterValue&& other);

  // Returns the list of the keys that are new from the first call on, or null if the value can have none: if
  // its filter has not one layer of our own layout. Copies have no list, and a change in any other way than
  // by add() ends it. Precondition: is_loaded().
  const RecentKeys* recent_keys();

  std::uint64_t capacity() const;
  std::uint64_t keys() const;
  std::size_t layer_count() const;
  std::uint32_t expansion() const;  // 0: the filter does not grow
  // Returns the false positive probability, predicted from the number of keys in each layer.
  double current_fpp() const;
  // Estimates the number of keys from the bits set in a sample of at most 512 KiB. For a layer with few set
  // bits, it uses the counted keys instead.
  double estimated_keys() const;
  std::uint64_t payload_bytes() const;
  std::uint64_t memory_bytes() const;

  std::uint64_t layer_bytes(std::size_t layer) const;
  // Copies bytes of a layer. Precondition: offset + out.size() <= layer_bytes(layer).
  void read_layer(std::size_t layer, std::uint64_t offset, std::span<std::byte> out) const;
  // Returns the size of the next step of a save that is at `offset` of a layer: at most `most` bytes, unless
  // a quotient table is larger. Precondition: offset < layer_bytes(layer).
  std::uint64_t layer_step(std::size_t layer, std::uint64_t offset, std::uint64_t most) const;
  // Writes bytes of a layer; a quotient table must be written in one call. Precondition: offset <
  // layer_bytes(layer). Errors: kCapacity if memory is exhausted; errors of DeletableFilter::load() and
  // FilterLayer::write().
  Status write_layer(std::size_t layer, std::uint64_t offset, std::span<const std::byte> bytes);
  // Moves the memory blocks that no copy shares, beginning at index `piece`. Calls move(memory), which
  // returns the new address or null, and then is_time_over(). Returns the index at which to continue, or 0 at
  // the end.
  template <typename Move, typename IsTimeOver>
  std::uint64_t move_memory(std::uint64_t piece, Move move, IsTimeOver is_time_over);
  // Returns a copy of the next layer_step() payload bytes from `offset` on, which belong to one layer.
  // Precondition: offset < payload_bytes().
  std::vector<std::byte> payload(std::uint64_t offset, std::uint64_t most) const;
  // Loads the next payload bytes. Errors: kInvalidArgument unless they start at loaded() and belong to one
  // layer; kCapacity if memory is exhausted.
  Status load_payload(std::uint64_t offset, std::span<const std::byte> bytes);

  std::uint64_t loaded() const { return loaded_; }
  void set_loaded(std::uint64_t bytes) { loaded_ = bytes; }
  bool is_loaded() const { return loaded_ == payload_bytes(); }
  // Returns the end of the lease by the server's present clock, in milliseconds since 1970; 0: no lease.
  std::int64_t lease_until() const {
    return lease_until_ == 0 ? 0
                             : std::max<std::int64_t>(lease_until_ - (clock_lost_ms() - lease_lost_ms_), 1);
  }
  void set_lease_until(std::int64_t milliseconds) { set_lease(milliseconds, clock_lost_ms()); }
  // Sets a lease that a feeder computed from the last server time that it was told. Call this when the feeder
  // is told the time again, in the reply.
  void set_lease_of_feeder(std::int64_t milliseconds) {
    set_lease(milliseconds, told_lost_ms_);
    told_lost_ms_ = clock_lost_ms();
  }
  // Returns the record in which the feeder notes its progress: at most kMostRecordBytes; empty if no feeder
  // uses the key.
  const std::string& record() const { return record_; }
  void set_record(std::string record) { record_ = std::move(record); }

 private:
  struct LayerPlace {
    std::size_t layer;
    std::uint64_t within;
  };
  void set_lease(std::int64_t milliseconds, std::int64_t lost_ms) {
    lease_until_ = milliseconds;
    lease_lost_ms_ = lost_ms;
  }
  bool may_have_recent_keys() const { return layout() == Layout::kBloomery && layer_count() == 1; }
  void note_new_keys(std::span<const Hash128> hashes, std::span<const Added> outcomes);
  LayerPlace place_of(std::uint64_t offset) const;
  // Memory blocks are numbered per layer; in a deletable filter, across all segments.
  std::size_t memory_layers() const { return layout() == Layout::kQuotient ? 1 : layer_count(); }
  std::uint64_t memory_pieces(std::size_t layer) const;
  double keys_in(std::size_t layer) const;
  // Returns true if the layer's bytes are a bit array. Precondition: the family is kBloom.
  bool has_bits(std::size_t layer) const;
  double estimated_keys_in(std::size_t layer, double set_bits) const;
  void add_to_cuckoo_chain(std::span<const std::string_view> keys, AddWhen when, std::uint64_t most_bytes,
                           std::span<Added> outcomes);
  std::size_t add_to_chain(std::span<const std::string_view> keys, std::uint64_t most_bytes,
                           std::span<Added> outcomes);
  // Adds at most 64 keys. Returns the number of outcomes that it wrote, at least 1.
  std::size_t add_group_to_chain(std::span<const redisbloom::KeyHash> hashes, std::uint64_t most_bytes,
                                 std::span<Added> outcomes);
  Added may_grow_chain(std::uint64_t most_bytes) const;

  Filter filter_;
  CuckooNumbers cuckoo_;
  std::uint64_t loaded_ = 0;
  std::int64_t lease_until_ = 0;    // end of the lease, by the clock at the loss `lease_lost_ms_`; 0: none
  std::int64_t lease_lost_ms_ = 0;  // clock_lost_ms() that lease_until_ refers to
  // Clock_lost_ms() when a feeder was last told the time, or at creation.
  std::int64_t told_lost_ms_ = clock_lost_ms();
  std::string record_;
  std::unique_ptr<RecentKeys> recent_keys_;
};

template <typename Move, typename IsTimeOver>
std::uint64_t FilterValue::move_memory(std::uint64_t piece, Move move, IsTimeOver is_time_over) {
  std::uint64_t first = 0;  // index of the layer's first block
  for (std::size_t layer = 0; layer < memory_layers(); ++layer) {
    const std::uint64_t count = memory_pieces(layer);
    for (std::uint64_t at = std::max(piece, first); at < first + count; ++at) {
      switch (layout()) {
        case Layout::kBloomery:
          growing().layers()[layer].move_piece(at - first, move);
          break;
        case Layout::kRedisBloom:
          chain().bits_of(layer).move_page(at - first, move);
          break;
        case Layout::kQuotient:
          deletable().move_piece(at, move);
          break;
        case Layout::kCuckoo:
          cuckoo_chain().words_of(layer).move_page(at - first, move);
      }
      if (is_time_over()) {
        return at + 1;
      }
    }
    first += count;
  }
  return 0;
}

// Returns the number of values that exist.
std::uint64_t filter_value_count();

}  // namespace bloomery::redis_module
