// A plain URL is read by browsers as it stands: leaving out the second reading loses no question of a block list.
#include "keys/url/browser_url.h"

#include <iterator>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "keys/url/canonical_url.h"
#include "keys/url/url_expressions.h"

namespace bloomery {
namespace {

// The host, path and query of a URL; empty if it is none.
std::string expression_of(std::string_view url) {
  UrlCanonicalizer urls;
  const auto canonical = urls.canonical(url);
  const auto cut = canonical ? UrlExpressions::cut(*canonical) : std::nullopt;
  return cut ? std::string(cut->host) + std::string(cut->path) + "?" + std::string(cut->query) : "";
}

TEST(BrowserUrl, APlainUrlIsReadAsItStands) {
  std::mt19937_64 random(37);
  constexpr std::string_view kPieces[] = {
      "http://", "https://", "HTTP://", "http:/", "a",     "B.c",      ".", "..",  "/",  "//", "\\",
      "?",       "#",        "@",       ":",      "80",    "0x7f",     "7", "%41", "%",  " ",  "\t",
      "\x01",    "-",        "_",       "x",      "[::1]", "\xc3\xbc", "&", "=",   "com"};
  int plain = 0;
  for (int round = 0; round < 400'000; ++round) {
    std::string text = round % 2 == 0 ? "http://" : "";
    for (std::uint64_t left = 1 + random() % 8; left > 0; --left) {
      text += kPieces[random() % std::size(kPieces)];
    }
    if (!is_plain_url(text)) {
      continue;
    }
    const bool has_scheme = text.starts_with("http://") || text.starts_with("https://");
    const std::string as_it_stands = expression_of(has_scheme ? text : "http://" + text);
    if (!as_it_stands.empty()) {  // otherwise the browser's reading is asked
      ++plain;
      ASSERT_EQ(expression_of(browser_url(text).value_or("")), as_it_stands)
          << "seed 37, round " << round << ": " << text;
    }
  }
  EXPECT_GT(plain, 10'000);
}

}  // namespace
}  // namespace bloomery
