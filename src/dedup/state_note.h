// What a filter's file says about the runs that kept it: one line of its metadata.
//
//   dedup lines=200000 kept=123456 saved=2026-11-21T20:00:00Z
//
// Lines and kept ones are those of all runs up to that save. Other lines of the metadata are somebody else's,
// and stay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

struct StateNote {
  std::uint64_t lines = 0;
  std::uint64_t kept = 0;
  std::string saved = {};  // UTC

  friend bool operator==(const StateNote&, const StateNote&) = default;
};

// Nothing where there is no such line, or one that cannot be read.
std::optional<StateNote> find_state_note(std::string_view metadata);

// The metadata with this note in the place of the one that was in it.
std::string with_state_note(std::string_view metadata, const StateNote& note);

// The time now, as a note has it.
std::string utc_now();

}  // namespace bloomery
