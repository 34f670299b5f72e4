// Dot segments: the published examples of RFC 3986, through its own way of resolving a reference.
#include "keys/url/dot_segments.h"

#include <regex>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::string resolved(std::string path) {
  remove_dot_segments(path);
  return path;
}

// Section 5.2.4.
TEST(DotSegments, TheRfcsTwoRuns) {
  EXPECT_EQ(resolved("/a/b/c/./../../g"), "/a/g");
  EXPECT_EQ(resolved("mid/content=5/../6"), "mid/6");
}

TEST(DotSegments, EveryStep) {
  const std::pair<const char*, const char*> paths[] = {{"", ""},
                                                       {"/", "/"},
                                                       {".", ""},
                                                       {"..", ""},
                                                       {"./a", "a"},
                                                       {"../a", "a"},
                                                       {"/.", "/"},
                                                       {"/..", "/"},
                                                       {"/a/.", "/a/"},
                                                       {"/a/..", "/"},
                                                       {"/a/../..", "/"},
                                                       {"/../../a", "/a"},
                                                       {"/a//../b", "/a/b"},
                                                       {"/a/b/..", "/a/"},
                                                       {"/...", "/..."},
                                                       {"/.a/..b", "/.a/..b"},
                                                       {"/a./b..", "/a./b.."},
                                                       {"//", "//"},
                                                       {"/./", "/"},
                                                       {"/../", "/"},
                                                       {"a/..", "/"},
                                                       {"a/../b", "/b"},
                                                       {"/a/..//b", "//b"}};
  for (const auto& [path, expected] : paths) {
    EXPECT_EQ(resolved(path), expected) << path;
  }
}

TEST(DotSegments, WhatStandsBeforeThePathStays) {
  std::string text = "http://a/b/../../../c";
  remove_dot_segments(text, 8);
  EXPECT_EQ(text, "http://a/c");
}

// -- Section 5.2.2, as far as it goes for the base http://a/b/c/d;p?q

std::string merged(const std::string& reference_path) {
  return resolved(reference_path.starts_with('/') ? reference_path : "/b/c/" + reference_path);
}

std::string transformed(const std::string& reference) {
  static const std::regex pattern(R"(^(([^:/?#]+):)?(//([^/?#]*))?([^?#]*)(\?([^#]*))?(#(.*))?)");
  std::smatch match;
  EXPECT_TRUE(std::regex_match(reference, match, pattern));
  const std::string path = match[5];
  const std::string query = match[6];
  const std::string fragment = match[8];
  if (match[1].matched) {
    return match[1].str() + match[3].str() + resolved(path) + query + fragment;
  }
  if (match[3].matched) {
    return "http:" + match[3].str() + resolved(path) + query + fragment;
  }
  if (path.empty()) {
    return "http://a/b/c/d;p" + (match[6].matched ? query : "?q") + fragment;
  }
  return "http://a" + merged(path) + query + fragment;
}

// Section 5.4.1.
TEST(DotSegments, TheRfcsNormalExamples) {
  const std::pair<const char*, const char*> references[] = {{"g:h", "g:h"},
                                                            {"g", "http://a/b/c/g"},
                                                            {"./g", "http://a/b/c/g"},
                                                            {"g/", "http://a/b/c/g/"},
                                                            {"/g", "http://a/g"},
                                                            {"//g", "http://g"},
                                                            {"?y", "http://a/b/c/d;p?y"},
                                                            {"g?y", "http://a/b/c/g?y"},
                                                            {"#s", "http://a/b/c/d;p?q#s"},
                                                            {"g#s", "http://a/b/c/g#s"},
                                                            {"g?y#s", "http://a/b/c/g?y#s"},
                                                            {";x", "http://a/b/c/;x"},
                                                            {"g;x", "http://a/b/c/g;x"},
                                                            {"g;x?y#s", "http://a/b/c/g;x?y#s"},
                                                            {"", "http://a/b/c/d;p?q"},
                                                            {".", "http://a/b/c/"},
                                                            {"./", "http://a/b/c/"},
                                                            {"..", "http://a/b/"},
                                                            {"../", "http://a/b/"},
                                                            {"../g", "http://a/b/g"},
                                                            {"../..", "http://a/"},
                                                            {"../../", "http://a/"},
                                                            {"../../g", "http://a/g"}};
  for (const auto& [reference, expected] : references) {
    EXPECT_EQ(transformed(reference), expected) << reference;
  }
}

// Section 5.4.2.
TEST(DotSegments, TheRfcsAbnormalExamples) {
  const std::pair<const char*, const char*> references[] = {{"../../../g", "http://a/g"},
                                                            {"../../../../g", "http://a/g"},
                                                            {"/./g", "http://a/g"},
                                                            {"/../g", "http://a/g"},
                                                            {"g.", "http://a/b/c/g."},
                                                            {".g", "http://a/b/c/.g"},
                                                            {"g..", "http://a/b/c/g.."},
                                                            {"..g", "http://a/b/c/..g"},
                                                            {"./../g", "http://a/b/g"},
                                                            {"./g/.", "http://a/b/c/g/"},
                                                            {"g/./h", "http://a/b/c/g/h"},
                                                            {"g/../h", "http://a/b/c/h"},
                                                            {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
                                                            {"g;x=1/../y", "http://a/b/c/y"},
                                                            {"g?y/./x", "http://a/b/c/g?y/./x"},
                                                            {"g?y/../x", "http://a/b/c/g?y/../x"},
                                                            {"g#s/./x", "http://a/b/c/g#s/./x"},
                                                            {"g#s/../x", "http://a/b/c/g#s/../x"},
                                                            {"http:g", "http:g"}};
  for (const auto& [reference, expected] : references) {
    EXPECT_EQ(transformed(reference), expected) << reference;
  }
}

}  // namespace
}  // namespace bloomery
