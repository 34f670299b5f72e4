// The last bytes of an HFile, which say where its other parts are.
//
//   TRABLK"$ | varint length, message | zeros | u8 minor version, u24 major version
//   4096 bytes in version 3; 212 in version 2, whose trailer is this one from minor version 3 on
//
//   1 offset of file info            2 offset of the root index      3 bytes of the data index, uncompressed
//   4 bytes, uncompressed            5 entries of the root index     6 meta blocks
//   7 cells                          8 levels of the data index      9, 10 offsets of first and last data
//   block 11 comparator's name             12 compression                  13 encryption key
//
// There is no checksum: every number is held against others before it is believed (hfile_reader.cc). Source:
// docs/formats/hfile.md. Not here: major version 4; encrypted files; the order of hbase:meta.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "hfile/compression.h"

namespace bloomery::hfile {

inline constexpr std::size_t kMaxTrailerBytes = 4096;

struct Trailer {
  std::uint32_t major_version = 3;
  std::uint32_t minor_version = 3;
  std::uint64_t offset = 0;  // of the trailer: everything else ends there
  std::uint64_t file_info_offset = 0;
  std::uint64_t load_on_open_offset = 0;
  std::uint64_t data_index_bytes = 0;
  std::uint64_t uncompressed_bytes = 0;
  std::uint32_t data_index_count = 0;
  std::uint32_t meta_index_count = 0;
  std::uint64_t entry_count = 0;
  std::uint32_t data_index_levels = 1;
  std::optional<std::uint64_t> first_data_block_offset = {};  // nothing in a file without cells
  std::optional<std::uint64_t> last_data_block_offset = {};   // the same, or 0 in one of HBase 0.98
  std::string comparator = {};
  Compression compression = Compression::kNone;
};

// `tail` is the end of the file, kMaxTrailerBytes of it or, where it is shorter, all. Errors: kCorruption;
// kUnsupported for another version, comparator or compression, by name, and for encryption.
Result<Trailer> parse_trailer(std::span<const std::byte> tail, std::uint64_t file_bytes);

}  // namespace bloomery::hfile
