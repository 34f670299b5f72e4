// Percent-encoding in its one spelling: what every byte becomes, alone and as a triplet.
#include "keys/url/percent_encoding.h"

#include <optional>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::optional<std::string> normalized(std::string_view text, std::uint8_t allowed = kPathCharacters) {
  std::string out = "before ";
  return append_normalized(out, text, allowed) ? std::optional(out.substr(7)) : std::nullopt;
}

std::string triplet(int byte, const char* digits) {
  return {'%', digits[byte >> 4], digits[byte & 15]};
}

// RFC 3986, sections 2.2 and 2.3: ALPHA, DIGIT and four marks are unreserved, eleven characters are
// sub-delims.
TEST(PercentEncoding, EveryByteAndEveryTriplet) {
  const std::string unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  const std::string in_path = unreserved + "!$&'()*+,;=:@/";
  for (int byte = 0; byte < 256; ++byte) {
    SCOPED_TRACE(byte);
    const std::string raw(1, static_cast<char>(byte));
    const std::string capitals = triplet(byte, "0123456789ABCDEF");
    const bool is_unreserved = byte != 0 && unreserved.find(raw) != std::string::npos;
    const std::string decoded = is_unreserved ? raw : capitals;
    EXPECT_EQ(normalized(capitals), decoded);
    EXPECT_EQ(normalized(triplet(byte, "0123456789abcdef")), decoded);
    if (byte < 0x20 || byte == 0x7f || byte == '%') {
      EXPECT_EQ(normalized(raw), std::nullopt);
    } else {
      EXPECT_EQ(normalized(raw), in_path.find(raw) != std::string::npos ? raw : capitals);
    }
  }
}

TEST(PercentEncoding, ComponentsAllowWhatTheRfcSays) {
  EXPECT_EQ(normalized("?", kPathCharacters), "%3F");
  EXPECT_EQ(normalized("a/?:@", kQueryCharacters), "a/?:@");
  EXPECT_EQ(normalized("a:/@?", kUserinfoCharacters), "a:%2F%40%3F");
}

TEST(PercentEncoding, ATripletIsDecodedOnce) {
  EXPECT_EQ(normalized("%2541"), "%2541");
  EXPECT_EQ(normalized("%25%34%31"), "%2541");
  EXPECT_EQ(normalized("%7esmith/%7Esmith/~smith"), "~smith/~smith/~smith");  // RFC 3986, section 2.3
}

TEST(PercentEncoding, APercentSignHasTwoDigits) {
  for (const char* const text : {"%", "%4", "%g0", "%0g", "%%41", "a%", "a%zz", "%+1", "% 1", "%u0041"}) {
    EXPECT_EQ(normalized(text), std::nullopt) << text;
  }
}

// Not decoded as UTF-8, valid or not.
TEST(PercentEncoding, OtherBytesAreEncodedAsTheyAre) {
  EXPECT_EQ(normalized("D\xc3\xbcrst"), "D%C3%BCrst");
  EXPECT_EQ(normalized("D\xfcrst \xff"), "D%FCrst%20%FF");
  EXPECT_EQ(normalized("<>\"\\^`{|}[]"), "%3C%3E%22%5C%5E%60%7B%7C%7D%5B%5D");
}

TEST(PercentEncoding, FoldingLeavesTriplets) {
  std::string text = "ABC%2FDe%C3%84F";
  fold_normalized(text, 1);
  EXPECT_EQ(text, "Abc%2Fde%C3%84f");
}

}  // namespace
}  // namespace bloomery
