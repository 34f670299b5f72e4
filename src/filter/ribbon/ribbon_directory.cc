#include "filter/ribbon/ribbon_directory.h"

#include <algorithm>
#include <string>

#include "base/endian.h"
#include "bloomery/filter/ribbon_sizing.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {
using namespace native_header;

Status check_ribbon_header(const NativeHeader& header) {
  if (header.type != FilterType::kRibbon) {  // the caller reports the wrong type
    return {};
  }
  if (header.hash_count > kMaxRibbonColumns) {
    return bad_header_field(kHashCountAt, "columns", "at most " + std::to_string(kMaxRibbonColumns),
                            header.hash_count);
  }
  return check_shard_header(header);
}

namespace {

constexpr std::uint64_t bits(std::uint64_t word, unsigned first, unsigned count) {
  return (word >> first) & ((std::uint64_t{1} << count) - 1);
}

Error bad_entry(std::uint64_t index, const std::string& detail) {
  return Error::corruption("ribbon directory", kNativeHeaderBytes + index * kShardEntryBytes,
                           "shard " + std::to_string(index) + ": " + detail);
}

}  // namespace

void encode_ribbon_entry(const RibbonEntry& entry, std::byte* bytes) {
  const std::uint64_t narrow0 = entry.narrow_blocks[0];
  const std::uint64_t blocks1 = entry.blocks[1];
  // The narrow blocks of band 0 straddle the two words: their low ten bits are in the first.
  store_little(bytes, std::uint64_t{entry.checksum} | std::uint64_t{entry.blocks[0]} << 32 | narrow0 << 54);
  store_little(bytes + 8, narrow0 >> 10 | blocks1 << 12 | std::uint64_t{entry.narrow_blocks[1]} << 30 |
                              std::uint64_t{entry.tail_slots} << 48 |
                              std::uint64_t{entry.tail_is_wide} << 58 | std::uint64_t{entry.seed} << 59);
}

RibbonEntry decode_ribbon_entry(const std::byte* bytes) {
  const std::uint64_t low = load_little64(bytes);
  const std::uint64_t high = load_little64(bytes + 8);
  const auto field = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  return {.checksum = field(bits(low, 0, 32)),
          .blocks = {field(bits(low, 32, 22)), field(bits(high, 12, 18))},
          .narrow_blocks = {field(bits(low, 54, 10) | bits(high, 0, 12) << 10), field(bits(high, 30, 18))},
          .tail_slots = field(bits(high, 48, 10)),
          .tail_is_wide = field(bits(high, 58, 1)),
          .seed = field(bits(high, 59, 5))};
}

Result<std::vector<RibbonShard>> read_ribbon_directory(std::span<const std::byte> directory,
                                                       std::uint64_t first_word, std::uint64_t payload_words,
                                                       std::uint32_t columns) {
  const std::size_t held = directory.size() / kShardEntryBytes;
  std::uint64_t next = first_word;
  std::vector<RibbonShard> shards;
  shards.reserve(held);
  for (std::size_t i = 0; i < held; ++i) {
    const RibbonEntry entry = decode_ribbon_entry(directory.data() + i * kShardEntryBytes);
    if (entry.narrow_blocks[0] > entry.blocks[0] || entry.narrow_blocks[1] > entry.blocks[1]) {
      return bad_entry(i, "expected at most as many narrow blocks as blocks");
    }
    // Before and after each entry, next is at most payload_words, so the subtraction does not wrap. The check
    // of the header ensures it initially.
    if (shard_words(entry, columns) > payload_words - next) {
      return bad_entry(i, "expected at most " + std::to_string(payload_words - next) +
                              " words, which are left, found " + std::to_string(shard_words(entry, columns)));
    }
    shards.push_back({.front = next,
                      .band0 = next + front_words(entry, columns),
                      .blocks0 = entry.blocks[0],
                      .narrow0 = entry.narrow_blocks[0],
                      .blocks1 = entry.blocks[1],
                      .narrow1 = entry.narrow_blocks[1],
                      .tail_slots = static_cast<std::uint16_t>(entry.tail_slots),
                      .tail_columns = static_cast<std::uint8_t>(columns + entry.tail_is_wide),
                      .seed = static_cast<std::uint8_t>(entry.seed),
                      .state = static_cast<std::uint8_t>(ShardState::kUnverified)});
    next += shard_words(entry, columns);
  }
  if (next != payload_words) {
    return bad_entry(held - 1, "expected the payload to end with it, the last, at word " +
                                   std::to_string(next) + ", found " + std::to_string(payload_words));
  }
  return shards;
}

}  // namespace bloomery
