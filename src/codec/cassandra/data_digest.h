// Reads the digest of Data.db from the file next to it: a checksum of all its bytes, in decimal.
//
//   Digest.crc32     from ma on   CRC-32
//   Digest.adler32   la, lb       Adler-32
//
// Older sstables have a Digest.sha1, which is not read. Source: docs/formats/cassandra.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery {

enum class DataDigestKind { kCrc32, kAdler32 };

// Parses the text of a digest file. Errors: kCorruption.
Result<std::uint32_t> read_data_digest(std::string_view text);

// Continues a digest, which begins with initial_data_digest(), by the next bytes of Data.db.
std::uint32_t initial_data_digest(DataDigestKind kind);
std::uint32_t continue_data_digest(DataDigestKind kind, std::uint32_t digest,
                                   std::span<const std::byte> bytes);

}  // namespace bloomery
