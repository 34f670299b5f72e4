// Suggests the verb or option that was probably meant by an unknown word.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bloomery::cli {

// Returns how many letters must be inserted, deleted, replaced or swapped with a neighbour to turn one word
// into the other (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the nearest known word, if at most a third of its letters, or one letter, differ. Among equally
// near words it returns the first. If no word is near, a word of at least five letters is compared with the
// prefixes of the known words in the same way: "--invrt" is near "--inver".
std::optional<std::string> probably_meant(std::string_view word, std::span<const std::string> known);

// Returns "; did you mean X?" for the nearest known word, or an empty text if none is near.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

}  // namespace bloomery::cli
