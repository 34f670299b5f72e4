// A change of a table: a cell, or a marker that deletes cells. Words and rules are HBase's.
//
// Example:
//    Mutation put{.row = "row 1", .family = "f", .qualifier = "q", .value = "v"};
//    Mutation gone{.row = "row 1", .family = "f", .qualifier = "q", .type = CellType::kDeleteColumn};
//
// All texts are views that the caller keeps until the call returns.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bloomery/hfile/cell.h"

namespace bloomery {

struct Mutation {
  std::string_view row = {};
  std::string_view family = {};
  std::string_view qualifier = {};
  // Milliseconds, at least 0. Nothing, or kLatestTimestamp, means the time of the call. For kDelete it means
  // the newest version.
  std::optional<std::int64_t> timestamp = {};
  CellType type = CellType::kPut;
  std::string_view value = {};
};

// What a write promises when it returns. Names and numbers are HBase's.
enum class Durability : std::uint8_t {
  kUseDefault,  // what the table's attribute DURABILITY says, without one kFsyncWal
  kSkipWal,     // in memory only: a crash may lose it, until it is flushed to a file
  kAsyncWal,    // on the disk within a second
  kSyncWal,     // handed to the operating system: survives the process
  kFsyncWal,    // on the disk: survives a power loss
};
inline constexpr std::array<std::string_view, 5> kDurabilityNames = {"USE_DEFAULT", "SKIP_WAL", "ASYNC_WAL",
                                                                     "SYNC_WAL", "FSYNC_WAL"};

struct WriteOptions {
  Durability durability = Durability::kUseDefault;
  // If memory is full and flushes cannot keep up: waits for them, or returns kCapacity.
  bool waits = true;
};

}  // namespace bloomery
