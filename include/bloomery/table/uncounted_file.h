// A file that a get reads, but that advise_filters() does not count.
#pragma once

#include <string>

namespace bloomery {

struct UncountedFile {
  std::string path = {};
  std::string store = {};   // its directory
  std::string reason = {};  // "a reference to a half of another file"
};

}  // namespace bloomery
