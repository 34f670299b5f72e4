#include "redis_module/filter_value.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "base/bit_count.h"
#include "base/endian.h"
#include "bloomery/hash/hash_secret.h"
#include "filter/pages/paged_words.h"
#include "redis_module/per_item.h"

namespace bloomery::redis_module {
namespace {

constexpr std::size_t kChainGroup = 64;
// Items whose cache lines are prefetched at once, up to 30 lines for each.
constexpr std::size_t kChainAhead = 16;
constexpr std::uint64_t kSampleBytes = 512 << 10;
constexpr std::uint64_t kFewBits = 10'000;  // an estimate from this many bits has 1 % of noise

std::atomic<std::uint64_t> live_values{0};

PerItem<Hash128> hashes_of(std::span<const std::string_view> keys, const HashSpec& spec) {
  PerItem<Hash128> hashes(keys.size());
  hash_batch(keys, spec, hashes);
  return hashes;
}

// Calls the function for the value's layout with its filter.
template <typename Value, typename OfGrowing, typename OfChain, typename OfDeletable, typename OfCuckoo>
auto by_layout(Value& value, OfGrowing of_growing, OfChain of_chain, OfDeletable of_deletable,
               OfCuckoo of_cuckoo) {
  switch (value.layout()) {
    case Layout::kBloomery:
      return of_growing(value.growing());
    case Layout::kRedisBloom:
      return of_chain(value.chain());
    case Layout::kCuckoo:
      return of_cuckoo(value.cuckoo_chain());
    default:
      return of_deletable(value.deletable());
  }
}

}  // namespace

std::uint64_t filter_value_count() {
  return live_values.load(std::memory_order_relaxed);
}

FilterValue::FilterValue(Filter filter, const CuckooNumbers& cuckoo)
    : filter_(std::move(filter)), cuckoo_(cuckoo), loaded_(payload_bytes()) {
  live_values.fetch_add(1, std::memory_order_relaxed);
}

FilterValue::FilterValue(const FilterValue& other)
    : filter_(other.filter_),
      cuckoo_(other.cuckoo_),
      loaded_(other.loaded_),
      lease_until_(other.lease_until_),
      lease_lost_ms_(other.lease_lost_ms_),
      told_lost_ms_(other.told_lost_ms_),
      record_(other.record_) {
  live_values.fetch_add(1, std::memory_order_relaxed);
}

FilterValue::~FilterValue() {
  live_values.fetch_sub(1, std::memory_order_relaxed);
}

void FilterValue::take_filter_of(FilterValue&& other) {
  filter_ = std::move(other.filter_);
  cuckoo_ = other.cuckoo_;
  loaded_ = other.loaded_;
  recent_keys_.reset();
}

// ---- queries and adds

void FilterValue::may_contain(std::span<const std::string_view> keys, std::int64_t now,
                              std::span<std::uint64_t> answers) const {
  if (answers_maybe(now)) {
    std::ranges::fill(answers, ~std::uint64_t{0});
    return;
  }
  if (layout() == Layout::kBloomery) {
    growing().may_contain(hashes_of(keys, growing().plan().hash), answers);
    return;
  }
  if (layout() == Layout::kQuotient) {
    deletable().may_contain(hashes_of(keys, deletable().plan().hash), answers);
    return;
  }
  if (layout() == Layout::kCuckoo) {
    std::ranges::fill(answers, 0);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i / 64] |= std::uint64_t{cuckoo_chain().may_contain(keys[i])} << (i % 64);
    }
    return;
  }
  std::array<redisbloom::KeyHash, kChainGroup> hashes;
  for (std::size_t first = 0; first < keys.size(); first += kChainGroup) {
    const std::size_t count = std::min(kChainGroup, keys.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = chain().hash(keys[first + i]);
    }
    answers[first / kChainGroup] = chain().test_group(std::span(hashes).first(count));
  }
}

std::size_t FilterValue::add(std::span<const std::string_view> keys, std::uint64_t most_bytes,
                             std::span<Added> outcomes, AddWhen when) {
  std::size_t done = keys.size();
  if (layout() == Layout::kBloomery) {
    const PerItem<Hash128> hashes = hashes_of(keys, growing().plan().hash);
    done = growing().add(hashes, most_bytes, outcomes);
    note_new_keys(hashes, outcomes.first(done));
  } else if (layout() == Layout::kRedisBloom) {
    done = add_to_chain(keys, most_bytes, outcomes);
  } else if (layout() == Layout::kCuckoo) {
    add_to_cuckoo_chain(keys, when, most_bytes, outcomes);
  } else {
    deletable().add(hashes_of(keys, deletable().plan().hash), when, most_bytes, outcomes);
  }
  loaded_ = payload_bytes();
  return done;
}

void FilterValue::note_new_keys(std::span<const Hash128> hashes, std::span<const Added> outcomes) {
  if (!recent_keys_) {
    return;
  }
  if (!may_have_recent_keys()) {
    recent_keys_.reset();
    return;
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i] == Added::kNew) {
      recent_keys_->add(hashes[i].low);
    }
  }
}

const RecentKeys* FilterValue::recent_keys() {
  constexpr std::uint64_t kFewest = 1024;
  constexpr std::uint64_t kMost = 65'536;
  if (!recent_keys_ && may_have_recent_keys()) {
    const Result<HashSecret> random = HashSecret::generate();
    if (!random) {
      return nullptr;
    }
    const std::uint64_t id = load_little64(reinterpret_cast<const std::byte*>(random->bytes.data())) >> 1 | 1;
    const std::uint64_t eighth = payload_bytes() / 8 / sizeof(std::uint64_t);
    recent_keys_ = std::make_unique<RecentKeys>(id, std::bit_ceil(std::clamp(eighth, kFewest, kMost)));
  }
  return recent_keys_.get();
}

std::uint64_t FilterValue::count(std::string_view key, std::int64_t now) const {
  const std::uint64_t least = answers_maybe(now) ? 1 : 0;
  if (layout() == Layout::kCuckoo) {
    return std::max(cuckoo_chain().count(key), least);
  }
  return std::max(deletable().count(hash_bytes(key, deletable().plan().hash)), least);
}

void FilterValue::add_to_cuckoo_chain(std::span<const std::string_view> keys, AddWhen when,
                                      std::uint64_t most_bytes, std::span<Added> outcomes) {
  cuckoo_chain().begin_step();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    outcomes[i] = cuckoo_chain().add(keys[i], when, most_bytes);
  }
}

Removed FilterValue::remove(std::string_view key) {
  if (layout() == Layout::kCuckoo) {
    cuckoo_chain().begin_step();
    return cuckoo_chain().remove(key);
  }
  return deletable().remove(hash_bytes(key, deletable().plan().hash));
}

std::size_t FilterValue::add_to_chain(std::span<const std::string_view> keys, std::uint64_t most_bytes,
                                      std::span<Added> outcomes) {
  std::array<redisbloom::KeyHash, kChainGroup> hashes;
  chain().bits_of(layer_count() - 1).begin_step();
  std::size_t done = 0;
  while (done < keys.size()) {
    const std::size_t count = std::min(kChainGroup, keys.size() - done);
    for (std::size_t i = 0; i < count; ++i) {
      hashes[i] = chain().hash(keys[done + i]);
    }
    const auto written =
        add_group_to_chain(std::span(hashes).first(count), most_bytes, outcomes.subspan(done));
    done += written;
    if (outcomes[done - 1] != Added::kKnown && outcomes[done - 1] != Added::kNew) {
      break;
    }
  }
  return done;
}

// Adds keys up to the first refused one, or the first one that begins a new link: after that, `known` lacks
// the answers of the link that was the newest.
std::size_t FilterValue::add_group_to_chain(std::span<const redisbloom::KeyHash> hashes,
                                            std::uint64_t most_bytes, std::span<Added> outcomes) {
  ServerChain& chain = this->chain();
  const std::uint64_t known = chain.test_older(hashes);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i % kChainAhead == 0) {
      chain.prefetch_newest(hashes.subspan(i, std::min(kChainAhead, hashes.size() - i)));
    }
    if ((known >> i & 1) != 0 || chain.test_newest(hashes[i])) {
      outcomes[i] = Added::kKnown;
      continue;
    }
    const bool grows = chain.is_full();
    outcomes[i] = grows ? may_grow_chain(most_bytes) : Added::kNew;
    if (outcomes[i] == Added::kNew && !chain.add_absent(hashes[i])) {
      outcomes[i] = Added::kNoMemory;
    }
    if (grows || outcomes[i] != Added::kNew) {
      return i + 1;
    }
  }
  return hashes.size();
}

// Returns kNew if a full chain may get another link, otherwise why not.
Added FilterValue::may_grow_chain(std::uint64_t most_bytes) const {
  const Result<redisbloom::ChainLink> next = chain().next_link();
  if ((chain().header().options & redisbloom::kNoScaling) != 0) {
    return Added::kFull;
  }
  const std::uint64_t used = payload_bytes();
  if (!next || used > most_bytes || next->bytes > most_bytes - used ||
      chain().header().links.size() >= kMostLayers) {
    return Added::kOverLimit;
  }
  return Added::kNew;
}

// ---- facts

std::uint64_t FilterValue::capacity() const {
  if (layout() == Layout::kBloomery) {
    return growing().capacity();
  }
  if (layout() == Layout::kQuotient) {
    return deletable().plan().capacity;
  }
  if (layout() == Layout::kCuckoo) {
    return cuckoo_chain().slot_count();
  }
  std::uint64_t total = 0;
  for (const redisbloom::ChainLink& link : chain().header().links) {
    total += link.entries;
  }
  return total;
}

std::uint64_t FilterValue::keys() const {
  return by_layout(
      *this, [](const auto& filter) { return filter.keys(); },
      [](const auto& chain) { return chain.header().size(); },
      [](const auto& filter) { return filter.keys(); },
      [](const auto& chain) { return chain.header().items; });
}

std::size_t FilterValue::layer_count() const {
  return by_layout(
      *this, [](const auto& filter) { return filter.layers().size(); },
      [](const auto& chain) { return chain.header().links.size(); },
      [](const auto& filter) { return filter.segment_count(); },
      [](const auto& chain) { return chain.table_count(); });
}

std::uint32_t FilterValue::expansion() const {
  return by_layout(
      *this, [](const auto& filter) { return filter.plan().expansion; },
      [](const auto& chain) {
        return (chain.header().options & redisbloom::kNoScaling) != 0 ? 0 : chain.header().growth;
      },
      [](const auto& filter) { return filter.plan().expansion; },
      [](const auto& chain) { return std::uint32_t{chain.header().expansion}; });
}

double FilterValue::current_fpp() const {
  if (layout() == Layout::kBloomery) {
    return growing().current_fpp();
  }
  if (layout() == Layout::kQuotient) {
    return deletable().current_fpp();
  }
  if (layout() == Layout::kCuckoo) {
    return cuckoo_chain().current_fpp();
  }
  double all_say_no = 1;
  for (const redisbloom::ChainLink& link : chain().header().links) {
    const double sets = static_cast<double>(link.hash_count) * static_cast<double>(link.size);
    const double fill = 1 - std::exp(-sets / static_cast<double>(link.used_bits()));
    all_say_no *= 1 - std::pow(fill, static_cast<double>(link.hash_count));
  }
  return 1 - all_say_no;
}

double FilterValue::estimated_keys_in(std::size_t layer, double set_bits) const {
  if (layout() == Layout::kBloomery) {
    return estimated_key_count(growing().layers()[layer].size.shape, static_cast<std::uint64_t>(set_bits));
  }
  const redisbloom::ChainLink& link = chain().header().links[layer];
  const auto bits = static_cast<double>(link.used_bits());
  return -bits / static_cast<double>(link.hash_count) * std::log1p(-std::min(set_bits, bits - 1) / bits);
}

double FilterValue::estimated_keys() const {
  if (family_of(layout()) == Family::kDeletable) {
    return static_cast<double>(keys());  // exact: the filter counts its keys
  }
  const std::uint64_t share = kSampleBytes / layer_count() / kWordBytes * kWordBytes;
  double total = 0;
  for (std::size_t layer = 0; layer < layer_count(); ++layer) {
    if (!has_bits(layer)) {
      total += keys_in(layer);
      continue;
    }
    const std::uint64_t bytes = layer_bytes(layer);
    std::vector<std::uint64_t> sample(std::min(bytes, share) / kWordBytes);
    read_layer(layer, 0, std::as_writable_bytes(std::span(sample)));
    const std::uint64_t set = count_set_bits(sample);
    // A small sample with few set bits is noisy, so the count of new keys is used instead.
    const bool says_enough = sample.size() * kWordBytes == bytes || set >= kFewBits;
    const double parts = static_cast<double>(bytes) / static_cast<double>(sample.size() * kWordBytes);
    total += says_enough ? estimated_keys_in(layer, static_cast<double>(set) * parts) : keys_in(layer);
  }
  return total;
}

double FilterValue::keys_in(std::size_t layer) const {
  return static_cast<double>(layout() == Layout::kBloomery ? growing().layers()[layer].keys
                                                           : chain().header().links[layer].size);
}

std::uint64_t FilterValue::memory_pieces(std::size_t layer) const {
  return by_layout(
      *this, [&](const auto& filter) { return filter.layers()[layer].memory_pieces(); },
      [&](const auto& chain) { return chain.bits_of(layer).page_count(); },
      [](const auto& filter) { return std::uint64_t{filter.piece_count()}; },
      [&](const auto& chain) { return std::uint64_t{chain.words_of(layer).page_count()}; });
}

bool FilterValue::has_bits(std::size_t layer) const {
  if (layout() != Layout::kBloomery) {
    return true;
  }
  const auto& late = growing().layers()[layer].late;
  return !late || late->is_all_bits();
}

std::uint64_t FilterValue::layer_bytes(std::size_t layer) const {
  return by_layout(
      *this, [&](const auto& filter) { return filter.layers()[layer].payload_bytes(); },
      [&](const auto& chain) { return chain.bits_of(layer).size_bytes(); },
      [&](const auto& filter) { return filter.bytes_of(layer); },
      [&](const auto& chain) { return chain.bytes_of(layer); });
}

std::uint64_t FilterValue::layer_step(std::size_t layer, std::uint64_t offset, std::uint64_t most) const {
  return by_layout(
      *this, [&](const auto& filter) { return filter.layers()[layer].step(offset, most); },
      [&](const auto& chain) { return std::min(most, chain.bits_of(layer).size_bytes() - offset); },
      [&](const auto& filter) { return filter.bytes_of(layer) - offset; },
      [&](const auto& chain) { return std::min(most, chain.bytes_of(layer) - offset); });
}

void FilterValue::read_layer(std::size_t layer, std::uint64_t offset, std::span<std::byte> out) const {
  by_layout(
      *this, [&](const auto& filter) { filter.layers()[layer].read(offset, out); },
      [&](const auto& chain) { chain.bits_of(layer).load(offset, out); },
      [&](const auto& filter) { filter.read(layer, offset, out); },
      [&](const auto& chain) { chain.words_of(layer).load(offset, out); });
}

Status FilterValue::write_layer(std::size_t layer, std::uint64_t offset, std::span<const std::byte> bytes) {
  recent_keys_.reset();
  const auto store = [&](PagedWords& words) {
    return words.store(offset, bytes) ? Status() : Error::capacity("chunk", "memory is lacking");
  };
  return by_layout(
      *this, [&](auto& filter) { return filter.layers()[layer].write(offset, bytes); },
      [&](auto& chain) { return store(chain.bits_of(layer)); },
      [&](auto& filter) { return filter.load(layer, bytes); },
      [&](auto& chain) { return store(chain.words_of(layer)); });
}

std::uint64_t FilterValue::payload_bytes() const {
  if (layout() == Layout::kQuotient) {
    return deletable().size_bytes();
  }
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < layer_count(); ++i) {
    total += layer_bytes(i);
  }
  return total;
}

std::uint64_t FilterValue::memory_bytes() const {
  if (layout() == Layout::kQuotient) {
    return sizeof(FilterValue) + record_.capacity() + deletable().memory_bytes();
  }
  std::uint64_t total = sizeof(FilterValue) + record_.capacity() +
                        layer_count() * sizeof(GrowingFilter::Layer) +
                        (recent_keys_ ? recent_keys_->memory_bytes() : 0);
  for (std::size_t i = 0; i < layer_count(); ++i) {
    total += layout() == Layout::kBloomery ? growing().layers()[i].memory_bytes()
             : layout() == Layout::kCuckoo ? cuckoo_chain().words_of(i).memory_bytes()
                                           : chain().bits_of(i).memory_bytes();
  }
  return total;
}

// ---- the payload as bytes

FilterValue::LayerPlace FilterValue::place_of(std::uint64_t offset) const {
  if (layout() == Layout::kQuotient) {
    const SegmentDirectory::Place place = deletable().place_of(offset);
    return {.layer = place.segment, .within = offset - place.begin};
  }
  std::size_t layer = 0;
  while (offset >= layer_bytes(layer)) {
    offset -= layer_bytes(layer);
    ++layer;
  }
  return {.layer = layer, .within = offset};
}

std::vector<std::byte> FilterValue::payload(std::uint64_t offset, std::uint64_t most) const {
  const LayerPlace place = place_of(offset);
  std::vector<std::byte> bytes(layer_step(place.layer, place.within, most));
  read_layer(place.layer, place.within, bytes);
  return bytes;
}

Status FilterValue::load_payload(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (offset != loaded_ || is_loaded() || bytes.empty()) {
    return Error::invalid_argument("chunk", "expected bytes from " + std::to_string(loaded_) + " on, found " +
                                                std::to_string(bytes.size()) + " from " +
                                                std::to_string(offset) + " on");
  }
  const LayerPlace place = place_of(offset);
  const std::uint64_t room = layer_bytes(place.layer) - place.within;
  if (bytes.size() > room) {
    return Error::invalid_argument("chunk", "expected at most " + std::to_string(room) + " bytes, found " +
                                                std::to_string(bytes.size()));
  }
  BLOOMERY_RETURN_IF_ERROR(write_layer(place.layer, place.within, bytes));
  loaded_ += bytes.size();
  return {};
}

}  // namespace bloomery::redis_module
