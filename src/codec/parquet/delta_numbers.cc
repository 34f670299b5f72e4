#include "codec/parquet/delta_numbers.h"

#include <algorithm>
#include <string>

#include "base/message.h"
#include "base/varint.h"
#include "codec/parquet/packed_bits.h"

namespace bloomery::parquet {

Result<DeltaNumbers> DeltaNumbers::open(std::span<const std::byte> bytes, std::uint64_t offset,
                                        std::uint64_t count) {
  DeltaNumbers numbers(bytes, offset);
  BLOOMERY_RETURN_IF_ERROR(numbers.read_header(count));
  return numbers;
}

Status DeltaNumbers::read_header(std::uint64_t count) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t block_values, varint());
  BLOOMERY_ASSIGN_OR_RETURN(miniblocks_, varint());
  BLOOMERY_ASSIGN_OR_RETURN(left_, varint());
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t first, varint());
  value_ = static_cast<std::uint64_t>(unzigzagged(first));
  if (left_ != count) {
    return damaged(message("expected ", count, " numbers, found ", left_));
  }
  if (block_values > kMostBlockValues) {
    return Error::unsupported("parquet delta numbers", offset_,
                              message("blocks of more than ", kMostBlockValues, " numbers"));
  }
  if (miniblocks_ == 0 || block_values == 0 || block_values % miniblocks_ != 0 ||
      block_values / miniblocks_ % kUnpacked != 0) {
    return damaged(message("expected miniblocks of a multiple of ", kUnpacked, " numbers, found ",
                           miniblocks_, " in a block of ", block_values));
  }
  miniblock_values_ = block_values / miniblocks_;
  miniblock_at_ = miniblock_values_;
  return {};
}

Result<std::uint64_t> DeltaNumbers::varint() {
  const VarintGroups varint = join_varint(bytes_.subspan(at_));
  at_ += varint.size_bytes;
  if (varint.end != VarintEnd::kWhole) {
    return damaged("expected a number of at most 64 bits, found none");
  }
  return varint.value;
}

Status DeltaNumbers::begin_block() {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t least, varint());
  least_delta_ = static_cast<std::uint64_t>(unzigzagged(least));
  if (bytes_.size() - at_ < miniblocks_) {
    return damaged(message("expected ", miniblocks_, " widths, found the end"));
  }
  widths_ = bytes_.subspan(at_, miniblocks_);
  at_ += miniblocks_;
  return {};
}

Status DeltaNumbers::begin_miniblock() {
  if (widths_.empty()) {
    BLOOMERY_RETURN_IF_ERROR(begin_block());
  }
  width_ = std::to_integer<unsigned>(widths_.front());
  widths_ = widths_.subspan(1);
  const std::uint64_t size = packed_bytes(miniblock_values_, width_);
  if (width_ > 64 || bytes_.size() - at_ < size) {
    return damaged(message("expected ", miniblock_values_, " numbers of at most 64 bits, found ",
                           bytes_.size() - at_, " bytes for numbers of ", width_, " bits"));
  }
  packed_ = bytes_.subspan(at_, size);
  at_ += size;
  miniblock_at_ = 0;
  return {};
}

// Unpacks up to kUnpacked deltas.
Status DeltaNumbers::fill() {
  if (miniblock_at_ == miniblock_values_) {
    BLOOMERY_RETURN_IF_ERROR(begin_miniblock());
  }
  for (std::size_t i = 0; i < kUnpacked; ++i) {
    buffer_[i] = least_delta_ + packed_at(packed_, (miniblock_at_ + i) * width_, width_);
  }
  miniblock_at_ += kUnpacked;
  buffered_ = kUnpacked;
  used_ = 0;
  return {};
}

Result<std::uint64_t> DeltaNumbers::size_bytes() const {
  DeltaNumbers walk = *this;
  std::uint64_t left = walk.left_ > 0 ? walk.left_ - 1 : 0;  // the first number is in the header
  while (left > 0) {
    BLOOMERY_RETURN_IF_ERROR(walk.begin_miniblock());
    left -= std::min(left, miniblock_values_);
  }
  return std::uint64_t{walk.at_};
}

}  // namespace bloomery::parquet
