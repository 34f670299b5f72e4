// The seal of a log: a chain of checksums, in fields that HBase reads and ignores.
//
//   seal      u32 the link of the record before | u32 link                  big-endian, 8 bytes
//   link      CRC-32C of all bytes of the record, without the four bytes of the link
//   record    where its seal is                                    the record before it
//   header    field 1000 of WALHeader                              the last entry of the log before, or 0
//   entry     attribute `bloomery`, the last field of the key      the entry before, or the header
//   trailer   field 1000 of WALTrailer, after u64 entries          the last entry, or the header
//
// A record with a correct link is intact. Two records with a correct chain are neighbours: none was removed,
// repeated or exchanged between them. A seal is no signature: whoever forges an entry can compute its link.
//
// Source: docs/formats/hbase-wal.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace bloomery::wal {

inline constexpr std::string_view kSealName = "bloomery";
inline constexpr std::uint32_t kSealField = 1000;  // of WALHeader and WALTrailer
inline constexpr std::size_t kSealBytes = 8;
inline constexpr std::size_t kLinkBytes = 4;
inline constexpr std::size_t kTrailerSealBytes = 8 + kSealBytes;
// The attribute in a key: its field, its length, its name, and the length of its value. The seal follows.
inline constexpr std::string_view kSealPrefix =
    "\x62\x14\x0a\x08"
    "bloomery"
    "\x12\x08";
inline constexpr std::size_t kSealAttributeBytes = kSealPrefix.size() + kSealBytes;

struct Seal {
  std::uint32_t previous = 0;
  std::uint32_t link = 0;

  bool operator==(const Seal&) const = default;
};

// Reads the seal at `at`, which has kSealBytes.
Seal load_seal(const std::byte* at);

// Returns the link of a record whose link is stored at `link_at`. Precondition: the link is inside.
std::uint32_t link_of(std::span<const std::byte> record, std::size_t link_at);

// Writes the seal that ends at `seal_end` of the record.
Seal store_seal(std::span<std::byte> record, std::size_t seal_end, std::uint32_t previous);

// Returns the seal at the end of an entry's key, or nothing if the key has none there.
std::optional<Seal> seal_of_key(std::span<const std::byte> key);

}  // namespace bloomery::wal
