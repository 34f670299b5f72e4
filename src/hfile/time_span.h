// The oldest and the newest timestamp of a file's cells, as stored in file info under TIMERANGE.
//
//   i64 oldest | i64 newest                         HBase 1 and later; 0.98 writes 16 zeros after them
//   PBUF | message { 1: oldest, 2: newest }         HBase 2.0.0, 2.0.1 and 2.1.0 (HBASE-21012)
//
// The magic PBUF decides. A message can be as long as two integers, so some values could be either form: they
// begin with the magic and also hold two integers in order. Such a value is ignored: misreading it could make
// a get skip a file that has its cells.
//
// Both ends are inclusive. A file without cells has oldest 2^63 - 1 and newest -1.
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

// Parses the bytes of a TIMERANGE. Returns nothing if their form is unknown, ambiguous or damaged.
std::optional<TimeSpan> parse_time_span(std::string_view value);
// Returns the times of a file, or nothing if it has none.
std::optional<TimeSpan> times_of(const OpenFile& file);

}  // namespace bloomery::hfile
