// A dump of a RedisBloom filter as files: a stream of what BF.SCANDUMP answered, or a header with chunks
// beside it.
//
//   stream        (i64 iterator, u64 length, bytes)*, little-endian: the header under iterator 1, then the
//                 chunks, each under the iterator that came with it, 1 + the offset behind it; at the end
//                 there may be the last answer, (0, 0)
//   NAME.header   the header alone; NAME.chunk0, NAME.chunk1, ... the chunks
//
// Chunks are whole, in order, without gaps, and none crosses a link. Written is a stream, with chunks of at
// most 16 MiB. What is to be allocated is compared with the bytes that are there before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/redisbloom/scaling_chain.h"

namespace bloomery::redisbloom {

struct Dump {
  ScalingChain chain;
  bool has_end = false;  // the stream has the last answer
};

// Whether the bytes begin with, or are, a header.
bool looks_like_dump(std::span<const std::byte> file);

// `path` is the file's, for chunks beside it; empty for bytes in memory.
// Errors: kCorruption; kInvalidArgument for a header whose chunks are not found; kCapacity, kIo.
Result<Dump> read_dump(std::span<const std::byte> file, const std::string& path);

Status write_dump(const ScalingChain& chain, bool with_end, const DialectFilter::Sink& sink);

}  // namespace bloomery::redisbloom
