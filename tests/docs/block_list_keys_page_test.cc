// The examples of docs/formats/block-list-keys.md hold.
#include <fstream>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "keys/block_list_keys.h"

namespace bloomery {
namespace {

TEST(BlockListKeysPage, ItsExamplesHold) {
  static const std::regex row(R"(\| ([a-z-]+) \| `([^`]*)` \| ([0-9a-f ]+) \|)");
  std::ifstream text(std::string(BLOOMERY_SOURCE) + "/docs/formats/block-list-keys.md");
  int examples = 0;
  bool inside = false;
  std::smatch match;
  for (std::string line; std::getline(text, line);) {
    inside = inside || line == "## Examples";
    if (!inside || line.find('`') == std::string::npos) {
      continue;
    }
    ASSERT_TRUE(std::regex_match(line, match, row)) << line;
    const std::optional<KeyForm> form = key_form_from_name(match[1].str());
    ASSERT_TRUE(form && is_block_list(*form)) << line;
    BlockListKeys keys({.form = *form}, {}, KeyPurpose::kInsert);
    KeyWriter writer;
    const Status appended = keys.append_entry(writer, match[2].str());
    ASSERT_TRUE(appended) << line << appended.error().to_string();
    std::string hex;
    for (const std::byte byte : writer.bytes()) {
      constexpr const char* kDigits = "0123456789abcdef";
      hex += hex.empty() ? "" : " ";
      hex += {kDigits[std::to_integer<unsigned>(byte) >> 4], kDigits[std::to_integer<unsigned>(byte) & 15]};
    }
    EXPECT_EQ(hex, match[3].str()) << line;
    ++examples;
  }
  EXPECT_GE(examples, 8);
}

}  // namespace
}  // namespace bloomery
