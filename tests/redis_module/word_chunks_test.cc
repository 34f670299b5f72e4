// Words in chunks are what a plain vector has, whichever of them are late, and copies never see what another one writes.
#include "redis_module/word_chunks.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

constexpr std::uint64_t kWords = 3 * kWordsInChunk + 1000;  // the last chunk is short
constexpr int kSteps = 400;

using WordModel = std::vector<std::uint64_t>;

std::vector<std::byte> word_bytes(const WordModel& model) {
  const auto bytes = std::as_bytes(std::span(model));
  return {bytes.begin(), bytes.end()};
}

void expect_same(const WordChunks& chunks, const WordModel& model, std::mt19937_64& random) {
  std::vector<std::byte> all(chunks.size_bytes());
  chunks.load(0, all);
  ASSERT_TRUE(all == word_bytes(model));
  const std::uint64_t at = random() % all.size();
  std::vector<std::byte> part(random() % (all.size() - at));
  chunks.load(at, part);
  ASSERT_TRUE(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(at)));
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t index = random() % kWords;
    const std::uint64_t* const word = chunks.word(index);
    ASSERT_EQ(word == nullptr ? 0 : *word, model[index]) << index;
  }
}

TEST(WordChunks, AreAPlainVectorInEveryCopy) {
  RecordProperty("seed", std::to_string(kModuleSeed));
  std::mt19937_64 random(kModuleSeed);
  std::vector<std::pair<WordChunks, WordModel>> copies;
  copies.emplace_back(*WordChunks::zeroed(kWords * kWordBytes), WordModel(kWords));
  for (int step = 0; step < kSteps; ++step) {
    auto& [chunks, model] = copies[random() % copies.size()];
    if (random() % 2 == 0) {
      chunks.begin_step();
    }
    // Few places make long lists of which many words are written twice.
    const std::uint64_t places = random() % 3 == 0 ? 50 : kWords;
    for (std::uint64_t i = random() % 1500; i > 0; --i) {
      const std::uint64_t index = random() % places;
      const std::uint64_t value = random();
      ASSERT_TRUE(chunks.ready(index, 1));
      chunks.write(index, value);
      model[index] = value;
    }
    expect_same(chunks, model, random);
    if (random() % 10 == 0) {
      copies.push_back(copies[random() % copies.size()]);
    }
    if (copies.size() > 4) {
      copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(random() % copies.size()));
    }
  }
  for (const auto& [chunks, model] : copies) {
    expect_same(chunks, model, random);
  }
}

TEST(WordChunks, StoredBytesAreThereAndZerosTakeNoMemory) {
  std::mt19937_64 random(kModuleSeed);
  WordChunks chunks = *WordChunks::zeroed(kWords * kWordBytes);
  const std::uint64_t before = chunks.memory_bytes();
  const std::vector<std::byte> zeros(kWordsInChunk * kWordBytes);
  ASSERT_TRUE(chunks.store(0, zeros));
  EXPECT_EQ(chunks.memory_bytes(), before);
  WordModel model(kWords);
  std::generate(model.begin() + kWordsInChunk, model.end(), [&] { return random(); });
  const std::vector<std::byte> all = word_bytes(model);
  for (std::size_t at = zeros.size(); at < all.size();) {
    const std::size_t size = std::min<std::size_t>(1 + random() % 100'000, all.size() - at);
    ASSERT_TRUE(chunks.store(at, std::span(all).subspan(at, size)));
    at += size;
  }
  expect_same(chunks, model, random);
}

TEST(WordChunks, SizesThatNoPayloadHasAreRefused) {
  EXPECT_FALSE(WordChunks::zeroed(0));
  EXPECT_FALSE(WordChunks::zeroed((std::uint64_t{1} << 36) + 8));
}

}  // namespace
}  // namespace bloomery::redis_module
