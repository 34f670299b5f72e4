#include "filter/fuse/fuse_directory.h"

#include <string>

#include "base/endian.h"
#include "filter/shards/shard_directory.h"

namespace bloomery {

using namespace native_header;

namespace {

constexpr std::uint32_t kSegmentLogMask = 31;
constexpr unsigned kSeedShift = 5;
constexpr unsigned kReservedShift = 10;

Error bad_fuse_entry(std::uint64_t index, const std::string& detail) {
  return Error::corruption("fuse directory", kNativeHeaderBytes + index * kShardEntryBytes,
                           "shard " + std::to_string(index) + ": " + detail);
}

Status check_entry(const FuseEntry& entry, std::uint64_t index) {
  if (entry.cells.segment_log > kMaxFuseSegmentLog) {
    return bad_fuse_entry(
        index, "expected segments of at most 2^18 cells, found 2^" + std::to_string(entry.cells.segment_log));
  }
  if (std::uint64_t{entry.cells.segments} << entry.cells.segment_log >> 32 != 0) {
    return bad_fuse_entry(
        index, "expected fewer than 2^32 cells, found " + std::to_string(entry.cells.segments) + " segments");
  }
  return {};
}

}  // namespace

void encode_fuse_entry(const FuseEntry& entry, std::byte* bytes) {
  store_little(bytes, std::uint64_t{entry.checksum} | std::uint64_t{entry.cells.segments} << 32);
  store_little(bytes + 8, std::uint64_t{entry.set_aside} |
                              std::uint64_t{entry.cells.segment_log | entry.seed << kSeedShift} << 32);
}

FuseEntry decode_fuse_entry(const std::byte* bytes) {
  const std::uint32_t small = load_little32(bytes + 12);
  return {.checksum = load_little32(bytes),
          .cells = {.segments = load_little32(bytes + 4), .segment_log = small & kSegmentLogMask},
          .seed = small >> kSeedShift & kMaxFuseSeed,
          .set_aside = load_little32(bytes + 8)};
}

Result<std::vector<FuseShard>> read_fuse_directory(std::span<const std::byte> directory,
                                                   std::uint64_t first_word, std::uint64_t payload_words,
                                                   const FuseShape& shape) {
  const std::size_t held = directory.size() / kShardEntryBytes;
  std::uint64_t next = first_word;
  std::vector<FuseShard> shards;
  shards.reserve(held);
  for (std::size_t i = 0; i < held; ++i) {
    const std::byte* const bytes = directory.data() + i * kShardEntryBytes;
    const FuseEntry entry = decode_fuse_entry(bytes);
    BLOOMERY_RETURN_IF_ERROR(check_entry(entry, i));
    if (load_little32(bytes + 12) >> kReservedShift != 0) {
      return bad_fuse_entry(i, "expected 0 in its last bits, found others");
    }
    const std::uint64_t cells = fuse_cell_words(fuse_cell_count(entry.cells, shape.arity()), shape.bits);
    // Before and after each entry, next is at most payload_words, so the subtraction does not wrap. The check
    // of the header ensures it initially.
    if (cells + entry.set_aside > payload_words - next) {
      return bad_fuse_entry(i, "expected at most " + std::to_string(payload_words - next) +
                                   " words, which are left, found " +
                                   std::to_string(cells + entry.set_aside));
    }
    shards.push_back({.front = next,
                      .seed_step = entry.seed * kFuseSeedStep,
                      .starts = entry.cells.segments << entry.cells.segment_log,
                      .set_aside = entry.set_aside,
                      .aside = next + cells,
                      .segment_log = static_cast<std::uint8_t>(entry.cells.segment_log),
                      .state = static_cast<std::uint8_t>(ShardState::kUnverified)});
    next += cells + entry.set_aside;
  }
  if (next != payload_words) {
    return bad_fuse_entry(held - 1, "expected the payload to end with it, the last, at word " +
                                        std::to_string(next) + ", found " + std::to_string(payload_words));
  }
  return shards;
}

Status check_fuse_header(const NativeHeader& header) {
  if (header.type != FilterType::kFuse) {  // the caller reports the wrong type
    return {};
  }
  if (header.hash_count < kMinFuseBits || header.hash_count > kMaxFuseBits) {
    return bad_header_field(kHashCountAt, "fingerprint bits", "4 to 32", header.hash_count);
  }
  if (header.column_bytes != 0) {
    return bad_header_field(kColumnBytesAt, "exception column bytes", "0 for a fuse filter",
                            header.column_bytes);
  }
  return check_shard_header(header);
}

FuseShape fuse_shape_of(const NativeHeader& header) {
  return {.bits = header.hash_count,
          .hash_bits = header.hash_bits,
          .shards = header.shards,
          .setting = static_cast<BlockedSetting>(header.stride_bytes)};
}

}  // namespace bloomery
