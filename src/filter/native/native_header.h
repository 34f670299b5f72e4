// The header of the native file, format version 1: 192 bytes before the payload.
//
//    offset   0   magic "Bloomery"
//             8   version
//            12   header bytes
//            16   type ... (kTypeAt and the other offsets below)
//           188   CRC-32C of bytes 0..187
//           192   payload (in a mapping at a multiple of 64)
//                 exception column
//                 exception table
//                 metadata
//                 end of file
//
// Invariants. Parsing an encoded header returns the same header. parse_native_header() accepts no file that
// it might answer wrongly, so unknown versions, type numbers and flags are errors. Every size is checked
// against the size of the file before it is used.
//
// Source: docs/formats/native.md, which has the table of fields and a worked example. Not here: opening files
// (native_file.h), and the meaning of a type's payload.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"

namespace bloomery {

// Every native file begins with these bytes.
inline constexpr std::string_view kNativeMagic = "Bloomery";
inline constexpr std::size_t kNativeHeaderBytes = 192;
inline constexpr std::uint32_t kNativeFormatVersion = 1;
inline constexpr std::uint64_t kMaxMetadataBytes = std::uint64_t{16} << 20;

// Offsets of the fields. They are on disk since version 1. New fields use reserved bytes under a new version.
namespace native_header {
inline constexpr std::size_t kVersionAt = 8;
inline constexpr std::size_t kHeaderBytesAt = 12;
inline constexpr std::size_t kTypeAt = 16;
inline constexpr std::size_t kHashIdAt = 18;
inline constexpr std::size_t kKeyFormAt = 20;
inline constexpr std::size_t kKeyFlagsAt = 22;
inline constexpr std::size_t kKeyPartsAt = 24;
inline constexpr std::size_t kStateFlagsAt = 26;
inline constexpr std::size_t kHashCountAt = 28;
inline constexpr std::size_t kSeedAt = 32;
inline constexpr std::size_t kHashKeyIdAt = 40;
inline constexpr std::size_t kCapacityAt = 48;
inline constexpr std::size_t kTargetFppAt = 56;
inline constexpr std::size_t kBitsAt = 64;
inline constexpr std::size_t kInsertedAt = 72;
inline constexpr std::size_t kPayloadOffsetAt = 80;
inline constexpr std::size_t kPayloadBytesAt = 88;
inline constexpr std::size_t kMetadataOffsetAt = 96;
inline constexpr std::size_t kMetadataBytesAt = 104;
inline constexpr std::size_t kPayloadChecksumAt = 112;
inline constexpr std::size_t kMetadataChecksumAt = 116;
inline constexpr std::size_t kStrideAt = 120;
inline constexpr std::size_t kHashBitsAt = 122;
inline constexpr std::size_t kShardsAt = 124;
inline constexpr std::size_t kFirstShardAt = 128;
inline constexpr std::size_t kHeldShardsAt = 132;
inline constexpr std::size_t kSoleEntryAt = 136;
inline constexpr std::size_t kColumnBytesAt = 152;
inline constexpr std::size_t kExceptionBytesAt = 160;
inline constexpr std::size_t kExceptionsAt = 168;
inline constexpr std::size_t kExceptionChecksumAt = 176;
inline constexpr std::size_t kDigestBytesAt = 180;
inline constexpr std::size_t kReservedAt = 182;
inline constexpr std::size_t kHeaderChecksumAt = 188;
}  // namespace native_header

// Returns the bytes of the directory in the payload of a static filter: 16 bytes for each shard, but none for
// a sole shard.
constexpr std::uint64_t shard_directory_bytes(std::uint32_t held_shards) {
  return held_shards == 1 ? 0 : std::uint64_t{held_shards} * 16;
}

struct NativeHeader {
  FilterType type = FilterType::kBloom;
  HashSpec hash = {};             // its secret is not in the file
  std::uint64_t hash_key_id = 0;  // the id of the secret
  KeyTreatment keys = {};
  bool dirty = false;
  std::uint32_t hash_count = 0;
  std::uint64_t capacity = 0;
  double target_fpp = 0;
  std::uint64_t bits = 0;
  std::uint64_t inserted = 0;
  std::uint16_t stride_bytes = 0;  // blocked, scalable, windowed, fuse: 64 fast, 8 dense; 0 for other types
  // For a static filter, 0 for other types: the leading bits of a hash that count, the shards of the plan,
  // and which of them are in this file.
  std::uint8_t hash_bits = 0;
  std::uint32_t shards = 0;
  std::uint32_t first_shard = 0;
  std::uint32_t held_shards = 0;
  std::array<std::byte, 16> sole_entry = {};  // the directory, if one shard is in this file
  // Exceptions are keys that are answered no although the payload matches them. A ribbon encodes them in its
  // last column, which is a native file inside this one. All types have a table of exceptions
  // (exception_table.h). A size is 0 if there is none.
  std::uint64_t column_bytes = 0;
  std::uint64_t exception_bytes = 0;
  // Live exceptions in the table. These are fewer than its entries if some were withdrawn.
  std::uint64_t exceptions = 0;
  std::uint32_t exception_checksum = 0;  // CRC of the table; the column has its own
  std::uint64_t payload_bytes = 0;
  std::uint64_t metadata_bytes = 0;
  std::uint32_t payload_checksum = 0;
  std::uint32_t metadata_checksum = 0;

  // All parts follow the header without gaps.
  std::uint64_t payload_offset() const { return kNativeHeaderBytes; }
  std::uint64_t column_offset() const { return payload_offset() + payload_bytes; }
  std::uint64_t exception_offset() const { return column_offset() + column_bytes; }
  std::uint64_t metadata_offset() const { return exception_offset() + exception_bytes; }
  std::uint64_t file_bytes() const { return metadata_offset() + metadata_bytes; }
  // Returns how many bytes the payload checksum covers. For a static filter it covers the directory, which
  // has the checksums of the shards.
  std::uint64_t checksummed_payload_bytes() const {
    return is_static_type(type) ? shard_directory_bytes(held_shards) : payload_bytes;
  }

  friend bool operator==(const NativeHeader&, const NativeHeader&) = default;
};

// Returns the id that a header stores for the secret in a HashSpec; 0 for a hash without one.
inline std::uint64_t key_id_of(const HashSpec& hash) {
  return hash.id == HashId::kSipHash ? hash.secret.id() : 0;
}

// Formats an id for messages: 16 hexadecimal digits.
std::string show_key_id(std::uint64_t id);

std::array<std::byte, kNativeHeaderBytes> encode(const NativeHeader& header);

// Make the error of a field from its offset, its name, the expected and the found value. A bad field is
// damage. An unknown one may be right in a later version.
Error bad_header_field(std::uint64_t offset, const std::string& field, const std::string& expected,
                       std::uint64_t found);
Error unknown_header_field(std::uint64_t offset, const std::string& field, const std::string& expected,
                           std::uint64_t found);

// Makes the error of a shape that consists of header fields, at the field that the shape's error names:
// "bits", "hash count", "stride".
Error bad_header_shape(const Error& shape);

// Makes the error of damage at an offset in the payload.
Error bad_payload(std::uint64_t payload_offset, std::string detail);

// A family's check of a header that has passed parse_native_header(). Null means no check. Errors:
// kCorruption, kUnsupported.
using HeaderCheck = Status (*)(const NativeHeader& header);

// Reads the header from the first bytes of a file of `file_bytes` bytes. Allocates only the text of an error.
// A family checks the fields whose range depends on the type before it uses them. Errors: kCorruption,
// kUnsupported.
Result<NativeHeader> parse_native_header(std::span<const std::byte> front, std::uint64_t file_bytes);

}  // namespace bloomery
