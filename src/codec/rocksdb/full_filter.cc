#include "codec/rocksdb/full_filter.h"

#include <algorithm>
#include <bit>

#include "base/endian.h"
#include "bloomery/filter/sizing.h"
#include "codec/probes.h"
#include "codec/stepped_fpp.h"

namespace bloomery {
namespace {

constexpr const char* kFullFilterSubject = "rocksdb filter";
constexpr std::uint64_t kLineBytes = 64;
constexpr std::size_t kSegmentBytes = 16;

RocksDbScheme read_legacy(std::uint64_t data_bytes, const std::byte* trailer) {
  const std::uint32_t lines = load_little32(trailer + 1);
  if (lines == 0 || data_bytes % lines != 0 || !std::has_single_bit(data_bytes / lines)) {
    return RocksDbMatchesAll{"its number of lines contradicts its size"};
  }
  return RocksDbLegacyProbes(lines, data_bytes / lines * 8, std::to_integer<std::uint32_t>(trailer[0]));
}

RocksDbScheme read_fast_local(std::uint64_t data_bytes, const std::byte* trailer) {
  // The upper three bits of this byte select another line size. Such a filter matches every key.
  const auto hash_count = std::to_integer<std::uint32_t>(trailer[2]);
  const bool known = trailer[1] == std::byte{0} && trailer[3] == std::byte{0} && trailer[4] == std::byte{0};
  if (!known || hash_count < 1 || hash_count > 30) {
    return RocksDbMatchesAll{"reserved values in its trailer"};
  }
  if (data_bytes % kLineBytes != 0 || data_bytes / kLineBytes > 0xffffffff) {
    return RocksDbMatchesAll{"no whole number of lines"};
  }
  return RocksDbFastLocalProbes(static_cast<std::uint32_t>(data_bytes / kLineBytes), hash_count);
}

RocksDbScheme read_ribbon(std::uint64_t data_bytes, const std::byte* trailer) {
  const std::uint32_t blocks = load_little32(trailer + 1) >> 8;
  if (blocks < 2 || data_bytes % kSegmentBytes != 0) {
    return RocksDbMatchesAll{"its number of blocks contradicts its size"};
  }
  return RocksDbRibbon{.shape = RocksDbRibbonShape::of(data_bytes / kSegmentBytes, blocks),
                       .seed = std::to_integer<std::uint8_t>(trailer[1])};
}

}  // namespace

Result<RocksDbScheme> read_rocksdb_trailer(std::span<const std::byte> filter, std::uint64_t offset) {
  if (filter.empty()) {
    return RocksDbScheme(RocksDbNoKeys());
  }
  if (filter.size() < kRocksDbTrailerBytes) {
    return Error::corruption(kFullFilterSubject, offset, "no bytes or 5 and more", filter.size());
  }
  const std::uint64_t data_bytes = filter.size() - kRocksDbTrailerBytes;
  const std::byte* const trailer = filter.data() + data_bytes;
  const auto kind = std::to_integer<unsigned>(trailer[0]);
  if (data_bytes == 0) {
    if (kind >= 1 && kind <= 0x7f && load_little32(trailer + 1) == 0) {
      return RocksDbScheme(RocksDbNoKeys());
    }
    return Error::corruption(kFullFilterSubject, offset, "data before the 5 bytes of its trailer", "none");
  }
  if (kind == 0xff) {
    return read_fast_local(data_bytes, trailer);
  }
  if (kind == 0xfe) {
    return read_ribbon(data_bytes, trailer);
  }
  if (kind == 0) {
    return RocksDbScheme(RocksDbMatchesAll{"made so"});
  }
  return kind <= 0x7f ? read_legacy(data_bytes, trailer)
                      : RocksDbScheme(RocksDbMatchesAll{"of a reserved kind"});
}

Result<RocksDbFullFilter> RocksDbFullFilter::open(std::span<const std::byte> filter, std::uint64_t offset,
                                                  MemoryShare memory) {
  // Covers the allocations of a small filter, and its entry in a growing list of partitions.
  constexpr std::uint64_t kOverhead = 512;
  BLOOMERY_RETURN_IF_ERROR(memory.add(kFullFilterSubject, filter.size() + kOverhead));
  BLOOMERY_ASSIGN_OR_RETURN(const RocksDbScheme scheme, read_rocksdb_trailer(filter, offset));
  const std::size_t data_bytes = filter.size() - std::min(filter.size(), kRocksDbTrailerBytes);
  const auto data = filter.first(data_bytes);
  // Allocates at least one word, because an empty buffer cannot be allocated.
  BLOOMERY_ASSIGN_OR_RETURN(WordBits words, WordBits::zeroed(std::max<std::uint64_t>(data_bytes, 8) * 8));
  std::ranges::copy(data, std::as_writable_bytes(words.words()).begin());
  return RocksDbFullFilter(scheme, std::move(words), data_bytes, filter.subspan(data_bytes),
                           std::move(memory));
}

const char* RocksDbFullFilter::kind_name() const {
  constexpr std::array<const char*, 5> kNames = {"empty", "always true", "legacy", "fastlocal", "ribbon"};
  return kNames[scheme_.index()];
}

std::uint32_t RocksDbFullFilter::hash_count() const {
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_)) {
    return legacy->hash_count();
  }
  const auto* const fast_local = std::get_if<RocksDbFastLocalProbes>(&scheme_);
  return fast_local == nullptr ? 0 : fast_local->hash_count();
}

bool RocksDbFullFilter::may_contain(std::string_view key) const {
  if (const auto* const ribbon = std::get_if<RocksDbRibbon>(&scheme_)) {
    return rocksdb_ribbon_may_match(data_.words(), ribbon->shape, ribbon->seed, rocksdb_hash64(key));
  }
  if (const auto* const fast_local = std::get_if<RocksDbFastLocalProbes>(&scheme_)) {
    return probes::may_contain(data_, *fast_local, key);
  }
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_)) {
    return probes::may_contain(data_, *legacy, key);
  }
  return std::holds_alternative<RocksDbMatchesAll>(scheme_);
}

void RocksDbFullFilter::may_contain_batch(std::span<const std::string_view> keys,
                                          std::span<std::uint64_t> answers) const {
  if (const auto* const fast_local = std::get_if<RocksDbFastLocalProbes>(&scheme_)) {
    return probes::may_contain_batch(data_, *fast_local, keys, answers);
  }
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_)) {
    return probes::may_contain_batch(data_, *legacy, keys, answers);
  }
  std::ranges::fill(answers.first(answer_words(keys.size())), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    answers[i / 64] |= std::uint64_t{may_contain(keys[i])} << (i % 64);
  }
}

std::uint64_t RocksDbFullFilter::insert_batch(std::span<const std::string_view> keys) {
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_)) {
    return probes::insert_batch(data_, *legacy, keys);
  }
  return probes::insert_batch(data_, std::get<RocksDbFastLocalProbes>(scheme_), keys);
}

DialectFacts RocksDbFullFilter::facts() const {
  DialectFacts facts;
  facts.bits = std::uint64_t{data_bytes_} * 8;
  facts.hash_count = hash_count();
  facts.set_bits = data_.count();
  facts.more = {{"kind", kind_name()}};
  if (const auto* const all = std::get_if<RocksDbMatchesAll>(&scheme_)) {
    facts.more.emplace_back("matches", std::string("every key: ") + all->reason);
  }
  if (const auto* const ribbon = std::get_if<RocksDbRibbon>(&scheme_)) {
    facts.more.emplace_back("blocks", std::to_string(ribbon->shape.blocks));
    facts.more.emplace_back("columns", std::to_string(ribbon->shape.columns));
    facts.more.emplace_back("blocks with a column less", std::to_string(ribbon->shape.narrow));
    facts.more.emplace_back("seed", std::to_string(ribbon->seed));
  }
  return facts;
}

template <typename Use>
void RocksDbFullFilter::for_each_line(Use use) const {
  const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_);
  const std::uint64_t blocked_bits =
      legacy != nullptr ? legacy->blocked_bits() : RocksDbFastLocalProbes::blocked_bits();
  // The lines of a damaged legacy filter may be smaller than a word. Such a filter counts as one line.
  const std::uint64_t words = blocked_bits % 64 == 0 ? blocked_bits / 64 : data_.words().size();
  for (std::span<const std::uint64_t> left = data_.words(); !left.empty(); left = left.subspan(words)) {
    use(left.first(words));
  }
}

double RocksDbFullFilter::fpp() const {
  if (const auto* const ribbon = std::get_if<RocksDbRibbon>(&scheme_)) {
    return rocksdb_ribbon_fpp(ribbon->shape);
  }
  if (!is_bloom()) {
    return std::holds_alternative<RocksDbMatchesAll>(scheme_) ? 1 : 0;
  }
  // The probes of a legacy key are equal steps within one line and may coincide. So the fpp is sampled with
  // random hashes (codec/stepped_fpp.h).
  if (const auto* const legacy = std::get_if<RocksDbLegacyProbes>(&scheme_)) {
    SampleNumbers numbers;
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kMostSamples; ++i) {
      const auto hash = static_cast<std::uint32_t>(numbers.next() >> 32);
      hits += probes::all_of_key(data_, *legacy, legacy->begin(hash));
    }
    return static_cast<double>(hits) / kMostSamples;
  }
  double sum = 0;
  double lines = 0;
  for_each_line([&](std::span<const std::uint64_t> line) {
    const auto bits = static_cast<double>(line.size() * 64);
    sum += fpp_at_fill(static_cast<double>(count_set_bits(line)) / bits, hash_count());
    lines += 1;
  });
  return sum / lines;
}

Result<double> RocksDbFullFilter::estimated_count() const {
  if (std::holds_alternative<RocksDbNoKeys>(scheme_)) {
    return 0.0;
  }
  if (std::holds_alternative<RocksDbRibbon>(scheme_)) {
    return Error(ErrorCode::kUnsupported, kFullFilterSubject,
                 "the bits of a ribbon do not tell the number of its keys");
  }
  if (!is_bloom()) {
    return Error::capacity(kFullFilterSubject, "every key matches: the number of keys cannot be told");
  }
  double keys = 0;
  for_each_line([&](std::span<const std::uint64_t> line) {
    keys += estimated_key_count({.bits = line.size() * 64, .hash_count = hash_count()}, count_set_bits(line));
  });
  return keys;
}

Status RocksDbFullFilter::write(const DialectFilter::Sink& sink) const {
  if (data_bytes_ > 0) {
    BLOOMERY_RETURN_IF_ERROR(sink(std::as_bytes(data_.words()).first(data_bytes_)));
  }
  return trailer_.empty() ? Status() : sink(trailer_);
}

}  // namespace bloomery
