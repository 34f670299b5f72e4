#include "codec/sstable/log_records.h"

#include <algorithm>

#include "base/endian.h"
#include "base/zero_bytes.h"
#include "codec/sstable/block_checksum.h"
#include "compress/block_decompress.h"

namespace bloomery::sstable {
namespace {

constexpr std::size_t kNumberedHeaderBytes = kLogHeaderBytes + 4;
constexpr std::size_t kTypeAt = 6;

enum PieceType : unsigned {
  kZero = 0,
  kFull = 1,
  kFirst = 2,
  kMiddle = 3,
  kLast = 4,
  kNumberedFull = 5,
  kNumberedLast = 8,
  kCompression = 9,
  kTimestampBytes = 10,
  kNumberedTimestampBytes = 11,
  kIgnorablePieces = 128,
  kNumberedPredecessor = 131,
};

bool has_number(unsigned type) {
  return (type >= kNumberedFull && type <= kNumberedLast) || type == kNumberedTimestampBytes ||
         type == kNumberedPredecessor;
}

// Returns the corresponding type without a log number.
unsigned plain_type(unsigned type) {
  return type >= kNumberedFull && type <= kNumberedLast ? type - kNumberedFull + kFull : type;
}

}  // namespace

bool LogRecords::end_torn() {
  ended_ = true;
  torn_ = true;
  return true;
}

// Reads the fragment at `at_`, of which at least 7 bytes are in this block and in the file. Returns false for
// space that was allocated and never written, which it skips, and at the end of the log.
Result<bool> LogRecords::take_piece(Piece& piece, std::size_t left_in_block) {
  const std::byte* const header = file_.data() + at_;
  const std::size_t size = load_little16(header + 4);
  piece.type = static_cast<unsigned>(header[kTypeAt]);
  piece.offset = at_;
  if (piece.type == kZero && size == 0) {
    at_ += std::min(left_in_block, file_.size() - at_);
    return false;
  }
  const std::size_t header_bytes = has_number(piece.type) ? kNumberedHeaderBytes : kLogHeaderBytes;
  const std::size_t left_in_file = file_.size() - at_;
  if (header_bytes + size > std::min(left_in_block, left_in_file)) {
    // In the last block, the writer may have stopped here.
    if (left_in_block >= left_in_file || end_recycled()) {
      return !end_torn();
    }
    return Error::corruption(
        subject_, at_, "a piece of at most " + std::to_string(left_in_block - header_bytes) + " bytes", size);
  }
  if (header_bytes == kNumberedHeaderBytes) {
    recycled_ = true;
    if (load_little32(header + kLogHeaderBytes) != static_cast<std::uint32_t>(number_)) {
      ended_ = true;
      return false;
    }
  }
  const auto checked = file_.subspan(at_ + kTypeAt, header_bytes - kTypeAt + size);
  const std::uint32_t expected = block_checksum(ChecksumKind::kCrc32c, checked);
  if (load_little32(header) != expected) {
    if (end_recycled()) {
      return false;
    }
    return Error::corruption(subject_, at_, "the crc32c " + std::to_string(expected), load_little32(header));
  }
  piece.bytes = file_.subspan(at_ + header_bytes, size);
  at_ += header_bytes + size;
  return true;
}

// Returns false at the end of the log.
Result<bool> LogRecords::next_piece(Piece& piece) {
  while (!ended_) {
    const std::size_t left_in_block = kLogBlockBytes - at_ % kLogBlockBytes;
    if (left_in_block < kLogHeaderBytes && at_ + left_in_block <= file_.size()) {
      at_ += left_in_block;
      continue;
    }
    if (file_.size() - at_ < kLogHeaderBytes) {
      torn_ = !all_zeros(file_.subspan(at_));
      ended_ = true;
      return false;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool taken, take_piece(piece, left_in_block));
    if (taken) {
      return true;
    }
  }
  return false;
}

Status LogRecords::read_timestamp_bytes(const Piece& piece) {
  constexpr std::size_t kPairBytes = 6;  // u32 column family, u16 bytes
  constexpr std::size_t kMostFamilies = 65536;
  if (piece.bytes.size() % kPairBytes != 0) {
    return Error::corruption(subject_, piece.offset, "sizes of timestamps of 6 bytes each",
                             piece.bytes.size());
  }
  for (std::size_t i = 0; i < piece.bytes.size(); i += kPairBytes) {
    timestamp_bytes_[load_little32(piece.bytes.data() + i)] = load_little16(piece.bytes.data() + i + 4);
  }
  if (timestamp_bytes_.size() > kMostFamilies) {
    return Error::capacity(subject_, "expected timestamps of at most 65536 column families, found more");
  }
  return {};
}

// Adds a fragment. Returns true if it completes a record.
Result<bool> LogRecords::join(const Piece& piece) {
  const unsigned type = plain_type(piece.type);
  const bool begins = type == kFull || type == kFirst;
  // An old writer left an empty first fragment at the end of a block, and began the record again in the
  // next one.
  if ((begins && in_record_ && !joined_.empty()) || (!begins && !in_record_)) {
    return Error::corruption(subject_, piece.offset,
                             begins ? "the last piece of a record" : "the first piece of a record",
                             "a piece of type " + std::to_string(piece.type));
  }
  if (begins) {
    record_offset_ = piece.offset;
    joined_.clear();
  }
  in_record_ = type == kFirst || type == kMiddle;
  if (type == kFull) {
    record_ = piece.bytes;
    return true;
  }
  joined_.append(reinterpret_cast<const char*>(piece.bytes.data()), piece.bytes.size());
  record_ = std::as_bytes(std::span(joined_));
  return type == kLast;
}

Status LogRecords::read_compression(const Piece& piece) {
  constexpr std::uint32_t kZstd = 7;
  const std::uint32_t kind = piece.bytes.size() == 4 ? load_little32(piece.bytes.data()) : 1;
  if (kind != 0 && kind != kZstd) {
    return Error::unsupported(
        subject_, piece.offset,
        "expected a log without compression, or with zstd, found compression " + std::to_string(kind));
  }
  is_compressed_ = kind == kZstd;
  return {};
}

// Replaces a record's zstd frame by the decompressed record.
Status LogRecords::decompress() {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
  if (!is_compressed_) {
    return {};
  }
  const auto size = stated_size(BlockCodec::kZstd, record_);
  if (size && *size > kMostBytes) {
    return Error::capacity(subject_, "expected a record of at most 256 MiB, found " + std::to_string(*size) +
                                         " bytes at byte " + std::to_string(record_offset_));
  }
  Result<std::vector<std::byte>> bytes =
      size ? decompress_block(BlockCodec::kZstd, record_, *size) : size.error();
  if (!bytes) {
    return Error::corruption(subject_, record_offset_, bytes.error().to_string());
  }
  decompressed_ = std::move(*bytes);
  record_ = decompressed_;
  return {};
}

Result<bool> LogRecords::next() {
  Piece piece;
  while (true) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, next_piece(piece));
    if (!more) {
      torn_ = torn_ || in_record_;
      return false;
    }
    if (piece.type == kCompression) {
      BLOOMERY_RETURN_IF_ERROR(read_compression(piece));
    } else if (piece.type == kTimestampBytes || piece.type == kNumberedTimestampBytes) {
      BLOOMERY_RETURN_IF_ERROR(read_timestamp_bytes(piece));
    } else if (piece.type >= kFull && piece.type <= kNumberedLast) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool whole, join(piece));
      if (whole) {
        BLOOMERY_RETURN_IF_ERROR(decompress());
        return true;
      }
    } else if (piece.type < kIgnorablePieces) {
      return Error::unsupported(subject_, piece.offset,
                                "expected a known type of piece, found " + std::to_string(piece.type));
    }
  }
}

}  // namespace bloomery::sstable
