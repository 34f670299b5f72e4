// Queries taken apart: in order, and without tracking parameters.
#include "keys/url/url_query.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

constexpr UrlOptions kSorted = {.sort_query = true};
constexpr UrlOptions kDropped = {.drop_tracking = true};

std::string arranged(const std::string& query, const UrlOptions& options) {
  std::string url = "http://a/?" + query;
  UrlQuery().arrange(url, 9, options);
  return url.substr(9);
}

TEST(UrlQuery, ParametersAreSortedByNameThenValue) {
  const std::pair<const char*, const char*> queries[] = {
      {"", "?"},
      {"b=2&a=1", "?a=1&b=2"},
      {"a=2&a=10&a=1", "?a=1&a=10&a=2"},
      {"a-b=1&a=2", "?a=2&a-b=1"},  // as whole texts they are in order: "-" comes before "="
      {"a=&a&a", "?a&a&a="},
      {"a=b=c&a=b", "?a=b&a=b=c"},
      {"b&&a&", "?&&a&b"},
      {"B&a&%C3%A4&~", "?%C3%A4&B&a&~"},
      {"b;a=1", "?b;a=1"}};
  for (const auto& [query, expected] : queries) {
    EXPECT_EQ(arranged(query, kSorted), expected) << query;
  }
}

TEST(UrlQuery, AnyOrderBecomesOne) {
  std::vector<std::string> parameters = {"", "a", "a=", "a=1", "a=1=2", "b"};
  int orders = 0;
  do {
    std::string query;
    for (const std::string& parameter : parameters) {
      query.append(parameter).append("&");
    }
    query.pop_back();
    ASSERT_EQ(arranged(query, kSorted), "?&a&a=&a=1&a=1=2&b");
    ++orders;
  } while (std::ranges::next_permutation(parameters).found);
  EXPECT_EQ(orders, 720);
}

TEST(UrlQuery, TrackingParametersAreDropped) {
  const std::pair<const char*, const char*> queries[] = {
      {"", "?"},
      {"a=1&utm_source=x&b=2", "?a=1&b=2"},
      {"utm_source=x&utm_medium=y", ""},
      {"gclid", ""},
      {"fbclid=1&", "?"},
      {"b&utm_&a", "?b&a"},
      {"x=utm_source&xgclid=1&gclid2=3&utm=1&Gclid=4", "?x=utm_source&xgclid=1&gclid2=3&utm=1&Gclid=4"},
      {"a&&b", "?a&&b"}};
  for (const auto& [query, expected] : queries) {
    EXPECT_EQ(arranged(query, kDropped), expected) << query;
  }
}

TEST(UrlQuery, BothTogether) {
  EXPECT_EQ(arranged("c=3&utm_id=1&a=1&msclkid=9&b=2", {.sort_query = true, .drop_tracking = true}),
            "?a=1&b=2&c=3");
}

TEST(UrlQuery, WhatStandsBeforeTheQueryStays) {
  std::string url = "http://b&a/?z&y";
  UrlQuery query;
  query.arrange(url, 11, kSorted);
  EXPECT_EQ(url, "http://b&a/?y&z");
  url = "http://b&a/?d&c";  // the memory of the last call is not seen
  query.arrange(url, 11, kSorted);
  EXPECT_EQ(url, "http://b&a/?c&d");
}

}  // namespace
}  // namespace bloomery
