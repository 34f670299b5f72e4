// A dump of a RedisBloom filter in files, in one of two forms.
//
//   stream        (i64 iterator, u64 length, bytes)*, little-endian:
//                 first the header, with iterator 1;
//                 then the chunks, each with its iterator from the server (1 + the bytes up to its end);
//                 optionally the last answer of BF.SCANDUMP, (0, 0)
//   NAME.header   the header alone; its chunks are NAME.chunk0, NAME.chunk1, ... in the same directory
//
// Chunks are complete and in order, without gaps, and no chunk crosses the end of a link. write_dump() writes
// a stream with chunks of at most 16 MiB.
//
// read_dump() compares the sizes in the header with the available bytes before it allocates memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/memory.h"
#include "base/prefetch.h"
#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/redisbloom/chain_of.h"

namespace bloomery::redisbloom {

// A RedisBloom filter in memory whose links are contiguous (chain_of.h has the algorithm).

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

struct Dump {
  ScalingChain chain;
  bool has_end = false;  // the stream ends with the answer (0, 0)
};

// Returns true if the bytes are a header or begin with one.
bool looks_like_dump(std::span<const std::byte> file);

// `path` is the file's path, which locates its chunks. It is empty for bytes in memory.
// Errors: kCorruption; kInvalidArgument for a header whose chunks are not found; kCapacity, kIo.
Result<Dump> read_dump(std::span<const std::byte> file, const std::string& path);

Status write_dump(const ScalingChain& chain, bool with_end, const DialectFilter::Sink& sink);

}  // namespace bloomery::redisbloom
