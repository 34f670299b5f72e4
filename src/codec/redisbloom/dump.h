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

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"
#include "codec/redisbloom/scaling_chain.h"

namespace bloomery::redisbloom {

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
