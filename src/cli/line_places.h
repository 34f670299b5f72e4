// Which line of which file the n-th key of an input was.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::cli {

class LinePlaces {
 public:
  // The keys from `ordinal` on are lines of `name`, the first of them its line `line`.
  void note(std::uint64_t ordinal, const std::string& name, std::uint64_t line);

  // "NAME:LINE". Precondition: the ordinal is not before the first that was noted.
  std::string of(std::uint64_t ordinal) const;

 private:
  struct Stretch {
    std::uint64_t ordinal;
    std::string name;
    std::uint64_t line;
  };
  std::vector<Stretch> stretches_;  // ascending; one a file
};

}  // namespace bloomery::cli
