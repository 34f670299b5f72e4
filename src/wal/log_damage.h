// Reads a log past its damage.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bloomery/base/result.h"
#include "wal/log_reader.h"

namespace bloomery::wal {

// Bytes of a log that are no entry, or a place where the chain of seals is broken.
struct LogDamage {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;  // where the next entry is; begin if the entry at `begin` is intact
  Error error;
};

// Receives each entry. Its error ends the reading.
using EntryUse = std::function<Status(const LogEntry& entry)>;

// Reads the entries that can be read, up to the end of the log. Errors: kIo, kCapacity, and that of `use`.
Result<std::vector<LogDamage>> read_past_damage(LogReader& log, const EntryUse& use);

}  // namespace bloomery::wal
