// Keys of block lists as the command makes them: international names, public suffixes, URLs without a scheme; and that
// the first question of an entry's text is its key.
#include "keys/block_list_keys.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "keys/key_hasher.h"
#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

constexpr KeyTreatment kDomain = {.form = KeyForm::kDomainSuffix};
constexpr KeyTreatment kUrlPrefix = {.form = KeyForm::kUrlPrefix};

std::string entry(std::string_view text, const KeyTreatment& treatment, const EntryRules& rules = {},
                  KeyPurpose purpose = KeyPurpose::kInsert) {
  BlockListKeys keys(treatment, rules, purpose);
  KeyWriter writer;
  const Status appended = keys.append_entry(writer, text);
  return appended ? text_of(writer.bytes()) : appended.error().to_string();
}

std::vector<std::string> questions(std::string_view text, const KeyTreatment& treatment) {
  BlockListKeys keys(treatment, {}, KeyPurpose::kName);
  KeyWriter writer;
  std::vector<std::size_t> ends;
  EXPECT_TRUE(keys.append_questions(writer, ends, text, KeyLevels::all_of(treatment.form))) << text;
  std::vector<std::string> all;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    all.push_back(text_of(writer.bytes().subspan(begin, end - begin)));
    begin = end;
  }
  return all;
}

bool is_refused(const std::string& key) {
  return key.starts_with("key form ");
}

TEST(BlockListKeys, InternationalNamesAreAsciiKeys) {
  EXPECT_EQ(entry("B\xc3\x9c"
                  "cher.example",
                  kDomain),
            "xn--bcher-kva.example");
  EXPECT_EQ(questions("www.b\xc3\xbc"
                      "cher.example.",
                      kDomain),
            questions("www.xn--bcher-kva.example", kDomain));
  EXPECT_TRUE(is_refused(entry("b\xc3.example", kDomain)));
  EXPECT_TRUE(is_refused(entry("\xe2\x91\xa0\xef\xbc\x8f.example", kDomain)));  // maps to a solidus
}

TEST(BlockListKeys, PublicSuffixesAreNoEntriesUnlessTheyAreWanted) {
  for (const char* const suffix : {"com", "co.uk", "github.io", "CO.UK.", "unknown-suffix"}) {
    const std::string refused = entry(suffix, kDomain);
    EXPECT_TRUE(is_refused(refused)) << refused;
    EXPECT_NE(refused.find("--public-suffixes"), std::string::npos) << refused;
    EXPECT_FALSE(is_refused(entry(suffix, kDomain, {.public_suffix = PublicSuffix::kTake})));
    EXPECT_FALSE(
        is_refused(entry(suffix, kDomain, {}, KeyPurpose::kName)));  // asking and removing it is no harm
    EXPECT_TRUE(is_refused(entry(suffix, kUrlPrefix))) << suffix;
    EXPECT_FALSE(is_refused(entry(std::string(suffix) + "/x", kUrlPrefix))) << suffix;
  }
  for (const char* const name : {"example.com", "example.co.uk", "somebody.github.io"}) {
    EXPECT_EQ(entry(name, kDomain), name);
    EXPECT_EQ(entry(name, kUrlPrefix), std::string(name) + "/");
  }
}

// The list of suffixes says what may be in, never what is asked.
TEST(BlockListKeys, EveryParentIsAsked) {
  EXPECT_EQ(questions("a.example.co.uk", kDomain),
            (std::vector<std::string>{"uk", "co.uk", "example.co.uk", "a.example.co.uk"}));
  EXPECT_EQ(questions("1.2.3.4", kDomain), std::vector<std::string>());
}

TEST(BlockListKeys, UrlsMayLackTheirScheme) {
  EXPECT_EQ(entry("evil.example", kUrlPrefix), "evil.example/");
  EXPECT_EQ(entry("evil.example:8080/x", kUrlPrefix), "evil.example/x");
  EXPECT_EQ(entry("https://u@EVIL.example./a/../x?b#c", kUrlPrefix), "evil.example/x?b");
  EXPECT_EQ(entry("evil.example/x?to=http://other.example/", kUrlPrefix),
            "evil.example/x?to=http://other.example/");
  EXPECT_EQ(entry("1.2.3.4/x", kUrlPrefix), "1.2.3.4/x");
  for (const char* const bad :
       {"", "/x", "http://", "mailto:a@b", "http://a b/", "http://[::1/", "http:///x"}) {
    EXPECT_TRUE(is_refused(entry(bad, kUrlPrefix))) << bad;
  }
}

// An address or a name has one key, however a browser may be led to it.
TEST(BlockListKeys, ABlockedHostIsFoundInEverySpellingThatBrowsersTake) {
  for (const char* const address : {"3279880203", "0xc37f000b", "0XC37F000B", "0303.0177.0.013", "195.127.11",
                                    "195.8323083", "0xc3.127.0x0.013", "195.127.0.11.", "195.127.0.11..",
                                    "%31%39%35.127.0.11", "%2531%2539%2535.127.0.11", "[::ffff:195.127.0.11]",
                                    "[::FFFF:c37f:b]", "\xef\xbc\x91\xef\xbc\x99\xef\xbc\x95.127.0.11",
                                    "195\xe3\x80\x82"
                                    "127.0.11"}) {
    for (const std::string& url : {std::string(address) + "/x", "http://" + std::string(address) + "/x",
                                   "https://u@" + std::string(address) + ":8443/x?y#z"}) {
      const std::vector<std::string> asked = questions(url, kUrlPrefix);
      EXPECT_NE(std::ranges::find(asked, "195.127.0.11/"), asked.end()) << url;
    }
    EXPECT_EQ(entry(address, kUrlPrefix), "195.127.0.11/")
        << address;  // a list may have such a spelling, too
  }
  for (const char* const url : {"http:/evil.example/x",
                                "http:evil.example/x",
                                "http:\\\\evil.example\\x",
                                "http:///evil.example/x",
                                "//evil.example/x",
                                "\\\\evil.example\\x",
                                "https:/\\evil.example/x",
                                "http://good.example\\@evil.example/x",
                                "http://a@b@evil.example/x",
                                "http://good.example:80@evil.example/x",
                                "http://EVIL.example../x",
                                "http://.evil..example/x",
                                "http://evil.exam%70le/x",
                                "http://evil.exam%2570le/x",
                                "ht\ttp://ev\til.exa\nmple/x",
                                "\x01 http://evil.example/x \x1f",
                                "http://evil.example/%zz/x",
                                "http://evil.example/\x02",
                                "http://ev\xc2\xadil.example/x",
                                "HTTP:evil.example/x",
                                "http://evil.example:/x",
                                "http://evil.example?x"}) {
    const std::vector<std::string> asked = questions(url, kUrlPrefix);
    const bool led_away =
        std::string_view(url).starts_with("http://good.example\\");  // browsers end its host there
    EXPECT_NE(std::ranges::find(asked, "evil.example/"), asked.end()) << url;
    EXPECT_EQ(std::ranges::find(asked, "good.example/") != asked.end(), led_away) << url;
  }
}

// What no browser takes for an address is asked about as it stands.
TEST(BlockListKeys, ANumberThatIsNoAddressIsAName) {
  for (const char* const host :
       {"4294967296", "256.1.1.1", "1.2.3.256", "1.2.3.4.5", "08.1.1.1", "0x1g.1.1.1.0xg"}) {
    EXPECT_EQ(questions(host, kUrlPrefix).front(), std::string(host) + "/") << host;
    EXPECT_EQ(entry(host, kUrlPrefix, {}, KeyPurpose::kName), std::string(host) + "/") << host;
  }
  EXPECT_EQ(entry("0", kUrlPrefix), "0.0.0.0/");
  EXPECT_EQ(entry("0x", kUrlPrefix), "0.0.0.0/");
  EXPECT_EQ(entry("4294967295", kUrlPrefix), "255.255.255.255/");
}

// Filters that were built before browsers' spellings were known have the entry as it stands.
TEST(BlockListKeys, AnEntryOfAnOldFilterIsAskedForInItsOwnSpelling) {
  const std::vector<std::string> asked = questions("http://3279880203/x", kUrlPrefix);
  EXPECT_NE(std::ranges::find(asked, "3279880203/"), asked.end());
  EXPECT_EQ(questions("http://plain.example/x", kUrlPrefix).size(),
            2u);  // and no URL that has one spelling, twice
}

TEST(BlockListKeys, TheFirstQuestionOfAUrlIsItsKey) {
  for (const char* const url : {"evil.example", "http://a.b.c/1/2.html?q", "1.2.3.4/x/", "http://[::1]/"}) {
    EXPECT_EQ(questions(url, kUrlPrefix).front(), entry(url, kUrlPrefix)) << url;
  }
}

TEST(BlockListKeys, CaseAndBlanksAreTreatedAsRecorded) {
  KeyTreatment folded = kUrlPrefix;
  folded.ignore_case = true;
  folded.trim = true;
  EXPECT_EQ(entry(" evil.example/AbC ", folded), "evil.example/abc");
  EXPECT_EQ(questions(" evil.example/ABC\t", folded).front(), "evil.example/abc");
}

// Level keys come before the keys of their level, once for each.
TEST(BlockListKeys, AHasherPutsNewLevelsFirst) {
  const KeyTreatment cidr = {.form = KeyForm::kCidr};
  KeyHasher hasher({}, cidr, {}, KeyPurpose::kInsert);
  const std::vector<std::string_view> lines = {"10.0.0.0/8", "11.0.0.0/8", "::/32"};
  std::vector<Hash128> hashes;
  ASSERT_TRUE(hasher.hash(lines, 1, hashes));
  ASSERT_EQ(hashes.size(), 5u);
  EXPECT_EQ(hashes[0], level_hash(cidr.form, 8, {}));
  EXPECT_EQ(hashes[1], level_hash(cidr.form, 33 + 32, {}));
  ASSERT_TRUE(hasher.hash(lines, 4, hashes));
  EXPECT_EQ(hashes.size(), 3u);
  EXPECT_EQ(hasher.levels().count(), 2u);
  KeyHasher plain({}, cidr, {});
  ASSERT_TRUE(plain.hash(lines, 1, hashes));
  EXPECT_EQ(hashes.size(), 3u);
  // The lines before a bad one, with their levels, are there.
  KeyHasher stops({}, cidr, {}, KeyPurpose::kInsert);
  const std::vector<std::string_view> bad = {"10.0.0.0/8", "10.0.0.0/33"};
  const Status hashed = stops.hash(bad, 1, hashes);
  ASSERT_FALSE(hashed);
  EXPECT_NE(hashed.error().to_string().find("line 2"), std::string::npos);
  EXPECT_EQ(hashes.size(), 2u);
}

TEST(BlockListKeys, AHasherAsksTheQuestionsOfLinesThatAreNotLeftOut) {
  const KeyTreatment cidr = {.form = KeyForm::kCidr};
  KeyLevels levels;
  levels.add(8);
  levels.add(32);
  KeyHasher hasher({}, cidr, {.bad = BadLine::kSkip});
  hasher.ask_at(levels);
  const std::vector<std::string_view> lines = {"10.1.2.3", "no", "::1", "10.0.0.0/9"};
  HashedQuestions found;
  ASSERT_TRUE(hasher.ask(lines, 1, found));
  ASSERT_EQ(found.lines.size(), 3u);
  EXPECT_EQ(found.hashes.size(), 3u);
  EXPECT_EQ(found.lines[0].end - found.lines[0].begin, 2u);
  EXPECT_EQ(found.lines[1].end - found.lines[1].begin, 0u);
  EXPECT_EQ(found.lines[2].end - found.lines[2].begin, 1u);
  EXPECT_EQ(std::vector<std::uint32_t>(hasher.left_out().begin(), hasher.left_out().end()),
            std::vector<std::uint32_t>{1});
  EXPECT_EQ(hasher.tally().bad, 1u);
}

}  // namespace
}  // namespace bloomery
