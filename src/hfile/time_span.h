// The times of a file's cells, as file info has them under TIMERANGE.
//
//   i64 oldest | i64 newest                         HBase 1 and later; 0.98 writes 16 zeros behind them
//   PBUF | message { 1: oldest, 2: newest }         HBase 2.0.0, 2.0.1 and 2.1.0 (HBASE-21012)
//
// The magic decides. A message can be as long as two longs: a value that begins with the magic and is also
// two longs in order could be either, so it says nothing, lest a file is passed over that has the cells.
// Both ends are within; a file without cells has the newest before the oldest, 2^63 - 1 and -1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "hfile/open_file.h"

namespace bloomery::hfile {

struct TimeSpan {
  std::int64_t oldest = 0;
  std::int64_t newest = 0;

  bool has_times() const { return oldest <= newest; }
};

// What the bytes of a TIMERANGE say; nothing where their form is not known, not certain, or damaged.
std::optional<TimeSpan> parse_time_span(std::string_view value);
// What a file says; nothing where it has none.
std::optional<TimeSpan> times_of(const OpenFile& file);

}  // namespace bloomery::hfile
