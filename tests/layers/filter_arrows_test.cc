// The arrows inside src/filter: native <- spool <- families <- any. A family includes no other family. But the
// scalable and the windowed filter are made of blocks, and layers of the former begin as quotient tables. All share the
// arithmetic of sizing.h. Filters of a server's keys lie in pages.
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/layers/source_tree.h"

namespace bloomery {
namespace {

using FolderNames = std::set<std::string>;

// What a folder of src/filter may include of the others: folders, and single public headers.
// scripts/include-graph reads this table too.
const std::map<std::string, FolderNames> kAllowedInFilter = {
    {"native", {}},
    {"spool", {"native"}},
    {"pages", {}},
    {"bloom", {"native", "spool", "pages"}},
    {"blocked", {"native", "spool", "sizing.h", "pages"}},
    {"shards", {"native", "spool", "sizing.h"}},
    {"ribbon", {"native", "spool", "shards", "static_build.h"}},
    {"fuse", {"native", "spool", "shards", "static_build.h"}},
    {"quotient", {"native", "spool", "sizing.h", "pages"}},
    {"scalable", {"native", "spool", "sizing.h", "blocked", "pages", "quotient"}},
    {"windowed", {"native", "spool", "sizing.h", "blocked"}},
    {"leased", {"native", "blocked"}},
    {"any",
     {"native", "spool", "sizing.h", "pages", "bloom", "blocked", "ribbon", "fuse", "shards", "quotient",
      "scalable", "windowed"}},
};

// The folder in which each public header is implemented. One without a source file belongs to the folder that its name
// begins with, or else to native.
std::map<std::string, std::string> folders_of_public_headers() {
  std::map<std::string, std::string> folders;
  for (const auto& entry : fs::directory_iterator(kSourceTree / "include" / "bloomery" / "filter")) {
    const std::string stem = entry.path().stem().string();
    const std::string folder = stem.substr(0, stem.find('_'));
    folders[stem + ".h"] = fs::is_directory(kSourceTree / "src" / "filter" / folder) ? folder : "native";
  }
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "src" / "filter")) {
    const auto header = folders.find(entry.path().stem().string() + ".h");
    if (entry.path().extension() == ".cc" && header != folders.end()) {
      header->second = entry.path().parent_path().filename().string();
    }
  }
  return folders;
}

// The file names that `file` includes of the filter layer, each as the folder it belongs to and its name.
std::set<std::pair<std::string, std::string>> filter_includes(
    const fs::path& file, const std::map<std::string, std::string>& public_headers) {
  static const std::regex pattern(
      "^\\s*#\\s*include\\s*\"(?:bloomery/filter/|filter/([a-z_0-9]+)/)([^\"]+)\".*");
  std::set<std::pair<std::string, std::string>> includes;
  std::ifstream text(file);
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    if (std::regex_match(line, match, pattern)) {
      const std::string name = match[2];
      const auto home = public_headers.find(name);
      includes.emplace(match[1].matched               ? match[1].str()
                       : home == public_headers.end() ? "unknown"
                                                      : home->second,
                       name);
    }
  }
  return includes;
}

void check(const fs::path& file, const std::string& folder,
           const std::map<std::string, std::string>& public_headers) {
  const auto allowed = kAllowedInFilter.find(folder);
  ASSERT_NE(allowed, kAllowedInFilter.end())
      << file << ": the folder filter/" << folder << " has no arrows in this test";
  for (const auto& [other, name] : filter_includes(file, public_headers)) {
    EXPECT_TRUE(other == folder || allowed->second.contains(other) || allowed->second.contains(name))
        << file << " includes " << name << " of filter/" << other << ", which filter/" << folder
        << " may not include";
  }
}

TEST(FilterArrows, AFamilyIncludesNoOther) {
  const auto public_headers = folders_of_public_headers();
  std::size_t checked = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "src" / "filter")) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".h" || extension == ".cc") {
      check(entry.path(), entry.path().parent_path().filename().string(), public_headers);
      ++checked;
    }
  }
  EXPECT_GT(checked, 50u) << "too few files below " << kSourceTree / "src" / "filter";
}

TEST(FilterArrows, PublicHeadersFollowThem) {
  const auto public_headers = folders_of_public_headers();
  EXPECT_GT(public_headers.size(), 10u);
  for (const auto& [name, folder] : public_headers) {
    check(kSourceTree / "include" / "bloomery" / "filter" / name, folder, public_headers);
  }
}

TEST(FilterArrows, EveryFolderHasAReadme) {
  for (const auto& [folder, allowed] : kAllowedInFilter) {
    EXPECT_TRUE(fs::exists(kSourceTree / "src" / "filter" / folder / "README.md")) << folder;
  }
}

}  // namespace
}  // namespace bloomery
