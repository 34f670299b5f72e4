// The host and path expressions of URLs: those that the documentation of Safe Browsing and the tests of its client list,
// as facts.
#include "keys/url/url_expressions.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "keys/url/canonical_url.h"

namespace bloomery {
namespace {

std::vector<std::string> expressions(const std::string& url) {
  UrlCanonicalizer urls;
  const std::optional<std::string_view> canonical = urls.canonical(url);
  const std::optional<UrlExpressions> cut = canonical ? UrlExpressions::cut(*canonical) : std::nullopt;
  std::vector<std::string> all;
  if (cut) {
    cut->for_each([&all](std::string_view host, std::string_view path, std::string_view query) {
      all.push_back(std::string(host) + std::string(path) + (query.empty() ? "" : "?") + std::string(query));
    });
  }
  return all;
}

void expect_set(const std::string& url, const std::set<std::string>& expected) {
  const std::vector<std::string> found = expressions(url);
  EXPECT_EQ(std::set<std::string>(found.begin(), found.end()), expected) << url;
  EXPECT_EQ(found.size(), expected.size()) << url << " asks twice";
}

// https://developers.google.com/safe-browsing/v4/urls-hashing, "Suffix/Prefix Expressions".
TEST(UrlExpressions, AreThoseOfTheDocumentation) {
  expect_set("http://a.b.c/1/2.html?param=1",
             {"a.b.c/1/2.html?param=1", "a.b.c/1/2.html", "a.b.c/", "a.b.c/1/", "b.c/1/2.html?param=1",
              "b.c/1/2.html", "b.c/", "b.c/1/"});
  expect_set("http://a.b.c.d.e.f.g/1.html",
             {"a.b.c.d.e.f.g/1.html", "a.b.c.d.e.f.g/", "c.d.e.f.g/1.html", "c.d.e.f.g/", "d.e.f.g/1.html",
              "d.e.f.g/", "e.f.g/1.html", "e.f.g/", "f.g/1.html", "f.g/"});
  expect_set("http://1.2.3.4/1/", {"1.2.3.4/1/", "1.2.3.4/"});
}

// github.com/google/safebrowsing, urls_test.go, where the client agrees with the documentation on hosts.
TEST(UrlExpressions, AreThoseOfTheClient) {
  expect_set("http://a.b.c/1/2/3/4/5/",
             {"a.b.c/1/2/3/4/5/", "a.b.c/1/2/3/", "a.b.c/1/2/", "a.b.c/1/", "a.b.c/", "b.c/1/2/3/4/5/",
              "b.c/1/2/3/", "b.c/1/2/", "b.c/1/", "b.c/"});
  expect_set("http://a.b.c.d.e/1.html", {"a.b.c.d.e/1.html", "a.b.c.d.e/", "b.c.d.e/1.html", "b.c.d.e/",
                                         "c.d.e/1.html", "c.d.e/", "d.e/1.html", "d.e/"});
  expect_set("http://b.c/1/2/3.html?param=1/2",
             {"b.c/1/2/3.html?param=1/2", "b.c/1/2/3.html", "b.c/1/2/", "b.c/1/", "b.c/"});
  expect_set("http://a.b/?", {"a.b/"});
  expect_set("http://[2001:470:1:18::114]/a/b",
             {"[2001:470:1:18::114]/a/b", "[2001:470:1:18::114]/a/", "[2001:470:1:18::114]/"});
  expect_set("http://1.2.3.4/a/b", {"1.2.3.4/a/b", "1.2.3.4/a/", "1.2.3.4/"});
  expect_set("http://b/", {"b/"});
  expect_set("http://a.com/a/b/c/d/e.html?123", {"a.com/", "a.com/a/", "a.com/a/b/", "a.com/a/b/c/",
                                                 "a.com/a/b/c/d/e.html", "a.com/a/b/c/d/e.html?123"});
}

TEST(UrlExpressions, LeaveOutSchemePortUserAndTheDotAtTheEnd) {
  const std::vector<std::string> plain = expressions("http://evil.example/x");
  EXPECT_EQ(plain.front(), "evil.example/x");
  for (const char* const url : {"https://evil.example/x", "http://evil.example.:8080/x#top",
                                "ftp://user:secret@EVIL.example/x", "http://evil.example/./x"}) {
    EXPECT_EQ(expressions(url), plain) << url;
  }
  EXPECT_TRUE(expressions("mailto:a@b").empty());
  EXPECT_TRUE(expressions("file:///etc/passwd").empty());
}

TEST(UrlExpressions, AreAtMostThirty) {
  EXPECT_EQ(expressions("http://a.b.c.d.e.f/1/2/3/4/5?q").size(), 30u);
}

TEST(UrlExpressions, SayWhatLiesTooDeep) {
  const auto deep = [](const std::string& url) { return UrlExpressions::cut(url)->lies_too_deep(); };
  EXPECT_FALSE(deep("http://a.b.c.d.e/1/2/3/"));
  EXPECT_TRUE(deep("http://a.b/1/2/3/4/"));
  EXPECT_FALSE(deep("http://a.b/1/2/3/4/5.html"));
  EXPECT_FALSE(deep("http://a.b/1/2/3/4/?q"));
  EXPECT_TRUE(deep("http://a.b.c.d.e.f/"));
  EXPECT_FALSE(deep("http://1.2.3.4/"));
}

}  // namespace
}  // namespace bloomery
