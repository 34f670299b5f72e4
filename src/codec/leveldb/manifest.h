// Finds the key order of a LevelDB database, which its tables do not record.
//
//   CURRENT       the manifest's name and a line feed
//   MANIFEST-n    records, each:  u32 checksum | u16 size | u8 type | bytes
//                 checksum      crc32c of type and bytes, masked like that of a block
//                 type          1 for a complete record, 2 for the first fragment of one
//   first record  begins with:  tag 1 | varint size | the comparator's name
//
// Only the comparator's name in the first record is read. Source: LevelDB, doc/log_format.md and doc/impl.md.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "codec/sstable/live_files.h"

namespace bloomery {

using sstable::kBytewiseComparator;

// Returns the comparator's name at the beginning of a manifest, or nothing if the manifest
// begins with another tag, like another system's. `manifest` is the file's first 32 KiB, or all
// of it. Errors: kCorruption.
Result<std::optional<std::string>> comparator_in_manifest(std::span<const std::byte> manifest);

// Returns the comparator of the database that contains the table `path`. Returns nothing if its directory has
// no manifest. Errors: kCorruption, kIo.
Result<std::optional<std::string>> comparator_beside(const std::string& path);

}  // namespace bloomery
