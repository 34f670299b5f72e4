// A RedisBloom filter in memory whose links are contiguous (chain_of.h has the algorithm).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/memory.h"
#include "base/prefetch.h"
#include "bloomery/base/result.h"
#include "codec/redisbloom/chain_of.h"

namespace bloomery::redisbloom {

// The bits of a link in contiguous memory.
class FlatBits {
 public:
  static Result<FlatBits> zeroed(std::uint64_t bytes) {
    BLOOMERY_ASSIGN_OR_RETURN(AlignedBuffer buffer, AlignedBuffer::zeroed(bytes));
    return FlatBits(std::move(buffer));
  }

  std::span<std::byte> bytes() const { return buffer_.bytes(); }
  bool test(std::uint64_t position) const {
    return (std::to_integer<unsigned>(bytes()[position / 8]) & mask_of(position)) != 0;
  }
  bool set(std::uint64_t position) {
    bytes()[position / 8] |= static_cast<std::byte>(mask_of(position));
    return true;
  }
  void prefetch_bit(std::uint64_t position) const { prefetch_to_read(bytes().data() + position / 8); }

 private:
  explicit FlatBits(AlignedBuffer buffer) : buffer_(std::move(buffer)) {}

  static unsigned mask_of(std::uint64_t position) { return 1U << (position % 8); }

  AlignedBuffer buffer_;
};

class ScalingChain : public ChainOf<FlatBits> {
 public:
  static Result<ScalingChain> create(std::uint64_t entries, double error, std::uint32_t options,
                                     std::uint32_t growth) {
    BLOOMERY_ASSIGN_OR_RETURN(ChainOf chain, ChainOf::create(entries, error, options, growth));
    return ScalingChain(std::move(chain));
  }
  static Result<ScalingChain> zeroed(ChainHeader header) {
    BLOOMERY_ASSIGN_OR_RETURN(ChainOf chain, ChainOf::zeroed(std::move(header)));
    return ScalingChain(std::move(chain));
  }

  std::span<const std::byte> bytes_of(std::size_t link) const { return bits_of(link).bytes(); }
  std::span<std::byte> bytes_of(std::size_t link) { return bits_of(link).bytes(); }

 private:
  explicit ScalingChain(ChainOf chain) : ChainOf(std::move(chain)) {}
};

}  // namespace bloomery::redisbloom
