// The CRC of joined and of changed bytes is that which reading all of them gives.
#include "base/crc32c_change.h"

#include <random>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/crc32c_polynomial.h"
#include "test_bytes.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kChangeSeed = 20261125;
constexpr int kRounds = 300;
constexpr std::size_t kMostBytes = 5000;

class Crc32cChange : public testing::Test {
 protected:
  void SetUp() override { RecordProperty("seed", std::to_string(kChangeSeed)); }
  std::mt19937_64 random_{kChangeSeed};
};

TEST_F(Crc32cChange, OfBothIsOfTheWhole) {
  for (int round = 0; round < kRounds; ++round) {
    const Bytes whole = random_bytes(random_, random_() % kMostBytes);
    const std::size_t cut = random_() % (whole.size() + 1);
    const auto first = std::span(whole).first(cut);
    const auto second = std::span(whole).subspan(cut);
    EXPECT_EQ(crc32c_of_both(crc32c(first), crc32c(second), second.size()), crc32c(whole)) << cut;
  }
}

TEST_F(Crc32cChange, OfZerosIsThatOfReadingThem) {
  for (const std::size_t size : {0U, 1U, 7U, 8U, 64U, 1023U, 1024U, 1025U, 70'000U, 3'000'000U}) {
    EXPECT_EQ(crc32c_of_zeros(size), crc32c(Bytes(size))) << size;
  }
}

TEST_F(Crc32cChange, OfZerosThatNobodyReadsFollowsFromHalfOfThem) {
  for (std::uint64_t size = 1; size < std::uint64_t{1} << 48; size = 3 * size + 1) {
    const std::uint32_t half = crc32c_of_zeros(size);
    EXPECT_EQ(crc32c_of_zeros(2 * size), crc32c_of_both(half, half, size)) << size;
  }
}

TEST_F(Crc32cChange, AChangeIsThatOfReadingAllBytes) {
  Bytes message = random_bytes(random_, 100'000);
  std::uint32_t crc = crc32c(message);
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t size = 1 + random_() % 64;
    const std::size_t at = random_() % (message.size() - size + 1);
    const Bytes difference = random_bytes(random_, size);
    for (std::size_t i = 0; i < size; ++i) {
      message[at + i] ^= difference[i];
    }
    crc ^= crc32c_of_change(difference, message.size() - at - size);
    ASSERT_EQ(crc, crc32c(message)) << at << " " << size;
  }
}

TEST_F(Crc32cChange, EveryKernelMultipliesAsTheDefinition) {
  const std::uint32_t factor = crc32c_power_of_x(33);
  for (const Crc32cKernel& kernel : crc32c_kernels()) {
    for (int round = 0; kernel.available() && round < kRounds; ++round) {
      const auto a = static_cast<std::uint32_t>(random_());
      const auto b = static_cast<std::uint32_t>(random_());
      EXPECT_EQ(kernel.multiply(a, b), crc32c_product(crc32c_product(a, b), factor)) << kernel.name;
    }
  }
}

}  // namespace
}  // namespace bloomery
