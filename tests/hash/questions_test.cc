// Questions: those of addresses and names at given levels, the level keys, and that a text's questions have the key of
// every entry that stands for it.
#include "bloomery/hash/questions.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hash/domain_name.h"
#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

constexpr KeyTreatment kCidr = {.form = KeyForm::kCidr};
constexpr KeyTreatment kDomain = {.form = KeyForm::kDomainSuffix};

std::string formed_key(std::string_view text, const KeyTreatment& treatment) {
  KeyWriter writer;
  const Status appended = append_formed(writer, text, treatment);
  EXPECT_TRUE(appended) << text;
  return text_of(writer.bytes());
}

std::vector<std::string> questions_of(std::string_view text, const KeyTreatment& treatment,
                                      const KeyLevels& levels) {
  KeyWriter writer;
  std::vector<std::size_t> ends;
  const Status asked = append_questions(writer, ends, text, treatment, levels);
  EXPECT_TRUE(asked) << (asked ? "" : asked.error().to_string());
  std::vector<std::string> keys;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    keys.push_back(text_of(writer.bytes().subspan(begin, end - begin)));
    begin = end;
  }
  return keys;
}

std::vector<std::string> keys_of(const std::vector<std::string>& entries, const KeyTreatment& treatment) {
  std::vector<std::string> keys;
  for (const std::string& entry : entries) {
    keys.push_back(formed_key(entry, treatment));
  }
  return keys;
}

KeyLevels levels_of(const std::vector<std::string>& entries, const KeyTreatment& treatment) {
  KeyLevels levels;
  for (const std::string& entry : entries) {
    KeyWriter writer;
    EXPECT_TRUE(append_formed(writer, entry, treatment));
    levels.add(*KeyLevels::of_key(treatment.form, writer.bytes()));
  }
  return levels;
}

TEST(Questions, AnAddressAsksForTheNetworksThatHoldIt) {
  const KeyLevels levels = levels_of({"10.0.0.0/8", "1.2.3.0/24", "1.2.3.4", "2001:db8::/32"}, kCidr);
  EXPECT_EQ(questions_of("10.1.2.3", kCidr, levels),
            keys_of({"10.0.0.0/8", "10.1.2.0/24", "10.1.2.3"}, kCidr));
  EXPECT_EQ(questions_of("10.1.0.0/16", kCidr, levels), keys_of({"10.0.0.0/8"}, kCidr));
  EXPECT_EQ(questions_of("10.1.2.0/24", kCidr, levels), keys_of({"10.0.0.0/8", "10.1.2.0/24"}, kCidr));
  EXPECT_EQ(questions_of("10.0.0.0/7", kCidr, levels), keys_of({}, kCidr));
  EXPECT_EQ(questions_of("2001:db8:1::1", kCidr, levels), keys_of({"2001:db8::/32"}, kCidr));
}

TEST(Questions, AMappedAddressAsksInBothFamilies) {
  const KeyLevels levels = levels_of({"10.0.0.0/8", "::/0", "2001:db8::/32", "2001:db8::1"}, kCidr);
  EXPECT_EQ(questions_of("::ffff:10.1.2.3", kCidr, levels), keys_of({"10.0.0.0/8", "::/0", "::/32"}, kCidr));
  EXPECT_EQ(questions_of("10.1.2.3", kCidr, levels), keys_of({"10.0.0.0/8"}, kCidr));
}

TEST(Questions, AHostNameAsksForItsParents) {
  const KeyLevels levels = levels_of({"com", "example.com", "a.b.example.com"}, kDomain);
  EXPECT_EQ(questions_of("X.A.B.Example.COM.", kDomain, levels),
            keys_of({"com", "example.com", "a.b.example.com"}, kDomain));
  EXPECT_EQ(questions_of("b.example.com", kDomain, levels), keys_of({"com", "example.com"}, kDomain));
  EXPECT_EQ(questions_of("localhost", kDomain, levels), keys_of({"localhost"}, kDomain));
  for (const char* const address : {"1.2.3.4", "[::1]", "::1"}) {
    EXPECT_EQ(questions_of(address, kDomain, levels), std::vector<std::string>()) << address;
  }
}

TEST(Questions, TextIsTrimmedAndRefusedAsEntriesAre) {
  const KeyLevels levels = KeyLevels::all_of(KeyForm::kCidr);
  KeyTreatment trimming = kCidr;
  trimming.trim = true;
  EXPECT_EQ(questions_of(" 10.1.2.3\t", trimming, levels), questions_of("10.1.2.3", kCidr, levels));
  EXPECT_EQ(questions_of("10.1.2.3", kCidr, levels).size(), 33u);
  EXPECT_EQ(questions_of("::1", kCidr, levels).size(), 129u);
  KeyWriter writer;
  std::vector<std::size_t> ends;
  EXPECT_FALSE(append_questions(writer, ends, "10.1.2.3/8", kCidr, levels));
  EXPECT_TRUE(append_questions(writer, ends, "10.1.2.3/8", kCidr, levels, HostBits::kMask));
  EXPECT_FALSE(append_questions(writer, ends, "10.1.2", kCidr, levels));
  EXPECT_FALSE(append_questions(writer, ends, "a..b", kDomain, levels));
  EXPECT_FALSE(append_questions(writer, ends, "a", KeyTreatment(), levels));
}

TEST(KeyLevels, NoLevelKeyIsAKeyOfAnEntryOrOfAnotherLevel) {
  for (const KeyForm form : {KeyForm::kCidr, KeyForm::kDomainSuffix}) {
    std::set<std::string> keys;
    KeyLevels::all_of(form).for_each([&](std::size_t level) {
      KeyWriter writer;
      append_level_key(writer, form, level);
      EXPECT_EQ(writer.bytes().size(), 2u);
      EXPECT_TRUE(keys.insert(text_of(writer.bytes())).second) << level;
    });
    EXPECT_EQ(keys.size(), form == KeyForm::kCidr ? 162u : 127u);
  }
  // A network's key has 6 or 18 bytes, and a name of two letters none that is 0.
  EXPECT_EQ(formed_key("ab", kDomain), "ab");
  EXPECT_TRUE(KeyLevels::all_of(KeyForm::kUrlPrefix).empty());
}

TEST(KeyLevels, CountTheMostQuestionsAndAreShown) {
  const KeyLevels networks =
      levels_of({"10.0.0.0/8", "1.2.3.0/24", "::/0", "2001:db8::/32", "2001:db8::1"}, kCidr);
  EXPECT_EQ(most_questions(KeyForm::kCidr, networks), 3u);
  EXPECT_EQ(describe(KeyForm::kCidr, networks), "IPv4 /8 /24, IPv6 /0 /32 /128");
  const KeyLevels names = levels_of({"com", "b.com", "c.com", "a.b.c.com"}, kDomain);
  EXPECT_EQ(most_questions(KeyForm::kDomainSuffix, names), 3u);
  EXPECT_EQ(describe(KeyForm::kDomainSuffix, names), "1, 2 and 4 labels");
  EXPECT_EQ(describe(KeyForm::kDomainSuffix, levels_of({"com"}, kDomain)), "1 label");
  EXPECT_EQ(describe(KeyForm::kDomainSuffix, {}), "");
  EXPECT_EQ(most_questions(KeyForm::kUrlPrefix, {}), 30u);
  EXPECT_EQ(most_questions(KeyForm::kText, {}), 1u);
}

// The levels of every entry are found in its key, whatever its length.
TEST(KeyLevels, EveryPrefixLengthAndLabelCountIsALevel) {
  for (unsigned length = 0; length <= 128; ++length) {
    const std::string network = "::/" + std::to_string(length);
    EXPECT_EQ(levels_of({network}, kCidr).has(33 + length), true) << network;
    if (length <= 32) {
      EXPECT_EQ(levels_of({"0.0.0.0/" + std::to_string(length)}, kCidr).has(length), true) << length;
    }
  }
  std::string name = "a";
  for (std::size_t labels = 1; labels <= DomainName::kMostLabels; ++labels, name += ".a") {
    EXPECT_EQ(levels_of({name}, kDomain).has(labels), true) << labels;
    EXPECT_EQ(levels_of({name}, kDomain).count(), 1u);
  }
}

}  // namespace
}  // namespace bloomery
