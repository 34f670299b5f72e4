#include "hfile/bloom/bloom_meta.h"

#include <algorithm>
#include <array>

#include "base/endian.h"
#include "base/hadoop_vlong.h"
#include "hfile/bloom/bloom_key.h"
#include "hfile/byte_writer.h"

namespace bloomery::hbase {
namespace {

constexpr std::uint32_t kMetaVersion = 3;
constexpr std::uint32_t kMostHashes = 255;
constexpr std::size_t kMetaFixedBytes = 40;
constexpr std::size_t kLeastEntryBytes = 13;
constexpr const char* kMetaSubject = "Bloom meta block";
constexpr std::string_view kCellComparator = "org.apache.hadoop.hbase.CellComparatorImpl";
constexpr std::string_view kCellComparators[] = {kCellComparator, "org.apache.hadoop.hbase.CellComparator",
                                                 "org.apache.hadoop.hbase.KeyValue$KVComparator",
                                                 "org.apache.hadoop.hbase.KeyValue$KeyComparator",
                                                 "org.apache.hadoop.hbase.InnerStoreCellComparator"};
constexpr std::string_view kByteComparators[] = {"", "org.apache.hadoop.hbase.KeyValue$RawBytesComparator",
                                                 "org.apache.hadoop.hbase.util.Bytes$ByteArrayComparator"};

// The unread rest of the payload, and its offset in the file.
class Rest {
 public:
  Rest(std::span<const std::byte> payload, std::uint64_t offset) : left_(payload), offset_(offset) {}

  std::span<const std::byte> left() const { return left_; }
  template <typename Found>
  Error damaged(const std::string& expected, const Found& found) const {
    return Error::corruption(kMetaSubject, offset_, expected, found);
  }
  void skip(std::size_t count) {
    left_ = left_.subspan(count);
    offset_ += count;
  }

  // Reads a vint and as many bytes as it says.
  Result<std::string_view> read_bytes(const char* what) {
    const auto size = read_hadoop_vlong(left_);
    if (!size || size->value < 0 ||
        static_cast<std::uint64_t>(size->value) > left_.size() - size->size_bytes) {
      return damaged(std::string("the length of ") + what + " within the block", "another");
    }
    const auto bytes = left_.subspan(size->size_bytes, static_cast<std::size_t>(size->value));
    skip(size->size_bytes + bytes.size());
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::span<const std::byte> left_;
  std::uint64_t offset_;
};

Result<KeyOrder> order_of(std::string_view comparator, std::uint64_t offset) {
  if (std::ranges::find(kByteComparators, comparator) != std::end(kByteComparators)) {
    return KeyOrder::kBytes;
  }
  if (std::ranges::find(kCellComparators, comparator) != std::end(kCellComparators)) {
    return KeyOrder::kRowCol;
  }
  return Error::unsupported(
      kMetaSubject, offset,
      "expected a comparator of bytes or of cells, found \"" + std::string(comparator) + '"');
}

// Returns true if `a` comes before `b`. Returns nothing if the order is kRowCol and one of the two is not a
// ROWCOL key.
std::optional<bool> comes_before(const BloomMeta& meta, std::string_view a, std::string_view b) {
  if (meta.order == KeyOrder::kBytes) {
    return std::is_lt(compare_rows(meta.row_order, a, b));
  }
  const auto left = parse_rowcol_key(a);
  const auto right = parse_rowcol_key(b);
  return left && right ? std::optional(std::is_lt(compare_columns(meta.row_order, *left, *right)))
                       : std::nullopt;
}

Status read_chunks(Rest& rest, std::uint32_t count, BloomMeta& meta) {
  if (count == 0 || count > rest.left().size() / kLeastEntryBytes) {
    return rest.damaged("1 to " + std::to_string(rest.left().size() / kLeastEntryBytes) + " chunks", count);
  }
  meta.chunks.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rest.left().size() < kLeastEntryBytes) {
      return rest.damaged("the chunk " + std::to_string(i), "the end");
    }
    ChunkEntry entry{load_big64(rest.left().data()), load_big32(rest.left().data() + 8)};
    rest.skip(12);
    BLOOMERY_ASSIGN_OR_RETURN(entry.first_key, rest.read_bytes("a chunk's first key"));
    const std::string_view before = meta.chunks.empty() ? entry.first_key : meta.chunks.back().first_key;
    const auto ascends = comes_before(meta, before, entry.first_key);
    if (!ascends || (i > 0 && !*ascends)) {
      return rest.damaged("first keys that ascend", "another at the chunk " + std::to_string(i));
    }
    meta.chunks.push_back(entry);
  }
  return {};
}

void append_bytes(std::string& out, std::string_view bytes) {
  std::array<std::byte, kMaxHadoopVlongBytes> size;
  const std::size_t count = write_hadoop_vlong(size.data(), static_cast<std::int64_t>(bytes.size()));
  out.append(reinterpret_cast<const char*>(size.data()), count);
  out.append(bytes);
}

}  // namespace

Result<BloomMeta> parse_bloom_meta(std::span<const std::byte> payload, std::uint64_t offset,
                                   RowOrder row_order) {
  Rest rest(payload, offset);
  const std::uint32_t version = payload.size() < 4 ? kMetaVersion : load_big32(payload.data());
  if (version != kMetaVersion) {
    return Error::unsupported(kMetaSubject, offset, "expected version 3, found " + std::to_string(version));
  }
  if (payload.size() < kMetaFixedBytes) {
    return rest.damaged("at least 40 bytes", payload.size());
  }
  const std::byte* const at = payload.data();
  BloomMeta meta;
  meta.total_bytes = load_big64(at + 4);
  meta.hash_count = load_big32(at + 12);
  const auto hash = bloom_hash_of(static_cast<std::int32_t>(load_big32(at + 16)));
  meta.key_count = load_big64(at + 20);
  meta.max_keys = load_big64(at + 28);
  const std::uint32_t chunk_count = load_big32(at + 36);
  if (!hash) {
    return Error::unsupported(kMetaSubject, offset + 16,
                              "expected a hash from 0 to 2, found " + std::to_string(load_big32(at + 16)));
  }
  if (meta.hash_count > kMostHashes) {
    return Error::corruption(kMetaSubject, offset + 12, "0 to 255 hashes", meta.hash_count);
  }
  meta.hash = *hash;
  meta.row_order = row_order;
  rest.skip(kMetaFixedBytes);
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view comparator, rest.read_bytes("the comparator"));
  BLOOMERY_ASSIGN_OR_RETURN(meta.order, order_of(comparator, offset + kMetaFixedBytes));
  BLOOMERY_RETURN_IF_ERROR(read_chunks(rest, chunk_count, meta));
  if (!rest.left().empty()) {
    return rest.damaged("the end behind the last chunk", std::to_string(rest.left().size()) + " more bytes");
  }
  return meta;
}

void append_bloom_meta(std::string& out, const BloomMeta& meta) {
  hfile::append_big(out, kMetaVersion);
  hfile::append_big(out, meta.total_bytes);
  hfile::append_big(out, meta.hash_count);
  hfile::append_big(out, std::uint32_t{static_cast<std::uint8_t>(meta.hash)});
  hfile::append_big(out, meta.key_count);
  hfile::append_big(out, meta.max_keys);
  hfile::append_big(out, static_cast<std::uint32_t>(meta.chunks.size()));
  append_bytes(out, meta.order == KeyOrder::kRowCol ? kCellComparator : std::string_view());
  for (const ChunkEntry& chunk : meta.chunks) {
    hfile::append_big(out, chunk.block_offset);
    hfile::append_big(out, chunk.block_bytes);
    append_bytes(out, chunk.first_key);
  }
}

std::optional<std::size_t> chunk_of(const BloomMeta& meta, std::string_view key) {
  const auto behind = std::ranges::partition_point(meta.chunks, [&](const ChunkEntry& chunk) {
    return !comes_before(meta, key, chunk.first_key).value_or(false);
  });
  if (behind == meta.chunks.begin()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(behind - meta.chunks.begin()) - 1;
}

}  // namespace bloomery::hbase
