// The value of a key: a filter in one of three layouts, and how much of it was loaded.
//
//   layout        in memory                                    dumped by SCANDUMP as
//   bloomery      GrowingFilter, blocked Bloom filters         marked, checksummed chunks (value_bytes.h)
//   redisbloom    redisbloom::ChainOf<PagedWords>               RedisBloom's own bytes, behind our front if there is a lease
//   quotient      DeletableFilter                              marked, checksummed chunks
//
// Keys of BF have one of the first two, keys of CF the third. The payload of a value is the bytes of its layers, one
// behind the other. The layers of a deletable filter are its segments. A value that is loaded in chunks has
// taken `loaded` bytes of it; until it has all, every query answers maybe, and nothing may be added.
//
// A lease: when the time `lease_until` is over, every query answers maybe. A value with a record (feed_command.h) answers so
// unless a lease runs. If the server's clock is set back, the leases end earlier by as much (lease_clock.h), so none runs for
// longer than it was given for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
#include "redis_module/lease_clock.h"

namespace bloomery::redis_module {

using ServerChain = redisbloom::ChainOf<PagedWords>;

enum class Layout : std::uint8_t {
  kBloomery = 1,
  kRedisBloom = 2,
  kQuotient = 3
};  // in files since version 1; never renumber

// A type of key. Commands of BF and of CF each want their own.
enum class Family : std::uint8_t { kBloom, kDeletable };

constexpr Family family_of(Layout layout) {
  return layout == Layout::kQuotient ? Family::kDeletable : Family::kBloom;
}

// RedisBloom's cuckoo filters have these numbers. We only repeat them. Neither is 0.
struct CuckooNumbers {
  std::uint16_t bucket_size = 2;
  std::uint16_t most_iterations = 20;
};
inline constexpr std::uint16_t kMostBucketSize = 255;

inline constexpr std::size_t kMostRecordBytes = 512;
inline constexpr std::int64_t kLatestLease = std::int64_t{1} << 52;  // in milliseconds since 1970

class BloomValue {
 public:
  using Filter = std::variant<GrowingFilter, ServerChain, DeletableFilter>;  // in the order of Layout

  explicit BloomValue(Filter filter, const CuckooNumbers& cuckoo = {});
  // Copies share their pages.
  BloomValue(const BloomValue& other);
  BloomValue& operator=(const BloomValue&) = delete;
  ~BloomValue();

  Layout layout() const { return static_cast<Layout>(filter_.index() + 1); }
  // Precondition: the layout is the right one.
  const GrowingFilter& growing() const { return *std::get_if<GrowingFilter>(&filter_); }
  GrowingFilter& growing() { return *std::get_if<GrowingFilter>(&filter_); }
  const ServerChain& chain() const { return *std::get_if<ServerChain>(&filter_); }
  ServerChain& chain() { return *std::get_if<ServerChain>(&filter_); }
  const DeletableFilter& deletable() const { return *std::get_if<DeletableFilter>(&filter_); }
  DeletableFilter& deletable() { return *std::get_if<DeletableFilter>(&filter_); }

  // Precondition: the layout is kQuotient.
  const CuckooNumbers& cuckoo() const { return cuckoo_; }

  // Whether it answers no only for a time.
  bool has_lease() const { return lease_until_ != 0 || !record_.empty(); }
  // Whether it answers maybe to everybody. `now` is the server's time in milliseconds.
  bool answers_maybe(std::int64_t now) const { return !is_loaded() || (has_lease() && now >= lease_until()); }
  // Answers 64 keys a word, as GrowingFilter::may_contain().
  void may_contain(std::span<const std::string_view> keys, std::int64_t now,
                   std::span<std::uint64_t> answers) const;
  // Adds keys in order, as GrowingFilter::add(). A deletable filter takes each copy, and goes on behind an error as
  // DeletableFilter::add(). Precondition: is_loaded().
  std::size_t add(std::span<const std::string_view> keys, std::uint64_t most_bytes, std::span<Added> outcomes,
                  AddWhen when = AddWhen::kAlways);
  // Precondition of both: the layout is kQuotient. That of remove(): is_loaded(). A value that answers maybe to everybody
  // has one copy of every key at least.
  std::uint64_t count(std::string_view key, std::int64_t now) const;
  Removed remove(std::string_view key);

  // Takes the filter of another value, with what is loaded of it. Lease and record stay.
  void take_filter_of(BloomValue&& other);

  std::uint64_t capacity() const;
  std::uint64_t keys() const;
  std::size_t layer_count() const;
  std::uint32_t expansion() const;  // 0: it does not grow
  // The fpp of a key that is not in, predicted from the keys in each layer.
  double current_fpp() const;
  // Estimates the number of keys from the bits that are set in at most 512 KiB. Where these are few,
  // the keys that the layer has counted are the estimate.
  double estimated_keys() const;
  std::uint64_t payload_bytes() const;
  std::uint64_t memory_bytes() const;

  std::uint64_t layer_bytes(std::size_t layer) const;
  // Copies bytes of a layer. Precondition: offset + out.size() <= layer_bytes(layer).
  void read_layer(std::size_t layer, std::uint64_t offset, std::span<std::byte> out) const;
  // Returns how many bytes of a layer from `offset` on are saved as one: at most `most`, unless a table has more.
  // Precondition: offset < layer_bytes(layer).
  std::uint64_t layer_step(std::size_t layer, std::uint64_t offset, std::uint64_t most) const;
  // Writes bytes of a layer, those of a quotient table as a whole. Errors: kCapacity if memory is lacking; those of
  // DeletableFilter::load() and FilterLayer::write(). Precondition: as above.
  Status write_layer(std::size_t layer, std::uint64_t offset, std::span<const std::byte> bytes);
  // Moves pieces of memory that no copy shares, from `piece` on. Calls move(memory), which returns the new place or null,
  // and then is_time_over(). Returns the piece to go on with, or 0 at the end.
  template <typename Move, typename IsTimeOver>
  std::uint64_t move_memory(std::uint64_t piece, Move move, IsTimeOver is_time_over);
  // Copies payload bytes from `offset` on: up to `most`, and never of two layers. Precondition: offset <
  // payload_bytes().
  std::vector<std::byte> payload(std::uint64_t offset, std::uint64_t most) const;
  // Takes the next payload bytes. Errors: kInvalidArgument unless they begin at loaded() and lie in one layer;
  // kCapacity if memory is lacking.
  Status load_payload(std::uint64_t offset, std::span<const std::byte> bytes);

  std::uint64_t loaded() const { return loaded_; }
  void set_loaded(std::uint64_t bytes) { loaded_ = bytes; }
  bool is_loaded() const { return loaded_ == payload_bytes(); }
  // The end of the lease by the server's clock as it is now, in milliseconds since 1970; 0 for none.
  std::int64_t lease_until() const {
    return lease_until_ == 0 ? 0
                             : std::max<std::int64_t>(lease_until_ - (clock_lost_ms() - lease_lost_ms_), 1);
  }
  void set_lease_until(std::int64_t milliseconds) { set_lease(milliseconds, clock_lost_ms()); }
  // The same for a feeder, who computes a lease from the time that he was told last. Call it when he is told the time again.
  void set_lease_of_feeder(std::int64_t milliseconds) {
    set_lease(milliseconds, told_lost_ms_);
    told_lost_ms_ = clock_lost_ms();
  }
  // How far a feeder has brought the filter, in its own words: at most kMostRecordBytes, and empty if none feeds it.
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
  LayerPlace place_of(std::uint64_t offset) const;
  // The pieces of memory that are moved at once: those of a layer, or of all segments.
  std::size_t memory_layers() const { return layout() == Layout::kQuotient ? 1 : layer_count(); }
  std::uint64_t memory_pieces(std::size_t layer) const;
  double keys_in(std::size_t layer) const;
  // Whether the bytes of a layer are its bits. Precondition: the layout is not kQuotient.
  bool has_bits(std::size_t layer) const;
  double estimated_keys_in(std::size_t layer, double set_bits) const;
  std::size_t add_to_chain(std::span<const std::string_view> keys, std::uint64_t most_bytes,
                           std::span<Added> outcomes);
  // Adds at most 64 keys, and returns how many outcomes it wrote: at least one.
  std::size_t add_group_to_chain(std::span<const redisbloom::KeyHash> hashes, std::uint64_t most_bytes,
                                 std::span<Added> outcomes);
  Added may_grow_chain(std::uint64_t most_bytes) const;

  Filter filter_;
  CuckooNumbers cuckoo_;
  std::uint64_t loaded_ = 0;
  std::int64_t lease_until_ = 0;    // 0 for none; by the clock as it was when it had lost so much:
  std::int64_t lease_lost_ms_ = 0;  // (clock_lost_ms())
  std::int64_t told_lost_ms_ = clock_lost_ms();  // when a feeder was told the time, or the value was made
  std::string record_;
};

template <typename Move, typename IsTimeOver>
std::uint64_t BloomValue::move_memory(std::uint64_t piece, Move move, IsTimeOver is_time_over) {
  std::uint64_t first = 0;  // of the layer
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
      }
      if (is_time_over()) {
        return at + 1;
      }
    }
    first += count;
  }
  return 0;
}

// How many values exist.
std::uint64_t bloom_value_count();

}  // namespace bloomery::redis_module
