// The tables of docs/formats/url-keys.md hold.
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "keys/url/canonical_url.h"
#include "keys/url/url_query.h"

namespace bloomery {
namespace {

std::ifstream page() {
  return std::ifstream(std::string(BLOOMERY_SOURCE) + "/docs/formats/url-keys.md");
}

bool has(const std::string& options, const char* name) {
  return options.find(name) != std::string::npos;
}

TEST(UrlKeysPage, ItsExamplesHold) {
  static const std::regex row(R"(\| `([^`]*)` \| ([a-z,-]*) ?\| (?:`([^`]*)`|no URL) \|)");
  std::ifstream text = page();
  int urls = 0;
  int others = 0;
  bool inside = false;
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    inside = inside || line == "## Examples";
    if (!inside || !line.starts_with("| `")) {
      continue;
    }
    ASSERT_TRUE(std::regex_match(line, match, row)) << line;
    const std::string options = match[2];
    UrlCanonicalizer canonicalizer(
        {.sort_query = has(options, "sort-query"), .drop_tracking = has(options, "drop-tracking")},
        has(options, "ignore-case") ? UrlCanonicalizer::Letters::kFolded
                                    : UrlCanonicalizer::Letters::kAsTheyAre);
    const std::string url = match[1];
    const std::optional<std::string_view> found = canonicalizer.canonical(url);
    EXPECT_EQ(found.has_value(), match[3].matched) << line;
    EXPECT_EQ(found.value_or(""), match[3].str()) << line;
    (match[3].matched ? urls : others) += 1;
  }
  EXPECT_GE(urls, 22);
  EXPECT_GE(others, 5);
}

TEST(UrlKeysPage, ItsListIsTheListOfTrackingParameters) {
  std::ifstream text = page();
  std::set<std::string> names;
  bool inside = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      inside = line == "```tracking";
      continue;
    }
    std::istringstream words(inside ? line : "");
    for (std::string name; words >> name;) {
      EXPECT_TRUE(is_tracking_parameter(name)) << name;
      EXPECT_FALSE(is_tracking_parameter(name + "x")) << name;
      EXPECT_FALSE(is_tracking_parameter(name.substr(1))) << name;
      names.insert(name);
    }
  }
  EXPECT_EQ(names.size(), 20u);
}

}  // namespace
}  // namespace bloomery
