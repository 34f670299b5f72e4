#include "base/short_copy.h"

#include <cstddef>
#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::string letters(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    text += static_cast<char>('a' + i % 26);
  }
  return text;
}

TEST(ShortCopy, CopiesEverySizeAndNothingBeside) {
  for (std::size_t size = 0; size <= 70; ++size) {
    const std::string from = letters(size);
    std::string to(size + 2, '-');
    copy_short(to.data() + 1, from);
    EXPECT_EQ(to, "-" + from + "-");
  }
}

TEST(ShortCopy, AssignsOverLongerAndShorterText) {
  for (std::size_t before = 0; before <= 40; ++before) {
    for (std::size_t size = 0; size <= 40; ++size) {
      std::string to(before, '-');
      assign_short(to, letters(size));
      EXPECT_EQ(to, letters(size));
    }
  }
}

TEST(ShortCopy, SeesADifferenceInEveryByte) {
  for (std::size_t size = 0; size <= 40; ++size) {
    const std::string text = letters(size);
    EXPECT_TRUE(equal_short(text, std::string(text)));
    EXPECT_FALSE(equal_short(text, text + "a"));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = text;
      other[at] ^= 1;
      EXPECT_FALSE(equal_short(text, other)) << size << " " << at;
    }
  }
}

}  // namespace
}  // namespace bloomery
