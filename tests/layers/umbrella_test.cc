// <bloomery/all.hpp> includes every public header of C++ but the adapters, which need what they adapt to, and
// nothing else.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

namespace fs = std::filesystem;

const fs::path kInclude = fs::path(BLOOMERY_SOURCE) / "include";

std::set<std::string> included_by(const fs::path& header) {
  static const std::regex pattern("^\\s*#\\s*include\\s*[\"<](bloomery/[^\">]+)[\">].*");
  std::set<std::string> included;
  std::ifstream file(header);
  std::smatch match;
  for (std::string line; std::getline(file, line);) {
    if (std::regex_match(line, match, pattern)) {
      included.insert(match[1]);
    }
  }
  return included;
}

TEST(UmbrellaHeader, IncludesEveryPublicHeaderButTheAdapters) {
  const fs::path umbrella = kInclude / "bloomery" / "all.hpp";
  std::set<std::string> headers;
  for (const auto& entry : fs::recursive_directory_iterator(kInclude)) {
    const std::string name = fs::relative(entry.path(), kInclude).generic_string();
    if (entry.is_regular_file() && entry.path() != umbrella && name.starts_with("bloomery/") &&
        !name.starts_with("bloomery/adapters/")) {
      headers.insert(name);
    }
  }
  EXPECT_GT(headers.size(), 30u) << "too few headers below " << kInclude;
  ASSERT_TRUE(fs::exists(umbrella)) << umbrella;
  EXPECT_EQ(included_by(umbrella), headers);
}

}  // namespace
}  // namespace bloomery
