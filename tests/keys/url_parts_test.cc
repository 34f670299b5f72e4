// A URL in its components: the examples of RFC 3986, and its regular expression as a model.
#include "keys/url/url_parts.h"

#include <random>
#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using Text = std::optional<std::string_view>;

void expect_parts(std::string_view url, const UrlParts& expected) {
  SCOPED_TRACE(url);
  const std::optional<UrlParts> parts = split_url(url);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->scheme, expected.scheme);
  EXPECT_EQ(parts->authority, expected.authority);
  EXPECT_EQ(parts->path, expected.path);
  EXPECT_EQ(parts->query, expected.query);
  EXPECT_EQ(parts->fragment, expected.fragment);
}

// RFC 3986, section 3.
TEST(UrlParts, TheRfcsDrawing) {
  expect_parts("foo://example.com:8042/over/there?name=ferret#nose", {.scheme = "foo",
                                                                      .authority = "example.com:8042",
                                                                      .path = "/over/there",
                                                                      .query = "name=ferret",
                                                                      .fragment = "nose"});
  expect_parts("urn:example:animal:ferret:nose", {.scheme = "urn", .path = "example:animal:ferret:nose"});
}

// RFC 3986, section 1.1.2.
TEST(UrlParts, TheRfcsExamples) {
  expect_parts("ftp://ftp.is.co.za/rfc/rfc1808.txt",
               {.scheme = "ftp", .authority = "ftp.is.co.za", .path = "/rfc/rfc1808.txt"});
  expect_parts("ldap://[2001:db8::7]/c=GB?objectClass?one",
               {.scheme = "ldap", .authority = "[2001:db8::7]", .path = "/c=GB", .query = "objectClass?one"});
  expect_parts("mailto:John.Doe@example.com", {.scheme = "mailto", .path = "John.Doe@example.com"});
  expect_parts("news:comp.infosystems.www.servers.unix",
               {.scheme = "news", .path = "comp.infosystems.www.servers.unix"});
  expect_parts("tel:+1-816-555-1212", {.scheme = "tel", .path = "+1-816-555-1212"});
  expect_parts("telnet://192.0.2.16:80/", {.scheme = "telnet", .authority = "192.0.2.16:80", .path = "/"});
  expect_parts("urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
               {.scheme = "urn", .path = "oasis:names:specification:docbook:dtd:xml:4.1.2"});
}

TEST(UrlParts, AbsentAndEmptyAreDifferent) {
  expect_parts("a:", {.scheme = "a"});
  expect_parts("a://", {.scheme = "a", .authority = ""});
  expect_parts("a:?#", {.scheme = "a", .query = "", .fragment = ""});
  expect_parts("a:/b#?c", {.scheme = "a", .path = "/b", .fragment = "?c"});
  expect_parts("a://b?c/d", {.scheme = "a", .authority = "b", .query = "c/d"});
}

TEST(UrlParts, WithoutASchemeItIsNoUrl) {
  for (const char* const text :
       {"", ":", "a", "//a/b", "/a:b", "1a:b", "+a:b", "a b:c", "a_b:c", "?a:b", "\xc3\xa4:b", "%61:b"}) {
    EXPECT_FALSE(split_url(text)) << text;
  }
  EXPECT_TRUE(split_url("A1+-.:b"));
}

// RFC 3986, appendix B, asked about texts made of delimiters and little else.
TEST(UrlParts, AgreesWithTheRfcsRegularExpression) {
  static const std::regex pattern(R"(^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?)");
  constexpr std::uint64_t kSeed = 3986;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 20'000; ++i) {
    std::string url = "a:";
    for (std::uint64_t length = random() % 12; length > 0; --length) {
      url += ":/?#[]@a."[random() % 9];
    }
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ": " + url);
    std::smatch match;
    ASSERT_TRUE(std::regex_match(url, match, pattern));
    const std::string text[] = {match[2], match[4], match[5], match[7], match[9]};
    expect_parts(url, {.scheme = text[0],
                       .authority = match[3].matched ? Text(text[1]) : std::nullopt,
                       .path = text[2],
                       .query = match[6].matched ? Text(text[3]) : std::nullopt,
                       .fragment = match[8].matched ? Text(text[4]) : std::nullopt});
  }
}

void expect_authority(std::string_view authority, const UrlAuthority& expected) {
  SCOPED_TRACE(authority);
  const std::optional<UrlAuthority> parts = split_authority(authority);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->userinfo, expected.userinfo);
  EXPECT_EQ(parts->host, expected.host);
  EXPECT_EQ(parts->port, expected.port);
}

TEST(UrlAuthority, IsUserinfoHostAndPort) {
  expect_authority("example.com", {.host = "example.com"});
  expect_authority("example.com:", {.host = "example.com", .port = ""});
  expect_authority("", {});
  expect_authority(":80", {.port = "80"});
  expect_authority("@", {.userinfo = ""});
  expect_authority("u:p@[::1]:8080", {.userinfo = "u:p", .host = "[::1]", .port = "8080"});
  // RFC 3986, section 7.6: what stands before the "@" is no host.
  expect_authority("cnn.example.com&story=breaking_news@10.0.0.1",
                   {.userinfo = "cnn.example.com&story=breaking_news", .host = "10.0.0.1"});
}

TEST(UrlAuthority, ABracketIsClosedAndAPortFollows) {
  EXPECT_FALSE(split_authority("[::1"));
  EXPECT_FALSE(split_authority("[::1]80"));
  EXPECT_FALSE(split_authority("[::1][::2]"));
}

}  // namespace
}  // namespace bloomery
