// Converts a moment with its offset from UTC to the text that PostgreSQL prints for a timestamptz in a
// session in UTC.
//
//   2026-02-03 05:05:06+01             ->  2026-02-03 04:05:06+00            psql
//   2026-02-03T05:05:06.120000+01:00   ->  2026-02-03 04:05:06.12+00         Python's isoformat()
//   2026-02-03T04:05:06.000Z           ->  2026-02-03 04:05:06+00            JavaScript's toISOString()
//   0001-01-01 00:30:00+01 BC          ->  0002-12-31 23:30:00+00 BC
//   infinity, -infinity                ->  unchanged
//
//   text    = date ("T" | " ") clock [" "] offset [" BC"] ; letters of either case
//   date    = year "-" MM "-" DD                          ; year: 4 to 6 digits, proleptic Gregorian calendar
//   clock   = HH ":" MM [":" SS ["." digits]]             ; full microseconds: digits beyond the sixth are 0
//   offset  = "Z" | "UTC" | ("+" | "-") HH [[":"] MM [":" SS]]
//
// A text without an offset is no moment: its meaning depends on the reader.
//
// Source: PostgreSQL 15, EncodeDateTime() and EncodeTimezone() of src/backend/utils/adt/datetime.c;
// tests/hash/utc_text_test.cc has a server's output. Not here: names of time zones, the leap second 60, the
// hour 24.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// Returns nothing for a text that is not of this form, or for a moment outside the range of timestamptz.
std::optional<std::string> utc_text(std::string_view text);

}  // namespace bloomery
