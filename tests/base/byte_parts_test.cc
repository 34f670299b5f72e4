// Any range of bytes that consist of parts is what a copy of all parts has there.
#include "base/byte_parts.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(ByteParts, AnyRangeIsThatOfAllPartsTogether) {
  const std::vector<std::vector<std::byte>> parts = {
      {std::byte{1}, std::byte{2}, std::byte{3}}, {}, {std::byte{4}}, {std::byte{5}, std::byte{6}}};
  std::vector<std::byte> all;
  for (const auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
  }
  for (std::size_t begin = 0; begin <= all.size(); ++begin) {
    for (std::size_t size = 0; size <= all.size() - begin; ++size) {
      std::vector<std::byte> out(size);
      PartReader reader(begin, out);
      for (const auto& part : parts) {
        reader.bytes(part);
      }
      EXPECT_TRUE(reader.is_done());
      EXPECT_TRUE(std::ranges::equal(out, std::span(all).subspan(begin, size))) << begin << ", " << size;
    }
  }
}

TEST(ByteParts, APartIsFilledByPiecesOfAnySize) {
  const std::vector<std::byte> all(10, std::byte{7});
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    std::vector<std::byte> part;
    std::size_t given = 0;
    for (bool is_full = false; !is_full; given += piece) {
      auto bytes = std::span(all).subspan(given, std::min(piece, all.size() - given));
      is_full = fill_up(part, 4, bytes);
      EXPECT_EQ(part.size(), std::min<std::size_t>(given + piece, 4));
    }
  }
}

}  // namespace
}  // namespace bloomery
