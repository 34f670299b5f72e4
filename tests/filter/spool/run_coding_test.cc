// The code of one sorted run: what is written comes back, whatever the gaps; damage is found.
#include "filter/spool/run_coding.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/base/test_folder.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kCodingSeed = 40511;

// A file that runs are written to, one after the other.
class RunFile {
 public:
  RunFile() : file_(FileSystem::real().open(folder_.path("runs"), OpenFor::kCreatingExclusively).value()) {}

  File& file() { return file_; }

  Run write(const LowHashes& hashes, unsigned kept_bits) {
    RunEncoder encoder(hashes, kept_bits, size_);
    for (auto piece = encoder.next_piece(); !piece.empty(); piece = encoder.next_piece()) {
      EXPECT_LE(piece.size(), (64u << 10) + 32);
      EXPECT_TRUE(file_.write_all_at(size_, piece).has_value());
      size_ += piece.size();
    }
    EXPECT_EQ(encoder.run().offset + encoder.run().size_bytes, size_);
    return encoder.run();
  }

 private:
  TestFolder folder_;
  File file_;
  std::uint64_t size_ = 0;
};

// Taken at once, and in cuts that fall before, on and between hashes.
void expect_comes_back(File& file, const Run& run, const LowHashes& hashes, std::size_t buffer_bytes) {
  RunDecoder whole(file, run, buffer_bytes);
  LowHashes out;
  ASSERT_TRUE(whole.decode_through(kGreatest, out).has_value());
  EXPECT_TRUE(out == hashes);
  EXPECT_TRUE(whole.exhausted());
  out.clear();
  RunDecoder cut(file, run, buffer_bytes);
  for (std::size_t i = 0; i < hashes.size(); i += 1 + hashes.size() / 17) {
    if (hashes[i] > 0) {
      ASSERT_TRUE(cut.decode_through(hashes[i] - 1, out).has_value());
      ASSERT_EQ(out.size(), i);
    }
    ASSERT_TRUE(cut.decode_through(hashes[i], out).has_value());
    ASSERT_EQ(out.size(), i + 1);
  }
  ASSERT_TRUE(cut.decode_through(kGreatest, out).has_value());
  EXPECT_TRUE(out == hashes);
  EXPECT_TRUE(cut.exhausted());
}

void expect_round_trip(LowHashes hashes, unsigned kept_bits, const std::string& what) {
  SCOPED_TRACE(what + ", kept_bits " + std::to_string(kept_bits) + ", seed " + std::to_string(kCodingSeed));
  for (std::uint64_t& hash : hashes) {
    hash = hash >> (64 - kept_bits) << (64 - kept_bits);
  }
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  RunFile runs;
  (void)runs.write({1, 2, 3}, 64);  // so that the run does not start the file
  const Run run = runs.write(hashes, kept_bits);
  EXPECT_EQ(run.count, hashes.size());
  EXPECT_LE(run.size_bytes, run.count * 12);  // no gap costs more than 96 bits
  for (const std::size_t buffer_bytes : {64u, 1000u, 16u << 10}) {
    expect_comes_back(runs.file(), run, hashes, buffer_bytes);
  }
}

LowHashes uniform_codable(std::size_t count, int shift = 0) {
  std::mt19937_64 random(kCodingSeed);
  LowHashes hashes(count);
  std::generate(hashes.begin(), hashes.end(), [&] { return random() >> shift; });
  return hashes;
}

TEST(RunCoding, UniformHashesComeBack) {
  for (const unsigned kept_bits : {32u, 33u, 56u, 64u}) {
    for (const std::size_t count : {1u, 2u, 3u, 100u, 50000u}) {
      expect_round_trip(uniform_codable(count), kept_bits, std::to_string(count) + " hashes");
      expect_round_trip(uniform_codable(count, 8), kept_bits, std::to_string(count) + " in a 256th");
    }
  }
}

// The extremes: no gap at all, the greatest there is, and dense hashes with k = 0.
TEST(RunCoding, ExtremeGapsComeBack) {
  for (const unsigned kept_bits : {32u, 64u}) {
    expect_round_trip({0}, kept_bits, "0 alone");
    expect_round_trip({kGreatest}, kept_bits, "the greatest alone");
    expect_round_trip({0, kGreatest}, kept_bits, "both ends");
    expect_round_trip({0, 1, kGreatest}, kept_bits, "both ends and 1");
    expect_round_trip({0, kGreatest - 1, kGreatest}, kept_bits, "both ends and one less");
  }
  LowHashes dense(100000);
  for (std::size_t i = 0; i < dense.size(); ++i) {
    dense[i] = kGreatest - i;
  }
  expect_round_trip(dense, 64, "consecutive numbers");
}

// Clusters far apart make k too small for the gaps between them: those are escaped.
TEST(RunCoding, EscapedGapsComeBack) {
  std::mt19937_64 random(kCodingSeed);
  LowHashes hashes = {0, kGreatest};
  for (int cluster = 0; cluster < 300; ++cluster) {
    const std::uint64_t start = random();
    for (std::uint64_t i = 0; i < 300; ++i) {
      hashes.push_back(start + i * i);
    }
  }
  expect_round_trip(hashes, 64, "clusters");
  LowHashes far = uniform_codable(60, 1);
  for (std::uint64_t i = 0; i < 100000; ++i) {
    far.push_back((std::uint64_t{1} << 63) + i);
  }
  expect_round_trip(far, 64, "a dense cluster and few hashes far away");
}

// Quotients on both sides of the escape, which begins at 32.
TEST(RunCoding, QuotientsAroundTheEscapeComeBack) {
  for (std::uint64_t gap = 28; gap < 40; ++gap) {
    LowHashes hashes(1000);
    for (std::size_t i = 1; i < hashes.size(); ++i) {
      hashes[i] = hashes[i - 1] + (i % 100 == 0 ? gap : 1);
    }
    expect_round_trip(hashes, 64, "a gap of " + std::to_string(gap));
  }
}

// The size promised: at most 0.13 bits a hash above log2(e * mean gap), at every fraction of a power of two.
TEST(RunCoding, SizeIsNearTheEntropy) {
  for (const double factor : {1.0, 1.1, 1.25, 1.4, 1.6, 1.8, 1.95}) {
    const auto count = static_cast<std::size_t>(65536 / factor);
    LowHashes hashes = uniform_codable(count, 8);
    std::sort(hashes.begin(), hashes.end());
    RunFile runs;
    const double bits =
        static_cast<double>(runs.write(hashes, 64).size_bytes) * 8 / static_cast<double>(count);
    const double ideal = 56 - std::log2(static_cast<double>(count)) + std::log2(std::exp(1.0));
    EXPECT_LT(bits, ideal + 0.13) << "factor " << factor << ", seed " << kCodingSeed;
    EXPECT_GT(bits, ideal - 0.05) << "factor " << factor << ", seed " << kCodingSeed;
  }
}

// Every bit of a run flipped in turn: an error at the end or before, and until then hashes in order.
TEST(RunCoding, EveryFlippedBitIsFound) {
  RunFile runs;
  LowHashes hashes = uniform_codable(200);
  std::sort(hashes.begin(), hashes.end());
  const bloomery::Run run = runs.write(hashes, 64);
  std::vector<std::byte> bytes(run.size_bytes);
  ASSERT_TRUE(runs.file().read_exactly_at(0, bytes).has_value());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    SCOPED_TRACE("bit " + std::to_string(bit) + ", seed " + std::to_string(kCodingSeed));
    std::vector<std::byte> damaged = bytes;
    damaged[bit / 8] ^= std::byte{1} << (bit % 8);
    ASSERT_TRUE(runs.file().write_all_at(0, damaged).has_value());
    RunDecoder decoder(runs.file(), run, 64);
    LowHashes out;
    const Status status = decoder.decode_through(kGreatest, out);
    ASSERT_FALSE(status.has_value());
    EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
    EXPECT_NE(status.error().to_string().find("runs: at byte 0: spool run: "), std::string::npos)
        << status.error().to_string();
    EXPECT_FALSE(decoder.exhausted());
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), std::less_equal<>()));
    EXPECT_LE(out.empty() ? 0 : out.back(), run.last);
  }
}

// Bytes that are random from end to end: no read beyond the buffer (the address sanitizer looks), an error.
TEST(RunCoding, RandomBytesAreAnError) {
  std::mt19937_64 random(kCodingSeed);
  for (int round = 0; round < 500; ++round) {
    SCOPED_TRACE("round " + std::to_string(round) + ", seed " + std::to_string(kCodingSeed));
    RunFile runs;
    std::vector<std::byte> bytes(1 + random() % 300);
    const bool all_ones = round % 10 == 0;
    std::generate(bytes.begin(), bytes.end(),
                  [&] { return static_cast<std::byte>(all_ones ? 255 : random()); });
    ASSERT_TRUE(runs.file().write_all_at(0, bytes).has_value());
    const bloomery::Run run = {.count = 2 + random() % 1000,
                               .first = 0,
                               .last = kGreatest,
                               .rice_bits = static_cast<unsigned>(random() % 57),
                               .size_bytes = bytes.size()};
    RunDecoder decoder(runs.file(), run, 64);
    LowHashes out;
    EXPECT_FALSE(decoder.decode_through(kGreatest, out).has_value());
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), std::less_equal<>()));
  }
}

TEST(RunCoding, ARunOfNoBytesHasOneHash) {
  RunFile runs;
  const bloomery::Run run = {.count = 2, .first = 0, .last = kGreatest, .rice_bits = 0, .size_bytes = 0};
  RunDecoder decoder(runs.file(), run);
  LowHashes out;
  const Status status = decoder.decode_through(kGreatest, out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
}

TEST(RunCoding, ACutFileIsAnError) {
  RunFile runs;
  LowHashes hashes = uniform_codable(200);
  std::sort(hashes.begin(), hashes.end());
  bloomery::Run run = runs.write(hashes, 64);
  run.offset = 1;
  RunDecoder decoder(runs.file(), run);
  LowHashes out;
  const Status status = decoder.decode_through(kGreatest, out);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::kCorruption);
}

}  // namespace
}  // namespace bloomery
