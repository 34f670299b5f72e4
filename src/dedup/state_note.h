// The note in a filter file about the runs of `dedup` that used it: one line of its metadata.
//
//   dedup lines=200000 kept=123456 saved=2026-11-21T20:00:00Z
//   dedup lines=200000 kept=123456 saved=2026-11-21T20:00:00Z newest=1700000000000000000
//
// `newest` exists if the window is measured by event times: it is the newest of them, in nanoseconds since
// 1970, or 0 if there was no line yet. `lines` and `kept` count all runs up to that save. Other lines of the
// metadata belong to others and stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

// The values of the note.
struct StateNote {
  std::uint64_t lines = 0;
  std::uint64_t kept = 0;
  std::string saved = {};  // UTC
  std::optional<std::uint64_t> newest_ns = {};

  friend bool operator==(const StateNote&, const StateNote&) = default;
};

// Returns nothing if there is no such line, or it cannot be read.
std::optional<StateNote> find_state_note(std::string_view metadata);

// Returns the metadata with this note in place of an earlier one.
std::string with_state_note(std::string_view metadata, const StateNote& note);

// Returns the current time in the form of a note.
std::string utc_now();

}  // namespace bloomery
