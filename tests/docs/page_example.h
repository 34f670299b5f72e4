// The hex examples of the pages in docs/formats/.
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {

// The bytes of the page's block that begins with `fence`: up to 16 two-digit groups behind each offset, until
// three spaces.
inline std::string page_example(const std::string& page_name, const std::string& fence = "```hex") {
  std::ifstream page(std::string(BLOOMERY_SOURCE) + "/docs/formats/" + page_name);
  std::string bytes;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      inside = line == fence;
      continue;
    }
    if (inside) {
      std::istringstream groups(line.substr(8, line.find("   ", 8) - 8));
      EXPECT_EQ(std::stoul(line.substr(0, 6), nullptr, 16), bytes.size()) << line;
      for (std::string group; groups >> group;) {
        bytes += static_cast<char>(std::stoul(group, nullptr, 16));
      }
    }
  }
  return bytes;
}

}  // namespace bloomery
