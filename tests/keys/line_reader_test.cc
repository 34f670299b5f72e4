// Lines: the same ones however the stream comes, each a view into its batch's buffer, none lost or invented.
#include "keys/line_reader.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/chunked_source.h"

namespace bloomery {
namespace {

using OwnedLines = std::vector<std::string>;

struct ReadLines {
  OwnedLines lines;
  bool last_is_terminated = true;
  std::size_t batches = 0;
};

// What LineBatch promises of the buffer: a line's delimiter lies behind it, and the next line behind that.
void expect_neighbours(const LineBatch& batch, char delimiter) {
  for (std::size_t i = 0; i + 1 < batch.lines.size(); ++i) {
    const char* const end = batch.lines[i].data() + batch.lines[i].size();
    ASSERT_EQ(batch.lines[i + 1].data(), end + 1) << "line " << i;
    ASSERT_EQ(*end, delimiter) << "line " << i;
  }
  if (batch.last_is_terminated) {
    ASSERT_EQ(batch.lines.back().data()[batch.lines.back().size()], delimiter);
  }
}

ReadLines read_chunks(Chunks chunks, char delimiter = '\n') {
  LineReader reader(std::make_unique<ChunkedSource>(std::move(chunks)), delimiter);
  ReadLines read;
  LineBatch batch;
  for (;;) {
    const Result<bool> found = reader.next(batch);
    EXPECT_TRUE(found) << found.error().to_string();
    if (!found || !*found) {
      break;
    }
    EXPECT_FALSE(batch.lines.empty());
    EXPECT_TRUE(read.last_is_terminated) << "only the last line may lack its delimiter";
    expect_neighbours(batch, delimiter);
    read.lines.insert(read.lines.end(), batch.lines.begin(), batch.lines.end());
    read.last_is_terminated = batch.last_is_terminated;
    ++read.batches;
  }
  EXPECT_FALSE(*reader.next(batch)) << "the end stays the end";
  EXPECT_TRUE(batch.lines.empty());
  return read;
}

// The definition: a line ends at each delimiter, and what is left at the end, if anything, is one too.
ReadLines reference(std::string_view text, char delimiter) {
  ReadLines read;
  std::string line;
  for (const char character : text) {
    if (character == delimiter) {
      read.lines.push_back(line);
      line.clear();
    } else {
      line += character;
    }
  }
  if (!line.empty()) {
    read.lines.push_back(line);
    read.last_is_terminated = false;
  }
  return read;
}

void expect_as_reference(const std::string& text, Chunks chunks, char delimiter = '\n') {
  const ReadLines expected = reference(text, delimiter);
  const ReadLines read = read_chunks(std::move(chunks), delimiter);
  EXPECT_EQ(read.lines, expected.lines);
  EXPECT_EQ(read.last_is_terminated, expected.last_is_terminated);
}

TEST(LineReader, SmallTextsInEveryChunking) {
  const std::vector<std::string> texts = {"",
                                          "a",
                                          "a\n",
                                          "\n",
                                          "\n\n\n",
                                          "\na",
                                          "a\n\nb",
                                          "a\nb\n",
                                          "one\ntwo\nthree",
                                          "one\r\ntwo\r\n",
                                          " \t\n \t",
                                          std::string("nul\0inside\n\0\n", 13),
                                          "\xff\xfe\n\xc3(\n\x80"};
  for (const std::string& text : texts) {
    for (std::size_t size = 1; size <= text.size() + 1; ++size) {
      SCOPED_TRACE(testing::PrintToString(text) + " in chunks of " + std::to_string(size));
      expect_as_reference(text, chunks_of(text, size));
      expect_as_reference(text, chunks_of(text, size), '\0');
    }
  }
}

TEST(LineReader, NothingHasNoLine) {
  EXPECT_EQ(read_chunks({}).lines, OwnedLines{});
}

TEST(LineReader, AnEmptyLineIsALine) {
  EXPECT_EQ(read_chunks({"\n"}).lines, OwnedLines{""});
  EXPECT_EQ(read_chunks({"\n\n"}).lines, (OwnedLines{"", ""}));
}

// As find -print0 writes: newlines are part of a line, NUL ends it.
TEST(LineReader, NulMayBeTheDelimiter) {
  const std::string text("one\ntwo\0\0three\0", 15);
  EXPECT_EQ(read_chunks({text}, '\0').lines, (OwnedLines{"one\ntwo", "", "three"}));
}

// A delimiter above 127: memchr takes it as unsigned, char is signed here.
TEST(LineReader, AnyByteMayBeTheDelimiter) {
  expect_as_reference("a\xffz\xff", {"a\xffz\xff"}, '\xff');
}

std::string random_text(std::mt19937_64& random, std::size_t size, std::uint64_t line_mean) {
  std::string text(size, '\0');
  for (char& character : text) {
    character = random() % line_mean == 0 ? '\n' : static_cast<char>(random() >> 56);
  }
  return text;
}

TEST(LineReader, RandomTextsInRandomChunks) {
  constexpr std::uint64_t kSeed = 20240303;
  std::mt19937_64 random(kSeed);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE("seed " + std::to_string(kSeed) + ", repetition " + std::to_string(i));
    const std::string text = random_text(random, random() % 20'000, 1 + random() % 500);
    expect_as_reference(text, chunks_of(text, 1));
    expect_as_reference(text, random_chunks(text, 1 + random() % 3000, random));
    expect_as_reference(text, {text});
  }
}

// Lines that straddle every read of a long stream, in reads as large as the buffer takes them.
TEST(LineReader, LongStreamsInLargeReads) {
  constexpr std::uint64_t kSeed = 20240304;
  std::mt19937_64 random(kSeed);
  for (const std::uint64_t line_mean : {10u, 1000u, 100'000u}) {
    SCOPED_TRACE("seed " + std::to_string(kSeed));
    const std::string text = random_text(random, 3'000'000, line_mean);
    expect_as_reference(text, {text});
    expect_as_reference(text, random_chunks(text, 300'000, random));
  }
}

TEST(LineReader, ALineMayBeLongerThanAnyBuffer) {
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{40} << 20}) {
    std::string text = "before\n" + std::string(size, 'x');
    text[text.size() / 2] = '\0';
    const ReadLines unterminated = read_chunks({text});
    ASSERT_EQ(unterminated.lines.size(), 2u);
    EXPECT_TRUE(unterminated.lines[1] ==
                std::string_view(text).substr(7));  // not EXPECT_EQ: it would print it
    EXPECT_FALSE(unterminated.last_is_terminated);

    text += "\nbehind\n";
    const ReadLines read = read_chunks({text});
    ASSERT_EQ(read.lines.size(), 3u);
    EXPECT_EQ(read.lines[1].size(), size);
    EXPECT_EQ(read.lines[2], "behind");
  }
}

// A line from a terminal or a pipe is answered before the next one is typed.
TEST(LineReader, GivesALineWithoutWaitingForTheNext) {
  LineReader reader(std::make_unique<ChunkedSource>(Chunks{"one\ntwo\nthr", "ee\n"}, no_more_reads()), '\n');
  LineBatch batch;
  ASSERT_TRUE(*reader.next(batch));
  EXPECT_EQ(batch.lines, (std::vector<std::string_view>{"one", "two"}));
  ASSERT_TRUE(*reader.next(batch));
  EXPECT_EQ(batch.lines, (std::vector<std::string_view>{"three"}));
}

// Several batches are in flight: the lines of one outlive the next.
TEST(LineReader, ABatchOwnsItsLines) {
  const std::string text = "one\ntwo\nthr";
  LineReader reader(std::make_unique<ChunkedSource>(Chunks{text, "ee\nfour"}), '\n');
  LineBatch first;
  LineBatch second;
  LineBatch third;
  ASSERT_TRUE(*reader.next(first));
  ASSERT_TRUE(*reader.next(second));
  ASSERT_TRUE(*reader.next(third));
  EXPECT_EQ(first.lines, (std::vector<std::string_view>{"one", "two"}));
  EXPECT_EQ(first.piece(0, 2), "one\ntwo\n");
  EXPECT_EQ(first.piece(1, 2), "two\n");
  EXPECT_EQ(second.piece(0, 1), "three\n");
  EXPECT_EQ(third.piece(0, 1), "four");
  EXPECT_FALSE(third.is_terminated(1));
}

TEST(LineReader, ABatchHasABoundedNumberOfLines) {
  const std::string text(3 * LineBatch::kMostLines + 5, '\n');
  const ReadLines read = read_chunks({text});
  EXPECT_EQ(read.lines.size(), text.size());
  EXPECT_EQ(read.batches, 4u);
}

TEST(LineReader, ALineBeyondTheLimitIsNamed) {
  const std::string text = "1\n2\n" + std::string(3'000'000, 'x') + "\n4\n";
  LineReader reader(std::make_unique<ChunkedSource>(chunks_of(text, 100'000)), '\n');
  reader.limit_line_bytes(1'000'000);
  LineBatch batch;
  ASSERT_TRUE(*reader.next(batch));
  EXPECT_EQ(batch.lines.size(), 2u);
  for (int repetition = 0; repetition < 2; ++repetition) {
    const Result<bool> found = reader.next(batch);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kCapacity);
    EXPECT_EQ(found.error().subject(), "line 3");
    EXPECT_LT(batch.bytes.size(), 2'000'000u);
  }
}

// What came before the failure is given; the unfinished line is not, for nobody knows how it goes on.
TEST(LineReader, ErrorsOfTheSourceArePassedOn) {
  const Error broken = Error::io("disk", "read", EIO);
  LineReader reader(std::make_unique<ChunkedSource>(Chunks{"one\ntw"}, broken), '\n');
  LineBatch batch;
  ASSERT_TRUE(*reader.next(batch));
  EXPECT_EQ(batch.lines, (std::vector<std::string_view>{"one"}));
  for (int repetition = 0; repetition < 2; ++repetition) {
    const Result<bool> found = reader.next(batch);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().to_string(), broken.to_string());
    EXPECT_TRUE(batch.lines.empty());
  }
}

// A batch is used again, also for the next file: what the last line of the one before lacked says nothing of this one's.
TEST(LineReader, ABatchForgetsThatItsLastLineWasNotTerminated) {
  LineBatch batch;
  LineReader first(std::make_unique<ChunkedSource>(Chunks{"a"}), '\n');
  ASSERT_TRUE(*first.next(batch));
  EXPECT_FALSE(batch.is_terminated(1));
  LineReader second(std::make_unique<ChunkedSource>(Chunks{"b\n"}), '\n');
  ASSERT_TRUE(*second.next(batch));
  EXPECT_TRUE(batch.is_terminated(1));
  EXPECT_EQ(batch.piece(0, 1), "b\n");
}

TEST(LineReader, ABatchThatIsCutEndsWithADelimiter) {
  for (const std::size_t kept : {1U, 2U}) {
    LineBatch batch;
    batch.lines = {"a", "b"};
    batch.last_is_terminated = false;
    batch.keep_first(kept);
    EXPECT_EQ(batch.lines.size(), kept);
    EXPECT_EQ(batch.is_terminated(kept), kept == 1);
  }
}

}  // namespace
}  // namespace bloomery
