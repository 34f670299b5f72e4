// Finds the file and line of the n-th key of an input, for messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bloomery::cli {

class LinePlaces {
 public:
  // Records that the keys from `ordinal` on are consecutive lines of the file `name`, from line `line` on.
  void note(std::uint64_t ordinal, const std::string& name, std::uint64_t line);

  // Returns "NAME:LINE". Precondition: `ordinal` is not below the first recorded one.
  std::string of(std::uint64_t ordinal) const;

 private:
  struct Stretch {
    std::uint64_t ordinal;
    std::string name;
    std::uint64_t line;
  };
  std::vector<Stretch> stretches_;  // ascending; a new element for each gap or file
};

}  // namespace bloomery::cli
