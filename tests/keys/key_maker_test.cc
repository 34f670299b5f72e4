// From lines to key bytes: views of the lines where they are the keys, else what the key form says.
#include "keys/key_maker.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using Lines = std::vector<std::string_view>;

Lines made(KeyMaker& maker, const Lines& lines) {
  Lines keys = {"left", "over"};
  EXPECT_TRUE(maker.make(lines, 1, keys));
  return keys;
}

TEST(KeyMaker, ALineIsItsKeyWithoutACopy) {
  KeyMaker maker({}, {});
  const Lines lines = {"one", "", std::string_view("thr\0ee", 6), "cr\r"};
  const Lines keys = made(maker, lines);
  ASSERT_EQ(keys, lines);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(keys[i].data(), lines[i].data()) << i;
  }
}

TEST(KeyMaker, TheTreatmentAndThePlaceAreApplied) {
  KeyMaker hex({.form = KeyForm::kHex}, {});
  EXPECT_EQ(made(hex, {"ff00", "41"}), (Lines{std::string_view("\xff\0", 2), "A"}));
  KeyMaker utf16({.form = KeyForm::kUtf16}, {});
  EXPECT_EQ(made(utf16, {"a", "", "\xc3\xa9"}),
            (Lines{std::string_view("a\0", 2), "", std::string_view("\xe9\0", 2)}));
  KeyMaker folded({.trim = true, .ignore_case = true}, {.fields = {{2, 2}}, .delimiter = ',', .crlf = true});
  EXPECT_EQ(made(folded, {"a, B \r", "a", "1,2,3"}), (Lines{"b", "", "2"}));
}

// The width is that of all keys but empty ones, whether they were digits or are digests of the text.
TEST(KeyMaker, DigestsOfOneWidthAreNoticed) {
  const std::string sha1(40, 'a');
  const std::string md5(32, 'b');
  const auto width = [](const Lines& lines) {
    KeyMaker hex({.form = KeyForm::kHex}, {.comments = "#"});
    made(hex, lines);
    return hex.digest_bytes();
  };
  EXPECT_EQ(width({sha1, sha1}), 20);
  EXPECT_EQ(width({sha1, "# " + md5, sha1}), 20);
  EXPECT_EQ(width({sha1, md5}), 0);
  EXPECT_EQ(width({sha1, md5, md5}), 0);
  EXPECT_EQ(width({md5}), 16);
  EXPECT_EQ(width({"ab", "cd"}), 0) << "no digests have one byte";
  EXPECT_EQ(width({}), 0);
  KeyMaker with_empty({.form = KeyForm::kHex}, {});
  made(with_empty, {sha1, "", sha1});
  EXPECT_EQ(with_empty.digest_bytes(), 20);
  KeyMaker hashed({.form = KeyForm::kHex}, {.digest = Digest::kSha256});
  made(hashed, {"a", "", "b"});
  EXPECT_EQ(hashed.digest_bytes(), 32);
  KeyMaker text({}, {.crlf = true});
  made(text, {sha1});
  EXPECT_EQ(text.digest_bytes(), 0);
  KeyMaker parts({.form = KeyForm::kHex, .parts = 2}, {.fields = {{1, 2}}, .delimiter = ','});
  made(parts, {md5.substr(0, 14) + "," + md5.substr(0, 16)});
  EXPECT_EQ(parts.digest_bytes(), 0);
}

TEST(KeyMaker, UrlsAreCanonicalAndOthersAreCounted) {
  KeyMaker urls({.form = KeyForm::kUrl}, {});
  EXPECT_EQ(made(urls, {"HTTP://A:80", "http://a/", " HTTP://A", "Text", ""}),
            (Lines{"http://a/", "http://a/", " HTTP://A", "Text", ""}));
  EXPECT_EQ(urls.lines_without_url(), 3u);
  EXPECT_EQ(made(urls, {"Text", "http://b"}), (Lines{"Text", "http://b/"}));
  EXPECT_EQ(urls.lines_without_url(), 4u);
}

TEST(KeyMaker, OfWhatIsNoUrlTheTreatmentIsApplied) {
  KeyMaker urls({.form = KeyForm::kUrl, .trim = true, .ignore_case = true, .url = {.sort_query = true}}, {});
  EXPECT_EQ(made(urls, {" HTTP://A?B&a ", " Text ", "%ZZ"}), (Lines{"http://a/?a&b", "text", "%zz"}));
  EXPECT_EQ(urls.lines_without_url(), 2u);
}

TEST(KeyMaker, EveryPartOfACompositeIsMadeCanonical) {
  KeyMaker urls({.form = KeyForm::kUrl, .parts = 2}, {.fields = {{1, 1}, {2, 2}}, .delimiter = ' '});
  EXPECT_EQ(made(urls, {"HTTP://A X", "a b"}), (Lines{"\x09http://a/\x01X",
                                                      "\x01"
                                                      "a\x01"
                                                      "b"}));
  EXPECT_EQ(urls.lines_without_url(), 2u);  // lines, not parts
}

TEST(KeyMaker, OtherFormsCountNothing) {
  KeyMaker text({.ignore_case = true}, {});
  EXPECT_EQ(made(text, {"HTTP://A"}), Lines{"http://a"});
  EXPECT_EQ(text.lines_without_url(), 0u);
}

// The memory of a batch grows while its keys are made: no view is taken before the last of them.
// A type whose keys are their parts with a bar behind each. No part is "bad", and hex makes keys of two bytes.
class BarredParts final : public KeyType {
 public:
  explicit BarredParts(std::size_t parts) : parts_(parts) {}
  const std::string& name() const override { return name_; }
  std::size_t parts() const override { return parts_; }
  Status append(KeyWriter& writer, std::span<const std::string_view> texts) const override {
    for (const std::string_view text : texts) {
      if (text == "bad") {
        return Error::invalid_argument(name_, "expected a part, found 'bad'");
      }
      append_key(writer, text);
      append_key(writer, std::string_view("|"));
    }
    return {};
  }
  bool takes(KeyForm form) const override { return form == KeyForm::kHex; }
  Status check(std::span<const std::byte> key) const override {
    return key.size() == 2 ? Status() : Status(Error::invalid_argument(name_, "expected two bytes"));
  }

 private:
  std::size_t parts_;
  std::string name_ = "barred";
};

TEST(KeyMaker, ATypeMakesTheKeyOfAllPartsOfALine) {
  KeyMaker whole({}, {}, KeyPurpose::kName, std::make_shared<BarredParts>(1));
  EXPECT_FALSE(whole.line_is_key());
  EXPECT_EQ(made(whole, {"one", "", " Two"}), (Lines{"one|", "|", " Two|"}));
  KeyMaker folded({.trim = true, .ignore_case = true}, {}, KeyPurpose::kName,
                  std::make_shared<BarredParts>(1));
  EXPECT_EQ(made(folded, {" Two "}), (Lines{"two|"}));
  KeyPlace second_and_first;
  second_and_first.fields = *parse_field_list("2,1");
  KeyMaker pair({.trim = true, .parts = 2}, second_and_first, KeyPurpose::kName,
                std::make_shared<BarredParts>(2));
  EXPECT_EQ(made(pair, {"a\t B ", "c\td"}), (Lines{"B|a|", "d|c|"}));
  Lines keys;
  const Lines with_bad = {"a\tb", "bad\tb"};
  const Status refused = pair.make(with_bad, 10, keys);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().to_string().find("line 11"), std::string::npos) << refused.error().to_string();
  EXPECT_EQ(keys, (Lines{"b|a|"}));
}

TEST(KeyMaker, ATypeChecksTheBytesOfAnotherForm) {
  KeyMaker hex({.form = KeyForm::kHex}, {}, KeyPurpose::kName, std::make_shared<BarredParts>(2));
  EXPECT_EQ(made(hex, {"4142", "4344"}), (Lines{"AB", "CD"}));
  Lines keys;
  const Lines short_one = {"41"};
  EXPECT_FALSE(hex.make(short_one, 1, keys));
}

TEST(KeyMaker, ManyKeysOfOneBatchStayWhole) {
  KeyMaker maker({.form = KeyForm::kInt32}, {});
  std::vector<std::string> text;
  for (int i = 0; i < 5000; ++i) {
    text.push_back(std::to_string(i));
  }
  const Lines keys = made(maker, {text.begin(), text.end()});
  for (std::size_t i = 0; i < keys.size(); ++i) {
    KeyWriter expected;
    append_key(expected, static_cast<std::int32_t>(i));
    ASSERT_EQ(keys[i], std::string_view(reinterpret_cast<const char*>(expected.bytes().data()), 4));
  }
}

TEST(KeyMaker, ABadKeyIsNamedByItsLineAndLeavesNothingBehind) {
  KeyMaker maker({.form = KeyForm::kHex}, {});
  Lines keys;
  const Status refused = maker.make(Lines{"aa", "bx"}, 7, keys);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().subject().starts_with("line 8: ")) << refused.error().to_string();
  EXPECT_EQ(keys, Lines{"\xaa"}) << "the keys before it";
  EXPECT_EQ(made(maker, {"41"}), Lines{"A"});
}

}  // namespace
}  // namespace bloomery
