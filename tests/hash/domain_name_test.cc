// Domain names: their one spelling, their suffixes, and what is refused and where.
#include "bloomery/hash/domain_name.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::string spelled(std::string_view text) {
  const Result<DomainName> name = DomainName::parse(text);
  return name ? name->text() : name.error().to_string();
}

TEST(DomainName, HasOneSpelling) {
  EXPECT_EQ(spelled("WWW.Example.COM."), "www.example.com");
  EXPECT_EQ(spelled("localhost"), "localhost");
  EXPECT_EQ(spelled("_dmarc.a-b.x1"), "_dmarc.a-b.x1");
  EXPECT_EQ(spelled("XN--BCHER-KVA.de"), "xn--bcher-kva.de");
  EXPECT_EQ(spelled("1.2.3.4.in-addr.arpa"), "1.2.3.4.in-addr.arpa");
}

TEST(DomainName, SuffixesAreOfLabels) {
  const Result<DomainName> name = DomainName::parse("a.bc.d.example");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->label_count(), 4u);
  EXPECT_EQ(name->suffix(4), "a.bc.d.example");
  EXPECT_EQ(name->suffix(3), "bc.d.example");
  EXPECT_EQ(name->suffix(2), "d.example");
  EXPECT_EQ(name->suffix(1), "example");
}

TEST(DomainName, LabelsAndNamesHaveTheirLargestSizes) {
  const std::string label(63, 'a');
  const std::string longest = label + "." + label + "." + label + "." + std::string(61, 'b');
  ASSERT_EQ(longest.size(), 253u);
  EXPECT_EQ(spelled(longest + "."), longest);
  EXPECT_FALSE(DomainName::parse(longest + "b"));
  EXPECT_FALSE(DomainName::parse(label + "a.com"));
  std::string most = "a";
  for (std::size_t i = 1; i < DomainName::kMostLabels; ++i) {
    most += ".a";
  }
  const Result<DomainName> name = DomainName::parse(most);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->label_count(), 127u);
  EXPECT_EQ(name->suffix(1), "a");
  EXPECT_FALSE(DomainName::parse(most + ".a"));
}

TEST(DomainName, WhatIsNoneIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> kRefused = {
      {"", "expected a label at byte 0"},
      {".", "expected a label at byte 0"},
      {"a..b", "expected a label at byte 2"},
      {".example.com", "expected a label at byte 0"},
      {"example.com..", "expected a label at byte 12"},
      {"*.example.com", "expected a name without *"},
      {"a*.example.com", "expected a letter, digit, - or _ at byte 1"},
      {"http://example.com", "expected a letter, digit, - or _ at byte 4"},
      {"example.com:443", "expected a letter, digit, - or _ at byte 11"},
      {"exa mple.com", "expected a letter, digit, - or _ at byte 3"},
      {"example.com/", "expected a letter, digit, - or _ at byte 11"},
      {std::string("a\0.com", 6), "expected a letter, digit, - or _ at byte 1"},
      {"1.2.3.4", "expected a domain name, not an address"},
      {"2001:db8::1", "expected a domain name, not an address"},
      {"[2001:db8::1]", "expected a domain name, not an address"},
      {"1.2.3", "expected a last label that is no number at byte 4"},
      {"010.0.0.1", "expected a last label that is no number at byte 8"},
      {"example.1.", "expected a last label that is no number at byte 8"},
  };
  for (const auto& [text, expected] : kRefused) {
    const Result<DomainName> name = DomainName::parse(text);
    ASSERT_FALSE(name) << text;
    EXPECT_EQ(name.error().code(), ErrorCode::kInvalidArgument) << text;
    EXPECT_EQ(name.error().subject(), "key form domain-suffix");
    EXPECT_TRUE(name.error().detail().starts_with(expected)) << text << ": " << name.error().detail();
  }
  const Result<DomainName> international = DomainName::parse(
      "b\xc3\xbc"
      "cher.example");
  ASSERT_FALSE(international);
  EXPECT_EQ(international.error().code(), ErrorCode::kUnsupported);
  EXPECT_EQ(international.error().offset(), 1u);
}

TEST(DomainName, AddressesAreLiterals) {
  for (const char* const address : {"1.2.3.4", "::1", "[::1]", "::ffff:1.2.3.4", "[2001:db8::1.2.3.4]"}) {
    EXPECT_TRUE(is_address_literal(address)) << address;
  }
  for (const char* const other :
       {"", "a", "1.2.3", "[1.2.3.4]", "[]", "[::1", "::1]", "1.2.3.4/32", "1.2.3.4."}) {
    EXPECT_FALSE(is_address_literal(other)) << other;
  }
}

}  // namespace
}  // namespace bloomery
