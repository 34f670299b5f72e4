// What is written is read back, whatever the pieces; an error of the sink ends the writing.
#include "compress/gzip_writer.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "packed.h"

namespace bloomery {
namespace {

TEST(GzipWriter, EverySizeAndEveryCutComesBack) {
  std::mt19937_64 random(20261121);
  for (const std::size_t size : {0u, 1u, 1000u, 131072u, 1000000u}) {
    for (const bool packs : {false, true}) {
      std::string text(size, 'a');
      for (char& c : text) {
        c = packs ? c : static_cast<char>(random());
      }
      std::string packed;
      const GzipWriter::Sink sink = [&packed](std::span<const std::byte> bytes) {
        packed += text_of(bytes);
        return Status();
      };
      auto writer = GzipWriter::create(sink);
      ASSERT_TRUE(writer);
      for (std::size_t at = 0; at < size;) {
        const std::size_t count = std::min<std::size_t>(size - at, 1 + random() % 200'000);
        ASSERT_TRUE(writer->append(bytes_of(text).subspan(at, count)));
        at += count;
      }
      ASSERT_TRUE(writer->finish());
      const Drained drained = unpacked({packed}, std::size_t{1} << 16);
      EXPECT_FALSE(drained.error);
      EXPECT_TRUE(drained.text == text);
      EXPECT_TRUE(!packs || size < 1000 || packed.size() < size / 20);
    }
  }
}

TEST(GzipWriter, AnErrorOfTheSinkIsReturned) {
  const GzipWriter::Sink sink = [](std::span<const std::byte>) -> Status {
    return Error::capacity("test", "no room");
  };
  auto writer = GzipWriter::create(sink);
  ASSERT_TRUE(writer);
  const Status appended = writer->append(bytes_of("text"));
  const Status finished = writer->finish();
  EXPECT_TRUE(!appended || !finished);
}

}  // namespace
}  // namespace bloomery
