// Reads gzip, zstd, xz and bzip2 as if they were plain. The first bytes tell which it is:
//
//   1f 8b          gzip (RFC 1952), any number of members, through zlib
//   28 b5 2f fd    zstd (RFC 8878), any number of frames, through libzstd
//   fd "7zXZ" 00   xz, any number of streams, through liblzma, in at most 1 GiB of memory
//   "BZh" 1-9      bzip2, any number of streams, through libbz2; the next six bytes are compared too
//   other          passed on as it is
//
// It is an error if a stream ends inside a member, frame or stream, or goes on with something else after one;
// otherwise keys would be lost silently. Writing, and codecs of blocks of a known size, are elsewhere.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Reads only as many first bytes as are needed to decide, so that a pipe with one line delivers it at once.
// Errors call the stream `name`. Errors of read(): kIo; kCorruption with the offset in the compressed bytes.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace bloomery
