// Reads gzip, zstd, xz and bzip2 like plain data. The first bytes identify the format:
//
//   1f 8b          gzip (RFC 1952), any number of members, through zlib
//   28 b5 2f fd    zstd (RFC 8878), any number of frames, through libzstd
//   fd "7zXZ" 00   xz, any number of streams, through liblzma, in at most 1 GiB of memory
//   "BZh" 1-9      bzip2, any number of streams, through libbz2; the next six bytes are compared too
//   other          passed on unchanged
//
// A stream that ends inside a member, frame or stream, or is followed by other data, is an error: otherwise
// keys would be lost silently. Writing, and codecs of blocks with a known size, are elsewhere.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Waits for no more first bytes than it needs to decide, so that a pipe with one line delivers it at once.
// `name` is the name of the stream in errors. Errors of read(): kIo; kCorruption with the offset in the
// compressed bytes; kCapacity if a decoder lacks memory.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace bloomery
