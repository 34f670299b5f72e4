// Damaged gzip, zstd, xz and bzip2 streams: an error, never a text that is silently shorter or other.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "compress/decompress.h"
#include "packed.h"
#include "tests/base/chunked_source.h"

namespace bloomery {
namespace {

const std::string kFirst = "alpha\nbeta\nalpha beta\n";
const std::string kSecond = "gamma\ngamma\ngamma\ndelta\n";

struct Format {
  const char* name;
  std::size_t magic_bytes;  // fewer than these are plain text
  std::string first;        // a member or frame
  std::string second;
};

std::vector<Format> formats() {
  return {{.name = "gzip", .magic_bytes = 2, .first = gzip_of(kFirst), .second = gzip_of(kSecond)},
          {.name = "zstd", .magic_bytes = 4, .first = zstd_of(kFirst), .second = zstd_of(kSecond)},
          {.name = "xz", .magic_bytes = 6, .first = xz_of(kFirst), .second = xz_of(kSecond)},
          {.name = "bzip2", .magic_bytes = 10, .first = bzip2_of(kFirst), .second = bzip2_of(kSecond)}};
}

void expect_corrupt(const Drained& drained, const Format& format, std::size_t packed_bytes) {
  ASSERT_TRUE(drained.error) << "taken for whole";
  EXPECT_EQ(drained.error->code(), ErrorCode::kCorruption);
  EXPECT_EQ(drained.error->subject(), "stream");
  ASSERT_TRUE(drained.error->offset().has_value());
  EXPECT_LE(*drained.error->offset(), packed_bytes);
  EXPECT_TRUE(drained.error->detail().starts_with(std::string(format.name) + ": "))
      << drained.error->detail();
}

// Only between members a cut cannot be seen: what is there is whole. A cut inside the magic number leaves
// bytes that are no gzip or zstd at all; they are passed on, not dropped.
TEST(DecompressDamage, EveryCutIsSeen) {
  for (const Format& format : formats()) {
    const std::string packed = format.first + format.second;
    for (std::size_t size = 0; size <= packed.size(); ++size) {
      SCOPED_TRACE(std::string(format.name) + " cut to " + std::to_string(size));
      const std::string cut = packed.substr(0, size);
      const Drained drained = unpacked(Chunks{cut});
      if (size < format.magic_bytes) {
        EXPECT_EQ(drained.text, cut);
      } else if (size == format.first.size()) {
        EXPECT_EQ(drained.text, kFirst);
      } else if (size == packed.size()) {
        EXPECT_EQ(drained.text, kFirst + kSecond);
      } else {
        expect_corrupt(drained, format, size);
        EXPECT_TRUE((kFirst + kSecond).starts_with(drained.text));
        continue;
      }
      EXPECT_FALSE(drained.error) << drained.error->to_string();
    }
  }
}

TEST(DecompressDamage, ACutIsReportedWhereTheStreamEnds) {
  for (const Format& format : formats()) {
    const Drained drained = unpacked(Chunks{format.first.substr(0, format.first.size() - 1)});
    ASSERT_TRUE(drained.error);
    EXPECT_EQ(drained.error->code(), ErrorCode::kCorruption);
    EXPECT_EQ(drained.error->offset(), format.first.size() - 1);
    EXPECT_EQ(drained.error->detail(), std::string(format.name) + ": expected more data, found the end");
  }
}

// Every bit of every byte. Some bits of a header mean nothing for the text (gzip's time and system, an unused
// bit of zstd's); a flip in the magic number makes plain text.
TEST(DecompressDamage, NoFlippedBitChangesTheText) {
  for (const Format& format : formats()) {
    int refused = 0;
    for (std::size_t at = 0; at < format.first.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        SCOPED_TRACE(std::string(format.name) + " byte " + std::to_string(at) + " bit " +
                     std::to_string(bit));
        std::string flipped = format.first;
        flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
        const Drained drained = unpacked(Chunks{flipped});
        // The digit of bzip2's magic number is the size of its blocks; another digit may serve as well.
        const bool is_digit = std::string_view(format.name) == "bzip2" && at == 3 && drained.text != flipped;
        if (at < format.magic_bytes && !is_digit) {
          EXPECT_EQ(drained.text, flipped);
        } else if (drained.error) {
          expect_corrupt(drained, format, flipped.size());
          ++refused;
        } else {
          EXPECT_EQ(drained.text, kFirst);
        }
      }
    }
    EXPECT_GT(refused, static_cast<int>(format.first.size() - 14) * 8) << "a header has at most 14 bytes";
  }
}

// The text comes, then the error: gzip(1) ignores zeros behind the last member, but here a file that was cut
// and filled up by a file system must not pass for whole.
TEST(DecompressDamage, WhatFollowsTheLastMemberIsAnError) {
  for (const Format& format : formats()) {
    for (const std::string& garbage : {std::string("x"), std::string("garbage behind the end"),
                                       std::string("\n"), std::string(1, '\0'), std::string(512, '\0')}) {
      const Drained drained = unpacked(Chunks{format.first + garbage});
      expect_corrupt(drained, format, format.first.size() + garbage.size());
      EXPECT_EQ(drained.text, kFirst);
    }
  }
}

// A stream is of one kind: the other one behind it is garbage.
TEST(DecompressDamage, GzipAndZstdDoNotMix) {
  const std::vector<Format> both = formats();
  expect_corrupt(unpacked(Chunks{both[0].first, both[1].first}), both[0], 1000);
  expect_corrupt(unpacked(Chunks{both[1].first, both[0].first}), both[1], 1000);
}

// Once broken, a stream does not come to an end that could be taken for good.
TEST(DecompressDamage, ABrokenStreamStaysBroken) {
  for (const Format& format : formats()) {
    std::string broken = format.first + format.second;
    // The last byte of bzip2 may be padding.
    broken[format.first.size() - 2] = static_cast<char>(broken[format.first.size() - 2] ^ 1);
    const Result<std::unique_ptr<ByteSource>> source =
        decompressed(std::make_unique<ChunkedSource>(Chunks{broken}), "stream");
    ASSERT_TRUE(source);
    for (int repetition = 0; repetition < 3; ++repetition) {
      EXPECT_TRUE(drain(**source).error) << format.name << ", read again " << repetition;
    }
  }
}

}  // namespace
}  // namespace bloomery
