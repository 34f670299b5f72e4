// The order of a LevelDB database's keys, which its tables do not tell.
//
//   CURRENT       the manifest's name and a line feed
//   MANIFEST-n    records:  u32 crc32c of type and bytes (masked as a block's) | u16 size | u8 type | bytes
//                 type 1 is whole, 2 its first part. The first one begins: tag 1, varint size, comparator's
//                 name
//
// Only the first record is read, and of it the name. Source: LevelDB, doc/log_format.md and doc/impl.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"

namespace bloomery {

inline constexpr const char* kBytewiseComparator = "leveldb.BytewiseComparator";

// Returns the name that a manifest begins with; nothing for another system's. `manifest` is its front, 32 KiB
// of it or all. Errors: kCorruption.
Result<std::optional<std::string>> comparator_in_manifest(std::span<const std::byte> manifest);

// Returns the comparator of the database whose table is the file `path`; nothing where no manifest lies
// beside it. Errors: kCorruption, kIo.
Result<std::optional<std::string>> comparator_beside(const std::string& path);

}  // namespace bloomery
