// Reads gzip, zstd, xz and bzip2 as if they were plain, told apart by their first bytes.
//
//   1f 8b        gzip (RFC 1952), any number of members      through zlib
//   28 b5 2f fd  zstd (RFC 8878), any number of frames       through libzstd
//   fd "7zXZ" 00 xz, any number of streams                   through liblzma, in at most 1 GiB
//   "BZh" 1-9    bzip2, any number of streams                through libbz2; its next six bytes are compared, too
//   else         passed on as it is
//
// A stream that ends inside a member, frame or stream, or goes on with something else behind one, is an error: keys
// would be lost in silence. Not here: writing, and codecs of blocks of a known size.
#pragma once

#include <memory>
#include <string>

#include "base/byte_source.h"
#include "bloomery/base/result.h"

namespace bloomery {

// Reads as many first bytes as it takes to decide, and no more: a pipe that has one line delivers it at once.
// `name` is what errors call the stream. Errors of read(): kIo, kCorruption with the offset in the compressed
// bytes.
Result<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> source, const std::string& name);

}  // namespace bloomery
