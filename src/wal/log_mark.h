// The mark of a log: how far it is synced, in a small file of its own.
//
//   file    two slots of 512 bytes
//   slot    "BLOOMARK" | u32 version 1 | u32 link | u64 generation | u64 length of the log | u8 length of the
//           name | name of the log, padded with zeros to byte 508 | u32 CRC-32C of the 508 bytes before it
//
// All integers are big-endian. A new mark replaces the older slot, so a write that a crash interrupts leaves
// the other one. The newest intact slot counts. The link is that of the last record before `length`
// (log_seal.h), or 0 for a log without seals.
//
// write() reaches the operating system, so a killed process loses no mark; sync() reaches the disk. The
// caller decides how often to sync.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery::wal {

inline constexpr std::size_t kMarkSlotBytes = 512;
inline constexpr std::size_t kMarkFileBytes = 2 * kMarkSlotBytes;
inline constexpr std::size_t kMostMarkName = 255;

struct LogMark {
  std::uint64_t generation = 0;  // counts the marks of a file, from 1
  std::uint64_t length = 0;      // the synced bytes of the log
  std::uint32_t link = 0;        // of the record that ends there
  std::string log = {};          // the name of the log's file, without its directory

  bool operator==(const LogMark&) const = default;
};

// Writes the slot of a mark. Precondition: the name has at most kMostMarkName bytes.
std::array<std::byte, kMarkSlotBytes> mark_slot(const LogMark& mark);

// Returns the newest mark of the file. Errors: kCorruption if no slot is intact.
Result<LogMark> parse_log_mark(std::span<const std::byte> file);

// Reads a mark file. Errors: kNotFound, kIo, kCorruption.
Result<LogMark> read_log_mark(FileSystem& files, const std::string& path);

class LogMarkFile {
 public:
  // Creates the file with a first mark, or opens it and goes on after its newest one. Errors:
  // kInvalidArgument for a name of more than kMostMarkName bytes.
  static Result<LogMarkFile> open(FileSystem& files, const std::string& path);

  // Replaces the older slot. The generation of `mark` is set here.
  Status write(LogMark mark);
  Status sync() { return file_.sync(); }

 private:
  LogMarkFile(File file, std::uint64_t generation) : file_(std::move(file)), generation_(generation) {}

  File file_;
  std::uint64_t generation_;
};

}  // namespace bloomery::wal
