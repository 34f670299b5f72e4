// Golden files that lie together in one compressed archive (ustar), because they are many and small.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tests/codec/table_keys.h"

namespace bloomery {

// Returns the files of tests/golden/NAME.tar.zst, by their paths in it.
inline std::map<std::string, std::string> golden_archive(const std::string& name) {
  constexpr std::size_t kBlock = 512;
  const std::string tar = unpacked_golden(name + ".tar");
  std::map<std::string, std::string> files;
  for (std::size_t at = 0; at + kBlock <= tar.size() && tar[at] != '\0';) {
    const std::string file = tar.substr(at, 100).c_str();  // up to the first NUL
    const std::size_t size = std::stoull(tar.substr(at + 124, 11), nullptr, 8);
    files[file] = tar.substr(at + kBlock, size);
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  EXPECT_FALSE(files.empty()) << name;
  return files;
}

}  // namespace bloomery
