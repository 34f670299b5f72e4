// The arrows between the folders, read from every #include: a folder includes only what stands left of it.
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

using LayerNames = std::set<std::string>;

// The folders that each folder may include: the table of ARCHITECTURE.md. A new folder is added here and there.
const std::map<std::string, LayerNames> kAllowed = {
    {"base", {"base"}},
    {"hash", {"base", "hash"}},
    {"compress", {"base", "compress"}},
    {"keys", {"base", "hash", "compress", "keys"}},
    {"filter", {"base", "hash", "filter"}},
    {"codec", {"base", "hash", "compress", "filter", "codec"}},
    {"dedup", {"base", "hash", "compress", "keys", "filter", "dedup"}},
    {"hfile", {"base", "hash", "compress", "hfile"}},
    {"adapters", {"base", "hash", "filter", "codec", "adapters"}},
    {"redis_module", {"base", "hash", "filter", "codec", "redis_module"}},
    {"wal", {"base", "hash", "compress", "hfile", "wal"}},
    {"table", {"base", "hash", "compress", "hfile", "wal", "table"}},
    {"store", {"base", "hash", "compress", "hfile", "wal", "table", "store"}},
    {"dialects", {"base", "hash", "compress", "filter", "codec", "hfile", "dialects"}},
    {"verify",
     {"base", "hash", "compress", "keys", "filter", "codec", "dialects", "hfile", "table", "verify"}},
    {"guard", {"base", "hash", "filter", "guard"}},
    {"connect", {"base", "hash", "filter", "guard", "connect"}},
    {"feed", {"base", "hash", "filter", "guard", "connect", "feed"}},
    {"query", {"base", "hash", "keys", "filter", "codec", "dialects", "connect", "query"}},
    {"verify",
     {"base", "hash", "compress", "keys", "filter", "codec", "hfile", "table", "dialects", "verify"}},
    {"python",
     {"base", "hash", "compress", "keys", "filter", "codec", "hfile", "table", "store", "dialects", "guard",
      "python"}},
    {"c_api",
     {"base", "hash", "compress", "keys", "filter", "codec", "hfile", "table", "store", "dialects", "guard",
      "c_api"}},
    {"cli",
     {"base", "hash", "compress", "keys", "filter", "dedup", "codec", "hfile", "wal", "table", "store",
      "dialects", "guard", "connect", "feed", "query", "verify", "cli"}},
};

// The layer that an included path belongs to: "base" of both "base/file.h" and "bloomery/base/result.h". The header of
// the C interface belongs to c_api.
std::string layer_of(const std::string& included) {
  if (included == "bloomery.h") {
    return "c_api";
  }
  static const std::regex pattern("^(?:bloomery/)?([a-z_0-9]+)/.*");
  std::smatch match;
  return std::regex_match(included, match, pattern) ? match[1].str() : "";
}

struct Include {
  fs::path file;
  std::string layer;     // of the file
  std::string included;  // as written
};

std::vector<Include> all_includes(const fs::path& root) {
  static const std::regex pattern("^\\s*#\\s*include\\s*\"([^\"]+)\".*");
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".h" && extension != ".cc") {
      continue;
    }
    std::ifstream file(entry.path());
    std::smatch match;
    for (std::string line; std::getline(file, line);) {
      if (std::regex_match(line, match, pattern)) {
        includes.push_back({entry.path(), fs::relative(entry.path(), root).begin()->string(), match[1]});
      }
    }
  }
  return includes;
}

void check_arrows(const fs::path& root) {
  const std::vector<Include> includes = all_includes(root);
  EXPECT_GT(includes.size(), 10u) << "nothing read below " << root;
  for (const Include& include : includes) {
    const auto allowed = kAllowed.find(include.layer);
    ASSERT_NE(allowed, kAllowed.end())
        << include.file << ": the folder " << include.layer << " has no arrows in this test";
    EXPECT_TRUE(allowed->second.contains(layer_of(include.included)))
        << include.file << " includes \"" << include.included << "\": " << include.layer
        << " may include only what stands left of it";
  }
}

TEST(Layers, SourcesFollowTheArrows) {
  check_arrows(kSourceTree / "src");
}

TEST(Layers, PublicHeadersFollowTheArrows) {
  check_arrows(kSourceTree / "include" / "bloomery");
}

// Folders below codec are systems that know nothing of each other; codec/sstable is what two of them share.
TEST(Layers, ADialectIncludesNoOther) {
  static const std::regex pattern("^codec/([a-z_0-9]+)/.*");
  const fs::path codec = kSourceTree / "src" / "codec";
  for (const Include& include : all_includes(codec)) {
    const fs::path folder = fs::relative(include.file, codec).parent_path();
    std::smatch match;
    if (!folder.empty() && std::regex_match(include.included, match, pattern)) {
      EXPECT_TRUE(match[1] == folder.string() || match[1] == "sstable")
          << include.file << " includes \"" << include.included << "\"";
    }
  }
}

// Of the dialects, an adapter knows its own system's; public headers of codec know no system's insides.
TEST(Layers, AnAdapterIncludesNoDialectButItsOwn) {
  static const std::regex pattern("^(?:codec|adapters)/([a-z_0-9]+)/.*");
  const fs::path adapters = kSourceTree / "src" / "adapters";
  std::size_t checked = 0;
  for (const Include& include : all_includes(adapters)) {
    const std::string system = fs::relative(include.file, adapters).parent_path().string();
    std::smatch match;
    if (std::regex_match(include.included, match, pattern)) {
      ++checked;
      EXPECT_EQ(match[1], system) << include.file << " includes \"" << include.included << "\"";
    }
  }
  EXPECT_GT(checked, 0u) << "nothing read below " << adapters;
}

// What a verb does with HFiles, a program can do: the command has only the public headers.
TEST(Layers, TheCommandUsesOfTheTableWhatAProgramCan) {
  std::size_t checked = 0;
  for (const Include& include : all_includes(kSourceTree / "src" / "cli")) {
    checked += include.included.starts_with("bloomery/table/") ? 1U : 0U;
    EXPECT_FALSE(include.included.starts_with("table/"))
        << include.file << " includes \"" << include.included << "\"";
  }
  EXPECT_GT(checked, 0u) << "nothing read below src/cli";
}

// What a user includes shows nothing of the insides.
TEST(Layers, PublicHeadersIncludeOnlyPublicHeaders) {
  for (const Include& include : all_includes(kSourceTree / "include" / "bloomery")) {
    EXPECT_TRUE(include.included.starts_with("bloomery/"))
        << include.file << " includes \"" << include.included << "\"";
  }
}

TEST(Layers, EveryFolderHasAReadme) {
  for (const auto& [layer, allowed] : kAllowed) {
    EXPECT_TRUE(fs::exists(kSourceTree / "src" / layer / "README.md")) << layer;
  }
}

TEST(Layers, NamesThatMeanNothingAreNotUsed) {
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "src")) {
    const std::string stem = entry.path().stem().string();
    EXPECT_FALSE(LayerNames({"util", "utils", "common", "helpers", "helper", "misc"}).contains(stem))
        << entry.path();
  }
}

// Kernels are chosen at run time: no algorithm asks the compiler for an instruction set.
TEST(Layers, NoInstructionSetInAnAlgorithm) {
  static const std::regex pattern("__(AVX|SSE|BMI)[0-9A-Z_]*__");
  for (const auto& entry : fs::recursive_directory_iterator(kSourceTree / "src")) {
    if (entry.path().extension() == ".cc" || entry.path().extension() == ".h") {
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      EXPECT_FALSE(std::regex_search(text, pattern)) << entry.path();
    }
  }
}

}  // namespace
}  // namespace bloomery
