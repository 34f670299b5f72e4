// CRC-32C: the published values, and one truth for all kernels.
#include "base/crc32c.h"

#include <algorithm>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

#include "test_bytes.h"

namespace bloomery {
namespace {

Bytes counting(int first, int step) {
  Bytes result(32);
  for (std::byte& byte : result) {
    byte = static_cast<std::byte>(first);
    first += step;
  }
  return result;
}

// RFC 3720, appendix B.4. The RFC prints the bytes of the register as they are sent, low byte first; these
// are the values.
TEST(Crc32c, PublishedVectors) {
  const Bytes iscsi_read_command = make_bytes(
      {0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
       0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18,
       0x28, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00});
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0x00})), 0x8a9136aau);
  EXPECT_EQ(crc32c(Bytes(32, std::byte{0xff})), 0x62a8ab43u);
  EXPECT_EQ(crc32c(counting(0, 1)), 0x46dd794eu);
  EXPECT_EQ(crc32c(counting(31, -1)), 0x113fdb5cu);
  EXPECT_EQ(iscsi_read_command.size(), 48u);
  EXPECT_EQ(crc32c(iscsi_read_command), 0xd9963a56u);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);  // the check value of every CRC catalogue
}

TEST(Crc32c, NothingHasTheCrcZeroAndChangesNone) {
  EXPECT_EQ(crc32c({}), 0u);
  EXPECT_EQ(crc32c({}, 0xe3069283u), 0xe3069283u);
}

TEST(Crc32c, OfTwoPiecesIsOfTheWhole) {
  const std::string_view text = "The quick brown fox jumps over the lazy dog";
  const std::uint32_t whole = crc32c(bytes_of(text));
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_EQ(crc32c(bytes_of(text.substr(cut)), crc32c(bytes_of(text.substr(0, cut)))), whole) << cut;
  }
}

class Crc32cKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (!kSse42Crc32cKernel.available()) {
      GTEST_SKIP() << "this machine lacks SSE 4.2";
    }
    RecordProperty("seed", std::to_string(kSeed));
  }

  // Compares the kernels on the bytes from `offset`, from a random register.
  void check_equal(std::span<const std::byte> bytes, std::size_t offset) {
    const auto register_before = static_cast<std::uint32_t>(random_());
    const std::uint32_t expected = kScalarCrc32cKernel.extend(register_before, bytes);
    for (const Crc32cKernel& kernel : crc32c_kernels()) {
      if (kernel.available()) {
        ASSERT_EQ(kernel.extend(register_before, bytes), expected)
            << kernel.name << ", " << bytes.size() << " bytes at offset " << offset << " from register "
            << register_before << ", seed " << kSeed;
      }
    }
  }

  static constexpr std::uint64_t kSeed = 20240229;
  std::mt19937_64 random_{kSeed};
};

TEST_F(Crc32cKernels, AreEqualAtEveryShortLengthAndAlignment) {
  const Bytes data = random_bytes(random_, 900);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    for (std::size_t size = 0; size <= 800; ++size) {  // the kernel for AVX-512 has a round of 256 bytes
      check_equal(std::span(data).subspan(offset, size), offset);
    }
  }
}

// Three streams of 16 KiB make a round: lengths on both sides of one, two and three rounds.
TEST_F(Crc32cKernels, AreEqualWhereRoundsOfStreamsEnd) {
  constexpr std::size_t kRoundBytes = std::size_t{3} * 16384;
  const Bytes data = random_bytes(random_, 3 * kRoundBytes + 100);
  for (std::size_t rounds = 1; rounds <= 3; ++rounds) {
    for (const std::size_t offset : {0u, 1u, 7u, 8u}) {
      for (const int difference : {-9, -8, -7, -1, 0, 1, 7, 8, 9, 17}) {
        const std::size_t size = rounds * kRoundBytes + static_cast<std::size_t>(difference);
        check_equal(std::span(data).subspan(offset, size), offset);
      }
    }
  }
}

TEST_F(Crc32cKernels, AreEqualAtRandomLengths) {
  const Bytes data = random_bytes(random_, 300'000);
  for (int i = 0; i < 100; ++i) {
    const std::size_t offset = random_() % 64;
    check_equal(std::span(data).subspan(offset, random_() % 299'900), offset);
  }
}

}  // namespace
}  // namespace bloomery
