// The records of a log file, in order.   Calls: (next record)*
//
// A MANIFEST and a write-ahead log have this format, in LevelDB and in RocksDB:
//
//   file      blocks of 32 KiB; no fragment crosses a block's end, and fewer than 7 bytes there are zeros
//   fragment  u32 checksum | u16 size | u8 type | [u32 log number] | bytes
//   checksum  crc32c of everything after the size, masked like the checksum of a block
//   type      1 a complete record, 2 its first fragment, 3 a middle one, 4 its last
//             5 to 8 the same with the log number, in a file that RocksDB wrote over an older log
//             9 compression of what follows, 10 and 11 sizes of timestamps, from 128 on ignorable types
//
// A crash leaves a torn tail, and so does a writer that is still active. Like the systems themselves, next()
// treats these as the end of the log:
//
//   - a fragment, or a record, whose end is missing from the file
//   - zeros, which fill space that was allocated before it was written
//   - in a file with log numbers: a fragment of another log, or a damaged one
//
// Any other damage is an error, because the records after it would be lost.
// In a log with compression 7, which is the only one that RocksDB writes, each record is one zstd frame, and
// its fragments are slices of that frame. Any other compression is refused with an error that names it.
// Sources: LevelDB, doc/log_format.md; RocksDB 11.8 and its wiki, "Write Ahead Log File Format".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::sstable {

// No fragment of a record crosses the end of a block. A header precedes each fragment.
inline constexpr std::size_t kLogBlockBytes = std::size_t{32} << 10;
inline constexpr std::size_t kLogHeaderBytes = 7;

class LogRecords {
 public:
  // Keeps a view of `file`. `number` is the number in the file's name. `subject` is its name in errors.
  LogRecords(std::span<const std::byte> file, std::uint64_t number, std::string subject)
      : file_(file), number_(number), subject_(std::move(subject)) {}

  // Moves to the next record; the first call moves to the first record. Returns false at the end of the
  // log. Errors: kCorruption; kUnsupported for an unknown compression and for an unknown type; kCapacity
  // above 256 MiB.
  Result<bool> next();

  // Returns the bytes of this record, valid until next().
  std::span<const std::byte> record() const { return record_; }
  // Returns the record's offset in the file.
  std::uint64_t offset() const { return record_offset_; }
  // Returns true if the log ended before the file did, as after a crash. Trailing zeros do not count.
  bool is_torn() const { return torn_; }
  // Returns, for each column family by its number, the size of the timestamp after every key.
  const std::map<std::uint32_t, std::uint16_t>& timestamp_bytes() const { return timestamp_bytes_; }

 private:
  struct Piece {
    unsigned type = 0;
    std::span<const std::byte> bytes;
    std::uint64_t offset = 0;
  };

  Result<bool> next_piece(Piece& piece);
  Result<bool> take_piece(Piece& piece, std::size_t left_in_block);
  Result<bool> join(const Piece& piece);
  Status read_timestamp_bytes(const Piece& piece);
  Status read_compression(const Piece& piece);
  Status decompress();
  bool end_torn();
  bool end_recycled() { return recycled_ && end_torn(); }

  std::span<const std::byte> file_;
  std::uint64_t number_;
  std::string subject_;
  std::size_t at_ = 0;
  bool ended_ = false;
  bool torn_ = false;
  bool recycled_ = false;   // fragments with log numbers were seen
  bool in_record_ = false;  // a first fragment was read, and its last was not
  std::string joined_;      // the fragments of a record that has several
  bool is_compressed_ = false;
  std::vector<std::byte> decompressed_;  // the record of a compressed log
  std::span<const std::byte> record_;
  std::uint64_t record_offset_ = 0;
  std::map<std::uint32_t, std::uint16_t> timestamp_bytes_;
};

}  // namespace bloomery::sstable
