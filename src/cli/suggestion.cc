#include "cli/suggestion.h"

#include <algorithm>
#include <vector>

namespace bloomery::cli {
namespace {

// Returns the distances between `a` and each prefix of `b`, from 0 to b.size() letters.
std::vector<std::size_t> distances_to_beginnings(std::string_view a, std::string_view b) {
  // Three rows of the table distance[i][j], which compares the first i letters of `a` with the first j of
  // `b`.
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row;
}

std::size_t distance_to_a_beginning(std::string_view word, std::string_view name) {
  return std::ranges::min(distances_to_beginnings(word, name));
}

// Returns the known word with the least `distance`, if that is small enough.
template <typename Distance>
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> known,
                                   Distance distance) {
  std::optional<std::string> found;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    if (const std::size_t far = distance(word, name); far < least && far < name.size()) {
      least = far;
      found = name;
    }
  }
  return found;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  return distances_to_beginnings(a, b).back();
}

std::optional<std::string> probably_meant(std::string_view word, std::span<const std::string> known) {
  // A longer word is no verb or option, and comparing it would be slow.
  constexpr std::size_t kMostLetters = 64;
  constexpr std::size_t kFewestLetters = 5;  // shorter words are near the prefixes of many words
  if (word.size() > kMostLetters) {
    return std::nullopt;
  }
  std::optional<std::string> meant = nearest(word, known, edit_distance);
  if (!meant && word.size() >= kFewestLetters) {
    meant = nearest(word, known, distance_to_a_beginning);
  }
  return meant;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::optional<std::string> meant = probably_meant(word, known);
  return meant ? "; did you mean " + *meant + "?" : "";
}

}  // namespace bloomery::cli
