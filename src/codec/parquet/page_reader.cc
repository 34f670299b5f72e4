#include "codec/parquet/page_reader.h"

#include <string>
#include <utility>

#include <zlib.h>

#include "base/message.h"
#include "compress/block_decompress.h"
#include "compress/hadoop_framing.h"

namespace bloomery::parquet {
namespace {

constexpr const char* kPagesSubject = "parquet page";

// Numbered as in Parquet's enum CompressionCodec.
enum class Codec : std::int32_t {
  kNone = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kHadoopLz4 = 5,
  kZstd = 6,
  kRawLz4 = 7,
};

Result<BlockCodec> block_codec_of(std::int32_t codec, std::uint64_t offset) {
  switch (static_cast<Codec>(codec)) {
    case Codec::kSnappy:
      return BlockCodec::kSnappy;
    case Codec::kGzip:
      return BlockCodec::kGzip;
    case Codec::kHadoopLz4:
    case Codec::kRawLz4:
      return BlockCodec::kLz4;
    case Codec::kZstd:
      return BlockCodec::kZstd;
    case Codec::kLzo:
      return Error::unsupported(kPagesSubject, offset, "the codec LZO is not read");
    case Codec::kBrotli:
      return Error::unsupported(kPagesSubject, offset, "the codec BROTLI is not read");
    default:
      return Error::unsupported(kPagesSubject, offset, message("codec number ", codec, " is not read"));
  }
}

// Decompresses all of `compressed` to exactly `out`.
Status decompress_page(std::int32_t codec, BlockCodec block, std::span<const std::byte> compressed,
                       std::uint64_t offset, std::span<std::byte> out) {
  // The codec LZ4 means Hadoop's framing. Some writers wrote a raw block under its number.
  if (static_cast<Codec>(codec) == Codec::kHadoopLz4 &&
      decompress_hadoop_frames(BlockCodec::kLz4, compressed, out)) {
    return {};
  }
  const Result<std::size_t> size = decompress_front(block, compressed, out);
  if (!size && size.error().code() == ErrorCode::kUnsupported) {
    return Error::unsupported(kPagesSubject, offset, size.error().detail());
  }
  if (!size || *size != out.size()) {
    return Error::corruption(
        kPagesSubject, offset,
        message(out.size(), " bytes of ", block_codec_name(block), " in ", compressed.size(), " bytes"),
        size ? message(*size) : "damaged data");
  }
  return {};
}

// Decompresses `compressed` to `size` bytes of `buffer`.
Result<std::span<const std::byte>> decompressed(std::int32_t codec, std::span<const std::byte> compressed,
                                                std::uint64_t offset, std::uint64_t size,
                                                PageBuffer& buffer) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockCodec block, block_codec_of(codec, offset));
  if (size > largest_size(block, compressed.size())) {
    return Error::corruption(kPagesSubject, offset,
                             message("at most ", largest_size(block, compressed.size()), " bytes"), size);
  }
  if (size > kMostPageBytes) {
    return Error::capacity(kPagesSubject, message("at byte ", offset, ": a page of ", size,
                                                  " bytes, which is more than ", kMostPageBytes));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::span<std::byte> out, buffer.room(size));
  BLOOMERY_RETURN_IF_ERROR(decompress_page(codec, block, compressed, offset, out));
  return std::span<const std::byte>(out);
}

Status check_crc(const PageHeader& header, std::span<const std::byte> stored, std::uint64_t offset) {
  const auto found = [&] {
    return static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const Bytef*>(stored.data()), static_cast<uInt>(stored.size())));
  };
  return !header.crc || found() == *header.crc
             ? Status()
             : Status(Error::corrupt_field(kPagesSubject, offset, "CRC-32", std::to_string(*header.crc),
                                           found()));
}

}  // namespace

Result<std::span<std::byte>> PageBuffer::room(std::size_t size) {
  if (size > bytes_.size()) {
    BLOOMERY_RETURN_IF_ERROR(memory_.add(kPagesSubject, size - bytes_.size()));
    bytes_ = {};
    bytes_.resize(size);
  }
  return std::span(bytes_).first(size);
}

Result<std::optional<PageHeader>> PageReader::next_header() {
  if (left_.empty()) {
    return std::optional<PageHeader>();
  }
  BLOOMERY_ASSIGN_OR_RETURN(const PageHeader header, read_page_header(left_, offset_));
  left_ = left_.subspan(header.header_bytes);
  offset_ += header.header_bytes;
  if (header.page_bytes > left_.size()) {
    return Error::corruption(kPagesSubject, offset_, message("a page of ", header.page_bytes, " bytes"),
                             message(left_.size(), " to the end of the chunk"));
  }
  return std::optional(header);
}

void PageReader::skip_page(const PageHeader& header) {
  left_ = left_.subspan(header.page_bytes);
  offset_ += header.page_bytes;
}

Result<Page> PageReader::read_page(const PageHeader& header, PageBuffer& buffer) {
  const auto stored = left_.first(header.page_bytes);
  const std::uint64_t offset = offset_;
  skip_page(header);
  BLOOMERY_RETURN_IF_ERROR(check_crc(header, stored, offset));
  // Both are below 2^31.
  const std::uint64_t level_bytes = header.repetition_bytes + header.definition_bytes;
  if (level_bytes > stored.size() || level_bytes > header.decompressed_bytes) {
    return Error::corruption(kPagesSubject, offset, message(level_bytes, " bytes of levels"),
                             message("a page of ", stored.size()));
  }
  const auto values = stored.subspan(level_bytes);
  const std::uint64_t size = header.decompressed_bytes - level_bytes;
  const bool is_plain = codec_ == static_cast<std::int32_t>(Codec::kNone) || !header.is_compressed;
  if (is_plain && values.size() != size) {
    return Error::corruption(kPagesSubject, offset, message(size, " bytes"), values.size());
  }
  Page page{.header = header, .offset = offset, .levels = stored.first(level_bytes), .values = values};
  if (!is_plain) {
    BLOOMERY_ASSIGN_OR_RETURN(page.values, decompressed(codec_, values, offset, size, buffer));
  }
  return page;
}

}  // namespace bloomery::parquet
