// The front of the two kinds of files of a spread build, which makes one static filter from keys on
// several machines. The front is the envelope and the header of a native file.
//
//    a range file   hashes of one machine that fall into range I of N        spool/range_files.h
//    a part         the shards of a filter in range I of N, and hashes       any/static_part.h
//                   of the shards at its edges
//
// clang-format off
//    0            64                                                                    end of file
//    +------------+--------------------------------------+----------------------------------+
//    |  envelope  |  a native file: header, payload,     |  blocks of hashes                |
//    |            |  metadata                            |  (hash_blocks.h)                 |
//    +------------+--------------------------------------+----------------------------------+
// clang-format on
//
// The native file records hash, key options, plan and note like a filter file. In a range file it has no
// payload.
//
// A hash h is in range I, counted from 1, if floor(h N / 2^64) is I - 1. Ranges ascend with the hashes and
// need no plan.
//
// Invariants: parsing an encoded front returns the same front. A checksum covers every byte of the front, and
// the sizes add up to the size of the file.
//
// Source: docs/formats/spread-build.md. Not here: further requirements for the native header of either file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/native_header.h"

namespace bloomery {

inline constexpr std::size_t kSpreadEnvelopeBytes = 64;
inline constexpr std::size_t kSpreadFrontBytes = kSpreadEnvelopeBytes + kNativeHeaderBytes;
// The most ranges of a spread build. The step that writes them has a file open for each.
inline constexpr std::uint32_t kMaxRanges = 256;

enum class SpreadKind { kRangeFile, kPart };

// A range of hashes, both ends included.
struct HashRange {
  std::uint64_t lowest;
  std::uint64_t highest;
};

// Returns range `index` of `count`, counted from 1. Precondition: 1 <= index <= count.
HashRange range_of_hashes(std::uint32_t index, std::uint32_t count);

struct SpreadEnvelope {
  SpreadKind kind = SpreadKind::kRangeFile;
  std::uint32_t index = 1;        // I, from 1
  std::uint32_t count = 1;        // N
  std::uint64_t hashes = 0;       // in the blocks
  std::uint64_t block_bytes = 0;  // of all blocks
  // A range file: the id of the run that wrote it, which follows from its keys and its note. A part: the id
  // of all runs that it was built from. Zero means no keys.
  Hash128 id = {};

  friend bool operator==(const SpreadEnvelope&, const SpreadEnvelope&) = default;
};

struct SpreadFront {
  SpreadEnvelope envelope = {};
  NativeHeader native = {};

  std::uint64_t native_bytes() const { return native.file_bytes(); }
  std::uint64_t blocks_offset() const { return kSpreadEnvelopeBytes + native_bytes(); }
  HashRange range() const { return range_of_hashes(envelope.index, envelope.count); }
};

inline constexpr std::string_view kRangeFileName = "a range file";
inline constexpr std::string_view kPartName = "a part of a static filter";
// Returns the name of the kind of file that begins with these bytes, or nothing for other files.
std::string_view spread_file_kind(std::span<const std::byte> front);
// Returns the same for a named file, or nothing if it is no regular file or cannot be read.
std::string_view spread_file_kind(FileSystem& files, const std::string& path);

std::array<std::byte, kSpreadFrontBytes> encode(const SpreadFront& front);

// Reads the front of a file of `file_bytes` bytes from its first bytes. Errors: kCorruption, kUnsupported;
// kInvalidArgument, with `name`, if the file is of another kind.
Result<SpreadFront> parse_spread_front(std::span<const std::byte> bytes, std::uint64_t file_bytes,
                                       SpreadKind kind, const std::string& name);

// Reads the front of an open file. Errors: also kIo; all name the file.
Result<SpreadFront> read_spread_front(FileSystem& files, File& file, SpreadKind kind);

}  // namespace bloomery
