// The headers that the pages name exist, and the components of docs/library.md are those that CMake installs.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

const std::filesystem::path kSource = BLOOMERY_SOURCE;

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The pages for users. Those in folders of docs/ are for developers, and name headers as our sources include them.
std::vector<std::filesystem::path> pages_of_users() {
  std::vector<std::filesystem::path> pages = {kSource / "README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(kSource / "docs")) {
    if (entry.path().extension() == ".md") {
      pages.push_back(entry.path());
    }
  }
  return pages;
}

// A name is that of a source, or of a public header: with include/, as it is included, or below bloomery/.
bool names_a_file(const std::string& name) {
  return std::filesystem::exists(kSource / name) || std::filesystem::exists(kSource / "include" / name) ||
         std::filesystem::exists(kSource / "include" / "bloomery" / name);
}

TEST(LibraryPages, EveryHeaderThatAPageNamesExists) {
  static const std::regex header(R"([\w.-]+(/[\w.-]+)+\.h(pp)?\b)");
  int found = 0;
  for (const std::filesystem::path& page : pages_of_users()) {
    const std::string text = content_of(page);
    for (std::sregex_iterator at(text.begin(), text.end(), header); at != std::sregex_iterator(); ++at) {
      EXPECT_TRUE(names_a_file(at->str())) << page << " names " << at->str();
      ++found;
    }
  }
  EXPECT_GE(found, 50);
}

// Returns the words of the list that stands behind `before` in the text.
std::set<std::string> words_behind(const std::string& text, const std::string& before) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) {
    return {};
  }
  std::istringstream words(text.substr(at + before.size(), text.find(')', at) - at - before.size()));
  return {std::istream_iterator<std::string>(words), {}};
}

TEST(LibraryPages, ItsComponentsAreThoseThatAreInstalled) {
  static const std::regex row(R"(^\| `(\w+)` \| .* \| (`.*) \|$)");
  static const std::regex quoted("`([^`]+)`");
  std::set<std::string> told;
  std::ifstream page(kSource / "docs" / "library.md");
  std::smatch match;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, match, row)) {
      continue;
    }
    told.insert(match[1]);
    const std::string headers = match[2];
    for (std::sregex_iterator at(headers.begin(), headers.end(), quoted); at != std::sregex_iterator();
         ++at) {
      const std::filesystem::path header = kSource / "include" / "bloomery" / (*at)[1].str();
      EXPECT_TRUE(std::filesystem::exists(header)) << header;
    }
  }
  EXPECT_EQ(told, words_behind(content_of(kSource / "cmake" / "BloomeryInstall.cmake"),
                               "foreach(component IN ITEMS"));
  // docs/c.md has the two of the C interface.
  told.insert({"c", "c_files"});
  EXPECT_EQ(told, words_behind(content_of(kSource / "cmake" / "bloomery-config.cmake.in"),
                               "set(bloomery_components"));
}

}  // namespace
}  // namespace bloomery
