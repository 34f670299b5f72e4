// The trailer: the last bytes of an HFile, which locate its other sections.
//
//   TRABLK"$ | varint length | message | zeros | u8 minor version | u24 major version
//
//   4096 bytes in version 3; 212 in version 2, which has this layout from its minor version 3 on
//
//   field of the message
//    1   offset of file info                          8   levels of the data index
//    2   offset of the root index                     9   offset of the first data block
//    3   bytes of the data index, uncompressed       10   offset of the last data block
//    4   bytes of the file, uncompressed             11   comparator's class name
//    5   entries of the root index                   12   compression
//    6   meta blocks                                 13   encryption key
//    7   cells
//
// There is no checksum. Every number is compared with others before it is trusted (open_file.cc,
// scan_state.cc, table/verify.cc).
//
// Source: HBase's FixedFileTrailer; docs/formats/hfile.md. Major version 4 and encrypted files are not
// supported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_choices.h"
#include "bloomery/hfile/row_order.h"
#include "hfile/compression.h"

namespace bloomery::hfile {

inline constexpr std::string_view kTrailerMagic = "TRABLK\"$";
inline constexpr std::size_t kMaxTrailerBytes = 4096;
inline constexpr std::uint32_t kMaxIndexLevels = 16;
inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};  // -1

struct Trailer {
  std::uint32_t major_version = 3;
  std::uint32_t minor_version = 3;
  std::uint64_t offset = 0;  // the trailer's offset; no block ends after it
  std::uint64_t file_info_offset = 0;
  std::uint64_t load_on_open_offset = 0;
  std::uint64_t data_index_bytes = 0;
  std::uint64_t uncompressed_bytes = 0;
  std::uint32_t data_index_count = 0;
  std::uint32_t meta_index_count = 0;
  std::uint64_t entry_count = 0;
  std::uint32_t data_index_levels = 1;
  std::optional<std::uint64_t> first_data_block_offset = {};  // none without cells
  std::optional<std::uint64_t> last_data_block_offset = {};   // none without cells; 0 from HBase 0.98
  std::string comparator = {};
  RowOrder row_order = RowOrder::kBytes;  // from the comparator's name
  Compression compression = Compression::kNone;
};

// `tail` is the end of the file: its last kMaxTrailerBytes, or the entire file if that is shorter. Errors:
// kCorruption; kUnsupported, by name, for another version, comparator or compression, and for encryption.
Result<Trailer> parse_trailer(std::span<const std::byte> tail, std::uint64_t file_bytes);

// Hudi has two writers of HFiles with its comparator: HBase's code, and since Hudi 1.0 its own writer.
bool is_of_hudi(const Trailer& trailer);
// The error for a file of Hudi's own writer. The file is not damaged, but not supported here.
Error hudis_own_form(std::uint64_t offset);

}  // namespace bloomery::hfile
