#include "codec/cassandra/compressed_data.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>

#include <zlib.h>

#include "base/endian.h"
#include "base/message.h"

namespace bloomery {
namespace {

constexpr const char* kInfoSubject = "CompressionInfo.db";
constexpr const char* kDataSubject = "Data.db";
constexpr std::size_t kChunkCrcBytes = 4;
constexpr std::size_t kLz4SizeBytes = 4;

Result<std::optional<BlockCodec>> codec_of(std::string_view compressor) {
  using Row = std::pair<std::string_view, std::optional<BlockCodec>>;
  static constexpr std::array<Row, 5> kCompressors = {
      Row{"LZ4Compressor", BlockCodec::kLz4}, Row{"SnappyCompressor", BlockCodec::kSnappy},
      Row{"DeflateCompressor", BlockCodec::kZlib}, Row{"ZstdCompressor", BlockCodec::kZstd},
      Row{"NoopCompressor", std::nullopt}};
  const auto* const row =
      std::ranges::find(kCompressors, compressor.substr(compressor.rfind('.') + 1), &Row::first);
  if (row == kCompressors.end()) {
    return Error::unsupported(kInfoSubject, 0,
                              "compressor: expected LZ4, Snappy, Deflate, Zstd or Noop, found '" +
                                  std::string(compressor.substr(0, 200)) + "'");
  }
  return row->second;
}

// Removes fields from the front of CompressionInfo.db.
class InfoReader {
 public:
  explicit InfoReader(std::span<const std::byte> info) : all_(info), rest_(info) {}

  std::span<const std::byte> rest() const { return rest_; }
  std::uint64_t at() const { return all_.size() - rest_.size(); }
  Result<std::span<const std::byte>> take(std::uint64_t bytes) {
    if (rest_.size() < bytes) {
      return Error::corruption(kInfoSubject, at(), message(bytes, " bytes of a field"), rest_.size());
    }
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  Result<std::uint32_t> big32() {
    BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, take(4));
    return load_big32(bytes.data());
  }
  Result<std::uint64_t> big64() {
    BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, take(8));
    return load_big64(bytes.data());
  }
  Result<std::string_view> text() {
    BLOOMERY_ASSIGN_OR_RETURN(const auto length, take(2));
    BLOOMERY_ASSIGN_OR_RETURN(const auto bytes, take(load_big16(length.data())));
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }

 private:
  std::span<const std::byte> all_;
  std::span<const std::byte> rest_;
};

}  // namespace

Result<CompressedData> CompressedData::open(std::span<const std::byte> data,
                                            std::optional<std::span<const std::byte>> compression_info,
                                            const CassandraLayout& layout,
                                            std::shared_ptr<MemoryBudget> memory) {
  CompressedData opened(data, std::move(memory));
  if (compression_info) {
    BLOOMERY_RETURN_IF_ERROR(opened.read_info(*compression_info, layout.has_metadata_crc));
  }
  return opened;
}

Status CompressedData::read_info(std::span<const std::byte> info, bool has_limit) {
  InfoReader reader(info);
  BLOOMERY_ASSIGN_OR_RETURN(const std::string_view compressor, reader.text());
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t options, reader.big32());
  for (std::uint32_t i = 0; i < options; ++i) {
    BLOOMERY_RETURN_IF_ERROR(reader.text());
    BLOOMERY_RETURN_IF_ERROR(reader.text());
  }
  const std::uint64_t place = reader.at();
  BLOOMERY_ASSIGN_OR_RETURN(chunk_size_, reader.big32());
  if (has_limit) {
    BLOOMERY_ASSIGN_OR_RETURN(limit_, reader.big32());
  }
  BLOOMERY_ASSIGN_OR_RETURN(size_, reader.big64());
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint32_t chunks, reader.big32());
  offsets_ = reader.rest();
  // A compaction may end its data with an empty chunk.
  const std::uint64_t needed = size_ == 0 || chunk_size_ == 0 ? 0 : (size_ - 1) / chunk_size_ + 1;
  if (needed == 0 || chunk_size_ > ~std::uint32_t{0} >> 1 || chunks - needed > 1 ||
      offsets_.size() != std::uint64_t{8} * chunks) {
    return Error::corruption(
        kInfoSubject, place,
        message("chunks of 1 to 2^31 - 1 bytes, and the offsets of so many that hold ", size_, " bytes"),
        message(chunks, " chunks of ", chunk_size_, " bytes, ", offsets_.size(), " bytes of offsets"));
  }
  BLOOMERY_ASSIGN_OR_RETURN(codec_, codec_of(compressor));
  is_compressed_ = true;
  return {};
}

// Returns the bytes of a chunk without the checksum, which it verifies.
Result<std::span<const std::byte>> CompressedData::stored_chunk(std::uint64_t number) const {
  const std::uint64_t begin = load_big64(offsets_.data() + 8 * number);
  const bool is_last = 8 * (number + 1) == offsets_.size();
  const std::uint64_t end = is_last ? data_.size() : load_big64(offsets_.data() + 8 * (number + 1));
  if (end > data_.size() || begin > end || end - begin < kChunkCrcBytes) {
    return Error::corruption(kInfoSubject, 0,
                             message("chunk ", number, " in the ", data_.size(), " bytes of Data.db"),
                             message(begin, " to ", end));
  }
  const auto stored = data_.subspan(begin, end - begin - kChunkCrcBytes);
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(stored.data()), stored.size()));
  const std::uint32_t found = load_big32(data_.data() + end - kChunkCrcBytes);
  if (crc != found) {
    return Error::corruption(kDataSubject, begin, message("checksum ", crc, " of a chunk"), found);
  }
  return stored;
}

// Decompresses a chunk of `size` bytes to chunk_. Returns the bytes that it had.
Result<std::size_t> CompressedData::expand(std::span<const std::byte> stored, std::uint64_t size) {
  if (!codec_ || stored.size() >= limit_) {
    // Zeros fill a short last chunk up to the limit, so that a reader recognises it as uncompressed.
    const bool is_padded = codec_ && stored.size() == limit_ && stored.size() > size;
    std::memcpy(chunk_.data(), stored.data(), std::min<std::size_t>(size, stored.size()));
    return is_padded ? static_cast<std::size_t>(size) : stored.size();
  }
  if (codec_ == BlockCodec::kLz4) {
    if (stored.size() < kLz4SizeBytes || load_little32(stored.data()) != size) {
      return stored.size() < kLz4SizeBytes ? 0 : load_little32(stored.data());
    }
    stored = stored.subspan(kLz4SizeBytes);
  }
  return decompress_front(*codec_, stored, std::span(chunk_).first(size));
}

Status CompressedData::make_room(std::span<const std::byte> stored, std::uint64_t size) {
  if (chunk_.size() >= size) {
    return {};
  }
  if (size > std::max<std::uint64_t>(stored.size(), codec_ ? largest_size(*codec_, stored.size()) : 0)) {
    return Error::corruption(kDataSubject, 0, message("a chunk of ", size, " bytes"),
                             message(stored.size(), " bytes, which cannot hold them"));
  }
  memory_.clear();
  BLOOMERY_RETURN_IF_ERROR(memory_.add("a chunk of Data.db", size));
  chunk_.resize(size);
  return {};
}

Status CompressedData::load_chunk(std::uint64_t number) {
  if (loaded_ == number) {
    return {};
  }
  loaded_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(const auto stored, stored_chunk(number));
  const std::uint64_t size = std::min(chunk_size_, size_ - number * chunk_size_);
  BLOOMERY_RETURN_IF_ERROR(make_room(stored, size));
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t expanded, in_file(expand(stored, size), kDataSubject));
  if (expanded != size) {
    return Error::corruption(kDataSubject, load_big64(offsets_.data() + 8 * number),
                             message("a chunk of ", size, " bytes"), expanded);
  }
  loaded_ = number;
  return {};
}

Status CompressedData::read(std::uint64_t position, std::span<std::byte> out) {
  if (position > size_ || size_ - position < out.size()) {
    return Error::corruption(kDataSubject, position, message(out.size(), " bytes"),
                             message("the end of the data at ", size_));
  }
  if (!is_compressed_) {
    std::ranges::copy(data_.subspan(position, out.size()), out.begin());
    return {};
  }
  while (!out.empty()) {
    BLOOMERY_RETURN_IF_ERROR(load_chunk(position / chunk_size_));
    const std::uint64_t in_chunk = position % chunk_size_;
    const std::size_t bytes = std::min<std::uint64_t>(out.size(), chunk_size_ - in_chunk);
    std::memcpy(out.data(), chunk_.data() + in_chunk, bytes);
    position += bytes;
    out = out.subspan(bytes);
  }
  return {};
}

}  // namespace bloomery
