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

// Returns an archive of tests/golden/cassandra. For the name of a release in tests/golden/cassandra-written it returns
// the filters, the statistics, the lists of components and the manifest of that release's sstables.
inline std::map<std::string, std::string> cassandra_archive(const std::string& name) {
  if (name == "transactions" || name == "older") {
    return golden_archive("cassandra/" + name);
  }
  std::map<std::string, std::string> files;
  for (const auto& [path, bytes] : golden_archive("cassandra-written/" + name)) {
    if (path.ends_with("-Filter.db") || path.ends_with("-Statistics.db") || path.ends_with("-TOC.txt") ||
        path.ends_with("manifest.csv")) {
      files[path.substr(name.size() + 1)] = bytes;
    }
  }
  return files;
}

}  // namespace bloomery
