// Suggests the known word that was probably meant by an unknown one: a verb or an option.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bloomery::cli {

// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one
// word into the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the nearest of `known` if it is near: at most a third of the letters differ, and at least one
// may. Among equally near words it is the first. If no full word is near, a word of five letters or more is
// compared with prefixes of `known`, by the same measure: "--invrt" is near "--inver".
std::optional<std::string> probably_meant(std::string_view word, std::span<const std::string> known);

// Returns "; did you mean X?" for the nearest of the known words, or nothing if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace bloomery::cli
