// Canonical URLs: the equivalences that RFC 3986 and RFC 3987 publish, the options, what is no URL, and that
// the canonical form is its own.
#include "keys/url/canonical_url.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using Found = std::optional<std::string>;
using Letters = UrlCanonicalizer::Letters;

Found canonical(std::string_view url, const UrlOptions& options = {}, Letters letters = Letters::kAsTheyAre) {
  UrlCanonicalizer urls(options, letters);
  const std::optional<std::string_view> found = urls.canonical(url);
  return found ? Found(*found) : std::nullopt;
}

struct Example {
  const char* url;
  const char* expected;
};

void expect_all(std::initializer_list<Example> examples, const UrlOptions& options = {},
                Letters letters = Letters::kAsTheyAre) {
  for (const auto& [url, expected] : examples) {
    EXPECT_EQ(canonical(url, options, letters), expected) << url;
    EXPECT_EQ(canonical(expected, options, letters), expected) << url;
  }
}

// RFC 3986, sections 1.1.2 and 3.
TEST(CanonicalUrl, TheRfcsExamplesAreCanonical) {
  for (const char* const url :
       {"ftp://ftp.is.co.za/rfc/rfc1808.txt", "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one", "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix", "tel:+1-816-555-1212", "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2", "urn:example:animal:ferret:nose",
        "foo://example.com:8042/over/there?name=ferret"}) {
    EXPECT_EQ(canonical(url), url);
  }
}

// RFC 3986, sections 6.2.2 and 6.2.3.
TEST(CanonicalUrl, TheRfcsEquivalences) {
  expect_all({{"HTTP://www.EXAMPLE.com/", "http://www.example.com/"},
              {"eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"},
              {"example://a/b/c/%7Bfoo%7D", "example://a/b/c/%7Bfoo%7D"},
              {"http://example.com", "http://example.com/"},
              {"http://example.com/", "http://example.com/"},
              {"http://example.com:/", "http://example.com/"},
              {"http://example.com:80/", "http://example.com/"}});
}

// Section 6.2.3: not equivalent by syntax alone, nor are these of sections 6.2.4 and 7.6.
TEST(CanonicalUrl, WhatTheRfcKeepsApartStaysApart) {
  expect_all({{"http://example.com/?", "http://example.com/?"},
              {"http://example.com/data", "http://example.com/data"},
              {"http://example.com/data/", "http://example.com/data/"},
              {"http://example.com/DATA", "http://example.com/DATA"},
              {"http://@example.com/", "http://@example.com/"},
              {"http://example.com/a%2Fb", "http://example.com/a%2Fb"},
              {"http://example.com/a//b", "http://example.com/a//b"},
              {"ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm",
               "ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm"}});
}

// RFC 3986, section 2.5: characters of other scripts are encoded as UTF-8.
TEST(CanonicalUrl, TheRfcsCharacters) {
  expect_all({{"http://a/A\xc3\x80", "http://a/A%C3%80"}, {"http://a/\xe3\x82\xa2", "http://a/%E3%82%A2"}});
}

// RFC 3987, sections 3.1, 3.2 and 5.3.2.
TEST(CanonicalUrl, TheExamplesOfRfc3987) {
  expect_all(
      {{"http://www.example.org/red%09ros\xc3\xa9#red", "http://www.example.org/red%09ros%C3%A9"},
       {"http://example.com/\xf0\x90\x8c\x80\xf0\x90\x8c\x81\xf0\x90\x8c\x82",
        "http://example.com/%F0%90%8C%80%F0%90%8C%81%F0%90%8C%82"},
       {"http://r\xc3\xa9sum\xc3\xa9.example.org", "http://xn--rsum-bpad.example.org/"},
       {"http://www.example.org/D%C3%BCrst", "http://www.example.org/D%C3%BCrst"},
       {"http://www.example.org/D%FCrst", "http://www.example.org/D%FCrst"},
       {"http://xn--99zt52a.example.org/%e2%80%ae", "http://xn--99zt52a.example.org/%E2%80%AE"},
       {"http://\xe7\xb4\x8d\xe8\xb1\x86.example.org/%e2%80%ae", "http://xn--99zt52a.example.org/%E2%80%AE"},
       {"eXAMPLE://a/./b/../b/%63/%7bfoo%7d/ros%C3%A9", "example://a/b/c/%7Bfoo%7D/ros%C3%A9"},
       {"example://a/b/c/%7Bfoo%7D/ros\xc3\xa9", "example://a/b/c/%7Bfoo%7D/ros%C3%A9"},
       {"http://example.org/~user", "http://example.org/~user"},
       {"http://example.org/%7euser", "http://example.org/~user"}});
}

TEST(CanonicalUrl, PortsAreNumbers) {
  expect_all({{"http://a:8080", "http://a:8080/"},
              {"http://a:00080/", "http://a/"},
              {"http://a:0008080/", "http://a:8080/"},
              {"http://a:0000", "http://a:0/"},
              {"http://a:65535/", "http://a:65535/"},
              {"https://a:443/", "https://a/"},
              {"https://a:80/", "https://a:80/"},
              {"ftp://a:21/", "ftp://a/"},
              {"ws://a:80/", "ws://a/"},
              {"wss://a:443/", "wss://a/"},
              {"gopher://a:70/", "gopher://a:70/"},
              {"gopher://a:/", "gopher://a/"},
              {"http://[::1]:80", "http://[::1]/"},
              {"foo://:5", "foo://:5/"}});
  for (const char* const bad :
       {"http://a:65536/", "http://a:99999999999999999999/", "http://a:8a/", "http://a:-1/", "http://a:+80/",
        "http://a: 80/", "http://a:80:80/", "http://a:%38/"}) {
    EXPECT_EQ(canonical(bad), std::nullopt) << bad;
  }
}

TEST(CanonicalUrl, EncodedDotsAreDots) {
  expect_all({{"http://a/b/%2e%2E/c", "http://a/c"},
              {"http://a/.%2e/%2e/c/%2e", "http://a/c/"},
              {"http://a/b/.%2F/c", "http://a/b/.%2F/c"},
              {"http://a/?b/../c", "http://a/?b/../c"}});
}

TEST(CanonicalUrl, UserinfoKeepsItsLetters) {
  expect_all({{"http://User:P%61ss%3a@A/", "http://User:Pass%3A@a/"},
              {"http://u v@a", "http://u%20v@a/"},
              {"http://\xc3\xa4@a", "http://%C3%A4@a/"}});
  EXPECT_EQ(canonical("http://u@v@a/"), std::nullopt);
}

TEST(CanonicalUrl, WithoutAnAuthorityThePathIsKept) {
  expect_all({{"MailTo:A%62@B.Example?Subject=%7e", "mailto:Ab@B.Example?Subject=~"},
              {"URN:A:../b/./c", "urn:A:../b/./c"},
              {"data:text/plain,a b", "data:text/plain,a%20b"},
              {"foo:", "foo:"},
              {"foo:?", "foo:?"},
              {"file:/a/../b", "file:/b"},
              {"file:///a/./b", "file:///a/b"},
              {"foo://", "foo:///"},
              {"localhost:80/a/../b", "localhost:80/a/../b"}});
}

// RFC 3986, section 3.3: a path without an authority before it cannot begin with two slashes.
TEST(CanonicalUrl, APathDoesNotBecomeAnAuthority) {
  expect_all({{"foo:/a/..//b", "foo:/.//b"}, {"foo:/.//b", "foo:/.//b"}, {"foo:/%2e//b/..", "foo:/.//"}});
}

TEST(CanonicalUrl, FragmentsAreNotLookedAt) {
  expect_all({{"http://a/#", "http://a/"},
              {"http://a#%zz\x01\xff#", "http://a/"},
              {"http://a?b#c?d", "http://a/?b"},
              {"mailto:a#b", "mailto:a"}});
}

TEST(CanonicalUrl, OtherTextIsNoUrl) {
  for (const char* const text : {"",
                                 " ",
                                 "example.com",
                                 "/a/b",
                                 "//example.com/",
                                 "http",
                                 "http//a",
                                 "://a/",
                                 "http:",
                                 "http:/a",
                                 "http:a",
                                 "http://",
                                 "http:///a",
                                 "https://?q",
                                 "http://:80/",
                                 "http://u@/",
                                 "ftp:",
                                 "ws:/",
                                 "wss://",
                                 "http://a b/",
                                 "http://a/%",
                                 "http://a/%4",
                                 "http://a/%zz",
                                 "http://a/?%zz",
                                 "http://%zz/",
                                 "http://%u0041/",
                                 "http://a/\tb",
                                 "http://a/?\x7f",
                                 "http://u\x01@a/",
                                 "http://[::1",
                                 "http://[::1]x/",
                                 "http://a]/",
                                 "http://\xff/",
                                 " http://a/",
                                 "1http://a/",
                                 "h ttp://a/",
                                 "\xc3\xa4://a/",
                                 "http://a\\b/",
                                 "http://<a>/"}) {
    EXPECT_EQ(canonical(text), std::nullopt) << text;
  }
  EXPECT_EQ(canonical(std::string_view("http://a/\0", 10)), std::nullopt);
}

constexpr UrlOptions kBoth = {.sort_query = true, .drop_tracking = true};

TEST(CanonicalUrl, OptionsAreOfTheNormalQuery) {
  expect_all(
      {{"http://a?%62=2&a=1#f", "http://a/?a=1&b=2"}, {"http://a/?utm_source=x", "http://a/?utm_source=x"}},
      {.sort_query = true});
  expect_all({{"http://a?b=2&utm%5Fsource=x&a=1", "http://a/?b=2&a=1"},
              {"http://a/b?gclid=1", "http://a/b"},
              {"http://a/b?", "http://a/b?"},
              {"mailto:a?utm_id=1", "mailto:a"}},
             {.drop_tracking = true});
  expect_all({{"http://a/?b=2&fbclid=x&a=1", "http://a/?a=1&b=2"}}, kBoth);
}

TEST(CanonicalUrl, FoldingComesBeforeParametersAreCompared) {
  expect_all({{"http://U@A/B?B=1&a=2&%43=3#F", "http://u@a/b?a=2&b=1&c=3"},
              {"http://a/%4a%2FJ\xc3\x84", "http://a/j%2Fj%C3%84"},
              {"http://a/?UTM_Source=1", "http://a/"},
              {"MAILTO:A@B", "mailto:a@b"}},
             kBoth, Letters::kFolded);
}

TEST(CanonicalUrl, ACanonicalUrlIsNotCopied) {
  UrlCanonicalizer urls;
  for (const std::string url : {"http://a/", "https://www.example.com/a/b.html?c=d&E=(f)"}) {
    const std::optional<std::string_view> found = urls.canonical(url);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->data(), url.data());
  }
}

TEST(CanonicalUrl, LongOnesAreDone) {
  std::string path;
  for (int i = 0; i < 100'000; ++i) {
    path += "/a/..";
  }
  EXPECT_EQ(canonical("http://a" + path), "http://a/");
  EXPECT_EQ(canonical("http://a/?" + std::string(1'000'000, '&'), kBoth),
            "http://a/?" + std::string(1'000'000, '&'));
  EXPECT_EQ(canonical("http://" + std::string(100'000, 'A')), "http://" + std::string(100'000, 'a') + "/");
}

// -- Made-up URLs

class MadeUpUrls {
 public:
  explicit MadeUpUrls(std::uint64_t seed) : random_(seed) {}

  std::string url() {
    std::string made = one_of({"http", "HTTPS", "ftp", "wss", "Foo", "urn", "mailto", "a+b"}) + ":";
    if (random_() % 8 != 0) {
      made += "//" + one_of({"", "", "", "u@", "U:p%41@", "@"});
      made += one_of({"a", "EXAMPLE.com", "www.example.com", "example.org.",
                      "b\xc3\xbc"
                      "cher.example",
                      "%65xample.com", "[::1]", "[2001:DB8::0:1]", "192.0.2.1", "a_b-c",
                      "xn--bcher-kva.example", "", "%C3%A4", "%2f"});
      made += one_of({"", "", "", ":", ":80", ":443", ":08080", ":65536"});
      made += one_of({"", "/"});
    }
    for (std::uint64_t pieces = random_() % 8; pieces > 0; --pieces) {
      made += one_of({"a",   "B",   "/",          "/",      ".",        "..",   "/../", "/./",
                      "//",  "%2e", "%2F",        "%c3%A4", "\xc3\xa4", "\xff", " ",    "~",
                      "%7e", "%25", "index.html", ":",      "@",        ";x=1", "[]",   "|"});
    }
    if (random_() % 2 == 0) {
      made += "?";
      for (std::uint64_t pieces = random_() % 8; pieces > 0; --pieces) {
        made += one_of({"a=1", "b", "&", "&", "&", "=", "?", "/", "utm_source=x", "gclid", "%26", "%3d",
                        "A=%41", " ", "/../"});
      }
    }
    return made + one_of({"", "", "", "#", "#f?g#"});
  }

  // Nearly all of it canonical.
  std::string plain() {
    std::string made =
        one_of({"http://", "https://"}) + one_of({"a", "www.example.com", "a-b.c_d", "192.0.2.1"}) + "/";
    for (std::uint64_t pieces = random_() % 8; pieces > 0; --pieces) {
      made +=
          one_of({"a", "/", "b.html", "c/", "~", "-", ".", "?", "d=1", "&", "e", "utm_id=1", "F", ":", "@"});
    }
    return made;
  }

  std::string mutated(std::string text) {
    for (std::uint64_t changes = random_() % 4; changes > 0 && !text.empty(); --changes) {
      const std::size_t at = random_() % text.size();
      switch (random_() % 3) {
        case 0:
          text[at] = static_cast<char>(random_());
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, one_of({"%", "/", ":", "@", "?", "&", ".", "[", "]", "\\", "%2", "\xc2\xad",
                                  "\xef\xbc\x8f"}));
      }
    }
    return text;
  }

 private:
  std::string one_of(std::initializer_list<const char*> choices) {
    return choices.begin()[random_() % choices.size()];
  }

  std::mt19937_64 random_;
};

// What every canonical form is, whatever it was made of.
void expect_canonical(const std::string& form, const UrlOptions& options, Letters letters) {
  EXPECT_EQ(form.find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:/?@[]%"),
            std::string::npos);
  EXPECT_EQ(canonical(form, options, letters), form);
  const std::optional<UrlParts> parts = split_url(form);
  ASSERT_TRUE(parts);
  EXPECT_FALSE(parts->fragment);
  EXPECT_FALSE(parts->authority && !parts->path.starts_with('/'));
}

TEST(CanonicalUrl, TheCanonicalFormIsItsOwn) {
  constexpr std::uint64_t kSeed = 20261121;
  MadeUpUrls made_up(kSeed);
  int urls = 0;
  constexpr int kRounds = 60'000;
  for (int i = 0; i < kRounds; ++i) {
    const UrlOptions options = {.sort_query = i % 2 == 1, .drop_tracking = i % 4 >= 2};
    const Letters letters = i % 8 >= 4 ? Letters::kFolded : Letters::kAsTheyAre;
    const std::string url = i % 3 == 0 ? made_up.mutated(made_up.url()) : made_up.url();
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", round " + std::to_string(i) + ": " + url);
    if (const Found form = canonical(url, options, letters)) {
      ++urls;
      expect_canonical(*form, options, letters);
      if (HasFatalFailure() || HasNonfatalFailure()) {
        return;
      }
    }
  }
  EXPECT_GT(urls, kRounds / 3);
  EXPECT_LT(urls, kRounds);
}

// A fragment keeps a URL from the short way that canonical ones take, and changes nothing else.
TEST(CanonicalUrl, TheShortWayGivesTheSame) {
  constexpr std::uint64_t kSeed = 20261122;
  MadeUpUrls made_up(kSeed);
  int short_ways = 0;
  for (int i = 0; i < 60'000; ++i) {
    const UrlOptions options = {.sort_query = i % 2 == 1, .drop_tracking = i % 4 >= 2};
    const Letters letters = i % 8 >= 4 ? Letters::kFolded : Letters::kAsTheyAre;
    const std::string url = made_up.mutated(i % 3 == 0 ? made_up.url() : made_up.plain());
    UrlCanonicalizer urls(options, letters);
    const std::optional<std::string_view> found = urls.canonical(url);
    short_ways += found && found->data() == url.data() ? 1 : 0;
    ASSERT_EQ(found ? Found(*found) : std::nullopt, canonical(url + "#f", options, letters))
        << "seed " << kSeed << ", round " << i << ": " << url;
  }
  EXPECT_GT(short_ways, 5'000);
}

}  // namespace
}  // namespace bloomery
