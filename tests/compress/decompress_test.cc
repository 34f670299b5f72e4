// Reading gzip, zstd, xz, bzip2 and plain streams, however they come. Damaged ones are in decompress_damage_test.cc.
#include "compress/decompress.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "packed.h"
#include "tests/base/chunked_source.h"

namespace bloomery {
namespace {

void expect_unpacks(Chunks chunks, std::string_view expected, std::size_t room = std::size_t{1} << 16) {
  const Drained drained = unpacked(std::move(chunks), room);
  EXPECT_FALSE(drained.error) << drained.error->to_string();
  EXPECT_TRUE(drained.text == expected) << drained.text.size() << " bytes instead of " << expected.size();
}

// Lines that repeat a little, so that they pack to something.
std::string some_text(std::size_t size) {
  std::mt19937_64 random(size);
  std::string text;
  while (text.size() < size) {
    text += "key-" + std::to_string(random() % 1000) + "\n";
  }
  text.resize(size);
  return text;
}

using Pack = std::string (*)(std::string_view);
constexpr Pack kPacks[] = {
    [](std::string_view text) { return gzip_of(text); }, [](std::string_view text) { return zstd_of(text); },
    [](std::string_view text) { return xz_of(text); }, [](std::string_view text) { return bzip2_of(text); },
    [](std::string_view text) { return std::string(text); }};

// The sizes are those at which a decoder ends together with the buffer it fills, and their neighbours: once a
// zstd frame that did so was taken for cut.
TEST(Decompress, EverySizeComesBackThroughEveryBuffer) {
  for (const Pack pack : kPacks) {
    for (const std::size_t size : {0u, 1u, 9u, 10u, 11u, 1000u, 131071u, 131072u, 131073u, 262144u}) {
      const std::string text = some_text(size);
      for (const std::size_t room : {10u, 1000u, 131072u, 1u << 20}) {
        expect_unpacks({pack(text)}, text, room);
      }
    }
    expect_unpacks({pack(some_text(1000))}, some_text(1000), 1);
  }
}

TEST(Decompress, SeveralMembersOrFramesAreOneText) {
  for (const Pack pack : {kPacks[0], kPacks[1], kPacks[2], kPacks[3]}) {
    const std::string packed = pack("one\n") + pack("") + pack("two\nthr") + pack("ee\n");
    for (const std::size_t room : {1u, 4u, 100u}) {
      expect_unpacks({packed}, "one\ntwo\nthree\n", room);
    }
    expect_unpacks({pack("") + pack("")}, "");
    expect_unpacks({pack("one\n"), pack("two\n")}, "one\ntwo\n");  // the cut of the reads at the members' cut
  }
}

TEST(Decompress, ASourceMayGiveOneByteAtATime) {
  for (const Pack pack : kPacks) {
    const std::string text = some_text(3000);
    expect_unpacks(chunks_of(pack(text), 1), text);
    expect_unpacks(chunks_of(pack(text), 1), text, 1);
  }
}

TEST(Decompress, ASourceMayGiveAnyChunks) {
  constexpr std::uint64_t kSeed = 20240302;
  std::mt19937_64 random(kSeed);
  for (const Pack pack : kPacks) {
    const std::string text = some_text(50'000);
    const std::string packed = pack(text) + pack(text);
    for (int i = 0; i < 20; ++i) {
      SCOPED_TRACE("seed " + std::to_string(kSeed) + ", repetition " + std::to_string(i));
      expect_unpacks(random_chunks(packed, 1 + random() % 2000, random), text + text, 1 + random() % 5000);
    }
  }
}

// More than one buffer of compressed bytes.
TEST(Decompress, RandomBytesThatDoNotShrinkComeBack) {
  std::mt19937_64 random(1);
  const std::string noise = text_of(random_bytes(random, 700'000));
  for (const Pack pack : kPacks) {
    expect_unpacks({pack(noise)}, noise);
  }
}

TEST(Decompress, PlainTextIsPassedOn) {
  for (const std::string& text : {std::string(), std::string("x"), std::string("\n"), std::string("ab"),
                                  std::string("abc"), std::string("abcd"), some_text(100)}) {
    expect_unpacks({text}, text);
    expect_unpacks(chunks_of(text, 1), text);
  }
}

// What begins like a magic number and goes on otherwise is text, and none of it is lost.
TEST(Decompress, TextThatBeginsLikeAMagicNumberIsText) {
  for (const std::string text :
       {"\x1f", "\x1f\x1f", "\x1f\x8a", "\x1f\n", "\x28", "\x28\xb5", "\x28\xb5\x2f", "\x28\xb5\x2f\xfc more",
        "(text in parentheses)", "\xfd",
        "\xfd"
        "7zXY",
        "B", "BZ", "BZh", "BZh0", "BZh9", "BZh9 is text", "BZh91AY&SX", "\xfd\x2f\xb5\x28"}) {
    expect_unpacks({text}, text);
    expect_unpacks(chunks_of(text, 1), text);
  }
}

// Reads until `expected` is there; an error means that it asked for more than it needed.
void expect_without_waiting(Chunks chunks, std::string_view expected, std::size_t room = 1000) {
  const Result<std::unique_ptr<ByteSource>> source =
      decompressed(std::make_unique<ChunkedSource>(std::move(chunks), no_more_reads()), "stream");
  ASSERT_TRUE(source) << source.error().to_string();
  std::string text;
  Bytes out(room);
  while (text.size() < expected.size()) {
    const Result<std::size_t> count = (*source)->read(out);
    ASSERT_TRUE(count) << "after '" << text << "': " << count.error().to_string();
    text += text_of(std::span(out).first(*count));
  }
  EXPECT_EQ(text, expected);
}

// A pipe that has one line delivers it, although the next read would wait for ever.
TEST(Decompress, OneLineIsDeliveredAtOnce) {
  expect_without_waiting({"one line\n"}, "one line\n");
  expect_without_waiting({"\n"}, "\n");
  expect_without_waiting({"a", "b\n"}, "ab\n");
  expect_without_waiting({"\x1f\n"}, "\x1f\n");
  expect_without_waiting({"(\n"}, "(\n");
}

// Also when the decoder has taken all the input and still holds text that there was no room for.
TEST(Decompress, AFlushedLineIsDeliveredAtOnce) {
  const std::string line = some_text(700) + "\n";
  for (const std::string& packed :
       {gzip_of(line, Packing::kFlushed), zstd_of(line, Packing::kFlushed), xz_of(line, Packing::kFlushed)}) {
    for (const std::size_t room : {1u, 10u, 701u, 1000u}) {
      expect_without_waiting({packed}, line, room);
      expect_without_waiting(chunks_of(packed, 1), line, room);
    }
  }
}

TEST(Decompress, ErrorsOfTheSourceArePassedOn) {
  const Error broken = Error::io("disk", "read", EIO);
  for (const Pack pack : kPacks) {
    const std::string packed = pack(some_text(1000));
    for (std::size_t size = 0; size < 40; ++size) {
      const Drained drained =
          unpacked(std::make_unique<ChunkedSource>(Chunks{packed.substr(0, size)}, broken));
      ASSERT_TRUE(drained.error) << size;
      EXPECT_EQ(drained.error->to_string(), broken.to_string());
    }
  }
}

}  // namespace
}  // namespace bloomery
