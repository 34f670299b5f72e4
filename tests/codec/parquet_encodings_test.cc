// The encodings of Parquet's pages, by bytes that are made here or by the examples of the format's page.
#include <random>

#include <gtest/gtest.h>

#include "codec/parquet/delta_numbers.h"
#include "codec/parquet/hybrid_runs.h"
#include "codec/parquet/page_header.h"
#include "codec/parquet/page_values.h"
#include "codec/parquet/value_dictionary.h"
#include "tests/codec/damage.h"
#include "tests/codec/parquet_pages.h"

namespace bloomery {
namespace {

using parquet::ColumnType;
using parquet::EncodedValues;
using parquet::Encoding;
using parquet::PhysicalType;

std::span<const std::byte> encoded_view(std::string_view bytes) {
  return std::as_bytes(std::span(bytes));
}

std::string varint_bytes(std::uint64_t value) {
  std::array<std::byte, kMaxVarintBytes> bytes;
  const std::size_t size = write_varint(bytes.data(), value);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

// Packs values, the lowest bit first.
std::string packed(const std::vector<std::uint64_t>& values, unsigned width) {
  std::string bytes((values.size() * width + 7) / 8, '\0');
  for (std::size_t i = 0; i < values.size() * width; ++i) {
    if ((values[i / width] >> (i % width) & 1) != 0) {
      bytes[i / 8] = static_cast<char>(static_cast<unsigned char>(bytes[i / 8]) | 1U << (i % 8));
    }
  }
  return bytes;
}

std::string delta_bytes(const std::vector<std::uint64_t>& numbers, std::uint64_t block = 128,
                        std::uint64_t miniblocks = 4) {
  std::string bytes = varint_bytes(block) + varint_bytes(miniblocks) + varint_bytes(numbers.size()) +
                      zigzag(static_cast<std::int64_t>(numbers.empty() ? 0 : numbers[0]));
  for (std::size_t begin = 1; begin < numbers.size(); begin += block) {
    const std::size_t end = std::min<std::size_t>(numbers.size(), begin + block);
    auto least = static_cast<std::int64_t>(numbers[begin] - numbers[begin - 1]);
    for (std::size_t i = begin; i < end; ++i) {
      least = std::min(least, static_cast<std::int64_t>(numbers[i] - numbers[i - 1]));
    }
    bytes += zigzag(least);
    std::string widths(miniblocks, '\x7f');  // without a meaning where there are no values
    std::string bodies;
    for (std::uint64_t m = 0; m < miniblocks && begin + m * block / miniblocks < end; ++m) {
      std::vector<std::uint64_t> deltas(block / miniblocks);
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < deltas.size() && begin + m * deltas.size() + i < end; ++i) {
        const std::size_t at = begin + m * deltas.size() + i;
        deltas[i] = numbers[at] - numbers[at - 1] - static_cast<std::uint64_t>(least);
        all |= deltas[i];
      }
      const auto width = static_cast<unsigned>(std::bit_width(all));
      widths[m] = static_cast<char>(width);
      bodies += packed(deltas, width);
    }
    bytes += widths + bodies;
  }
  return bytes;
}

std::string length_arrays(const std::vector<std::string>& values) {
  std::vector<std::uint64_t> lengths;
  std::string data;
  for (const std::string& value : values) {
    lengths.push_back(value.size());
    data += value;
  }
  return delta_bytes(lengths) + data;
}

std::string prefixed_arrays(const std::vector<std::string>& values) {
  std::vector<std::uint64_t> prefixes;
  std::vector<std::string> suffixes;
  std::string previous;
  for (const std::string& value : values) {
    const auto common =
        static_cast<std::size_t>(std::ranges::mismatch(previous, value).in1 - previous.begin());
    prefixes.push_back(common);
    suffixes.push_back(value.substr(common));
    previous = value;
  }
  return delta_bytes(prefixes) + length_arrays(suffixes);
}

Result<std::vector<std::string>> values_of(const EncodedValues& values,
                                           std::shared_ptr<MemoryBudget> memory = {}) {
  std::vector<std::string> read;
  const parquet::UseValues use = [&](std::span<const std::string_view> some) -> Status {
    EXPECT_LE(some.size(), parquet::ValueBatch::kValues);
    read.insert(read.end(), some.begin(), some.end());
    return {};
  };
  parquet::ValueBatch batch(use, std::move(memory));
  BLOOMERY_RETURN_IF_ERROR(parquet::read_page_values(values, batch));
  BLOOMERY_RETURN_IF_ERROR(batch.flush());
  return read;
}

const ColumnType kBytes{.physical = PhysicalType::kByteArray};

std::vector<std::string> some_texts(std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    texts.push_back("https://example.org/" + std::to_string(i * i) + std::string(i % 7, 'x'));
  }
  texts.push_back("");
  texts.emplace_back("\0\xff", 2);
  return texts;
}

// The format's example: 0 to 7 with a width of 3.
TEST(ParquetEncodings, PackedBitsAreThoseOfTheFormatsExample) {
  const std::string bytes("\x88\xc6\xfa", 3);
  for (std::uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(parquet::packed_at(encoded_view(bytes), i * 3, 3), i);
  }
}

TEST(ParquetEncodings, PackedBitsOfEveryWidthAreRead) {
  std::mt19937_64 random(41);
  for (unsigned width = 0; width <= 64; ++width) {
    std::vector<std::uint64_t> values(50);
    for (std::uint64_t& value : values) {
      value = width == 0 ? 0 : random() >> (64 - width);
    }
    const std::string bytes = packed(values, width);
    ASSERT_EQ(bytes.size(), parquet::packed_bytes(values.size(), width));
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(parquet::packed_at(encoded_view(bytes), i * width, width), values[i]) << width << " " << i;
    }
  }
}

Result<std::vector<std::uint64_t>> runs_of(std::string_view bytes, unsigned width, std::uint64_t count,
                                           std::uint64_t most = ~std::uint64_t{0}) {
  std::vector<std::uint64_t> values;
  BLOOMERY_RETURN_IF_ERROR(parquet::read_hybrid_runs(encoded_view(bytes), 0, width, count,
                                                     [&](std::uint64_t value, std::uint64_t times) {
                                                       values.insert(values.end(), times, value);
                                                       return value <= most;
                                                     }));
  return values;
}

TEST(ParquetEncodings, RunsAndPackedGroupsAreRead) {
  const std::string packed_group = "\x03" + std::string("\x88\xc6\xfa", 3);
  const std::string run("\x0a\x05", 2);  // five times 5
  const auto values = runs_of(run + packed_group + run, 3, 18);
  ASSERT_TRUE(values) << values.error().to_string();
  EXPECT_EQ(*values, (std::vector<std::uint64_t>{5, 5, 5, 5, 5, 0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 5, 5}));
  EXPECT_EQ(runs_of(run + packed_group, 3, 7)->size(), 7u);
  EXPECT_EQ(runs_of(run, 3, 5)->size(), 5u);
  EXPECT_EQ(runs_of("", 3, 0)->size(), 0u);
  EXPECT_EQ(runs_of(run, 3, 6).error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(runs_of(packed_group, 3, 8, 6).error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(runs_of(run, 3, 5, 4).error().code(), ErrorCode::kCorruption);
  // The last group lacks the bytes of the values past the count.
  EXPECT_EQ(runs_of(packed_group.substr(0, 3), 3, 5).value().back(), 4u);
  EXPECT_FALSE(runs_of(packed_group.substr(0, 3), 3, 6));
  // A run of values with two bytes, and runs of none.
  const std::vector<std::uint64_t> twice(2, 0x201);
  EXPECT_EQ(runs_of(std::string("\0\1\0\1\x04\x01\x02", 7), 9, 2).value(), twice);
  EXPECT_EQ(runs_of(std::string("\x04\x01", 2), 9, 2).error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(runs_of(std::string("\x01\x04", 2), 0, 2).value().size(), 2u);
}

// A run of 2^62 values is one call. Groups that claim 2^63 of them are too few bytes.
TEST(ParquetEncodings, RunsThatClaimTooManyValuesEndWithTheCount) {
  std::uint64_t calls = 0;
  const std::string run = varint_bytes(std::uint64_t{1} << 63) + "\x01";
  EXPECT_TRUE(parquet::read_hybrid_runs(encoded_view(run), 0, 1, std::uint64_t{1} << 31,
                                        [&](std::uint64_t, std::uint64_t times) {
                                          ++calls;
                                          return times == std::uint64_t{1} << 31;
                                        }));
  EXPECT_EQ(calls, 1u);
  const std::string groups = varint_bytes(~std::uint64_t{0}) + "\x01";
  EXPECT_FALSE(runs_of(groups, 1, std::uint64_t{1} << 31));
  EXPECT_EQ(runs_of(groups, 1, 8).value().size(), 8u);
  EXPECT_EQ(runs_of(groups, 0, 80).value().size(), 80u);
}

TEST(ParquetEncodings, DeltaNumbersAreRead) {
  std::mt19937_64 random(42);
  for (const std::size_t count : {0U, 1U, 2U, 32U, 33U, 128U, 129U, 130U, 1000U}) {
    for (const unsigned bits : {0U, 1U, 13U, 63U, 64U}) {
      std::vector<std::uint64_t> numbers(count);
      for (std::uint64_t& number : numbers) {
        number = bits == 0 ? 7 : random() >> (64 - bits);
      }
      const std::string bytes = delta_bytes(numbers) + "more";
      auto deltas = parquet::DeltaNumbers::open(encoded_view(bytes), 0, count);
      ASSERT_TRUE(deltas) << deltas.error().to_string();
      EXPECT_EQ(deltas->size_bytes().value(), bytes.size() - 4);
      for (const std::uint64_t number : numbers) {
        ASSERT_EQ(deltas->next().value(), number) << count << " of " << bits;
      }
    }
  }
}

TEST(ParquetEncodings, DeltaNumbersOfAnotherShapeAreRefused) {
  const auto code = [](const std::string& bytes, std::uint64_t count) {
    const auto numbers = parquet::DeltaNumbers::open(encoded_view(bytes), 0, count);
    return numbers ? std::optional<ErrorCode>() : numbers.error().code();
  };
  const std::vector<std::uint64_t> numbers(40, 1);
  EXPECT_EQ(code(delta_bytes(numbers), 40), std::nullopt);
  EXPECT_EQ(code(delta_bytes(numbers), 41), ErrorCode::kCorruption);
  EXPECT_EQ(code(delta_bytes(numbers, 4096), 40), ErrorCode::kUnsupported);
  EXPECT_EQ(code(delta_bytes(numbers, 2048), 40), std::nullopt);
  EXPECT_EQ(code(delta_bytes(numbers, 128, 8), 40), ErrorCode::kCorruption);  // of 16
  EXPECT_EQ(code(delta_bytes(numbers, 256, 8), 40), std::nullopt);
  const auto header = [](std::uint64_t block, std::uint64_t miniblocks) {
    return varint_bytes(block) + varint_bytes(miniblocks) + varint_bytes(1) + zigzag(0);
  };
  EXPECT_EQ(code(header(128, 0), 1), ErrorCode::kCorruption);
  EXPECT_EQ(code(header(0, 4), 1), ErrorCode::kCorruption);
  EXPECT_EQ(code(header(128, 3), 1), ErrorCode::kCorruption);
  EXPECT_EQ(code(header(32, std::uint64_t{1} << 60), 1), ErrorCode::kCorruption);
  EXPECT_EQ(code("", 0), ErrorCode::kCorruption);
  // A width above 64 bits.
  std::string wide = header(128, 4);
  wide[2 + 1] = 3;  // numbers
  wide += zigzag(0) + std::string(4, '\x41') + std::string(1000, '\0');
  auto open = parquet::DeltaNumbers::open(encoded_view(wide), 0, 3);
  ASSERT_TRUE(open);
  EXPECT_TRUE(open->next());
  EXPECT_EQ(open->next().error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(open->size_bytes().error().code(), ErrorCode::kCorruption);
}

TEST(ParquetEncodings, EveryEncodingOfTextsHasTheirBytes) {
  for (const std::size_t count : {0U, 1U, 40U, 3000U}) {
    const std::vector<std::string> texts = some_texts(count);
    const std::pair<Encoding, std::string> encoded[] = {
        {Encoding::kPlain, plain_arrays(texts)},
        {Encoding::kDeltaLengthByteArray, length_arrays(texts)},
        {Encoding::kDeltaByteArray, prefixed_arrays(texts)}};
    for (const auto& [encoding, bytes] : encoded) {
      const auto read = values_of({.encoding = encoding,
                                   .type = kBytes,
                                   .bytes = encoded_view(bytes),
                                   .offset = 0,
                                   .count = texts.size()});
      ASSERT_TRUE(read) << read.error().to_string();
      EXPECT_EQ(*read, texts);
      // One more, one less, and a byte too much.
      for (const std::size_t other : {texts.size() - 1, texts.size() + 1}) {
        EXPECT_FALSE(values_of({.encoding = encoding,
                                .type = kBytes,
                                .bytes = encoded_view(bytes),
                                .offset = 0,
                                .count = other}));
      }
      const std::string longer = bytes + "x";
      EXPECT_FALSE(values_of({.encoding = encoding,
                              .type = kBytes,
                              .bytes = encoded_view(longer),
                              .offset = 0,
                              .count = texts.size()}));
    }
  }
}

TEST(ParquetEncodings, EveryEncodingOfNumbersHasTheirBytes) {
  std::vector<std::uint64_t> numbers;
  std::vector<std::string> longs;
  std::vector<std::string> ints;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    numbers.push_back(i * 7919 - 1000000);
    longs.push_back(little_endian(numbers.back()));
    ints.push_back(little_endian(static_cast<std::uint32_t>(numbers.back())));
  }
  const auto joined = [](const std::vector<std::string>& values) {
    std::string bytes;
    for (const std::string& value : values) {
      bytes += value;
    }
    return bytes;
  };
  const auto streams = [](const std::vector<std::string>& values) {
    std::string bytes;
    for (std::size_t i = 0; i < values[0].size(); ++i) {
      for (const std::string& value : values) {
        bytes += value[i];
      }
    }
    return bytes;
  };
  const auto expect = [](PhysicalType type, Encoding encoding, const std::string& bytes,
                         const std::vector<std::string>& values) {
    const ColumnType column{.physical = type, .length = static_cast<std::int32_t>(values[0].size())};
    const auto read = values_of({.encoding = encoding,
                                 .type = column,
                                 .bytes = encoded_view(bytes),
                                 .offset = 0,
                                 .count = values.size()});
    ASSERT_TRUE(read) << read.error().to_string();
    EXPECT_EQ(*read, values);
    EXPECT_FALSE(values_of({.encoding = encoding,
                            .type = column,
                            .bytes = encoded_view(bytes).first(bytes.size() - 1),
                            .offset = 0,
                            .count = values.size()}));
  };
  for (const auto& [type, values] : {std::pair(PhysicalType::kInt64, longs),
                                     {PhysicalType::kDouble, longs},
                                     {PhysicalType::kInt32, ints},
                                     {PhysicalType::kFloat, ints},
                                     {PhysicalType::kFixedLengthByteArray, longs}}) {
    expect(type, Encoding::kPlain, joined(values), values);
    expect(type, Encoding::kByteStreamSplit, streams(values), values);
  }
  expect(PhysicalType::kInt64, Encoding::kDeltaBinaryPacked, delta_bytes(numbers), longs);
  expect(PhysicalType::kInt32, Encoding::kDeltaBinaryPacked, delta_bytes(numbers), ints);
  expect(PhysicalType::kFixedLengthByteArray, Encoding::kDeltaByteArray, prefixed_arrays(longs), longs);
}

TEST(ParquetEncodings, AnEncodingOfAnotherTypeIsNamed) {
  const std::string bytes(64, '\0');
  const auto refused = [&](PhysicalType type, Encoding encoding) {
    const auto read = values_of({.encoding = encoding,
                                 .type = {.physical = type, .length = 4},
                                 .bytes = encoded_view(bytes),
                                 .offset = 77,
                                 .count = 1});
    return !read && read.error().code() == ErrorCode::kUnsupported && read.error().offset() == 77u &&
           read.error().detail().find(parquet::encoding_name(encoding)) != std::string::npos;
  };
  EXPECT_TRUE(refused(PhysicalType::kByteArray, Encoding::kDeltaBinaryPacked));
  EXPECT_TRUE(refused(PhysicalType::kDouble, Encoding::kDeltaBinaryPacked));
  EXPECT_TRUE(refused(PhysicalType::kByteArray, Encoding::kByteStreamSplit));
  EXPECT_TRUE(refused(PhysicalType::kInt32, Encoding::kDeltaByteArray));
  EXPECT_TRUE(refused(PhysicalType::kFixedLengthByteArray, Encoding::kDeltaLengthByteArray));
  EXPECT_TRUE(refused(PhysicalType::kInt32, Encoding::kRle));
  EXPECT_TRUE(refused(PhysicalType::kInt32, static_cast<Encoding>(10)));
}

// 20,000 values that repeat a prefix of 64 KiB are 1.3 GB in 90 KB.
TEST(ParquetEncodings, ValuesThatGrowWithoutBytesAreALimitOfMemory) {
  constexpr std::size_t kCount = 20'000;
  std::vector<std::uint64_t> prefixes(kCount, 1 << 16);
  std::vector<std::string> suffixes(kCount, "b");
  prefixes[0] = 0;
  suffixes[0] = std::string(1 << 16, 'a');
  const std::string bytes = delta_bytes(prefixes) + length_arrays(suffixes);
  const auto code = [&](const std::shared_ptr<MemoryBudget>& memory) {
    const parquet::UseValues use = [](std::span<const std::string_view>) { return Status(); };
    parquet::ValueBatch batch(use, memory);
    const Status read = parquet::read_page_values({.encoding = Encoding::kDeltaByteArray,
                                                   .type = kBytes,
                                                   .bytes = encoded_view(bytes),
                                                   .offset = 0,
                                                   .count = kCount},
                                                  batch);
    return read ? ErrorCode::kIo : read.error().code();
  };
  EXPECT_EQ(code({}), ErrorCode::kCapacity);
  EXPECT_EQ(code(std::make_shared<MemoryBudget>(1000)), ErrorCode::kCapacity);
}

TEST(ParquetEncodings, EqualNeighboursOfDeltaArraysArePassedOnOnce) {
  const std::string text(1 << 12, 'a');
  std::vector<std::uint64_t> prefixes(100'000, text.size());
  std::vector<std::string> suffixes(prefixes.size());
  prefixes[0] = prefixes[1] = prefixes[2] = 0;
  suffixes[2] = text;
  const std::string bytes = delta_bytes(prefixes) + length_arrays(suffixes);
  const auto read = values_of({.encoding = Encoding::kDeltaByteArray,
                               .type = kBytes,
                               .bytes = encoded_view(bytes),
                               .offset = 0,
                               .count = prefixes.size()});
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(*read, (std::vector<std::string>{"", text}));
}

// No damage crashes; all bytes are in a vector of their size, so that the sanitizer sees a read past them.
TEST(ParquetEncodings, NoDamageOfValuesCrashes) {
  const std::vector<std::string> texts = some_texts(20);
  const std::vector<std::uint64_t> numbers = {1, 500, 3, 7, 100000, 2};
  const std::pair<EncodedValues, std::string> encoded[] = {
      {{.encoding = Encoding::kPlain, .type = kBytes, .bytes = {}, .count = texts.size()},
       plain_arrays(texts)},
      {{.encoding = Encoding::kDeltaLengthByteArray, .type = kBytes, .bytes = {}, .count = texts.size()},
       length_arrays(texts)},
      {{.encoding = Encoding::kDeltaByteArray, .type = kBytes, .bytes = {}, .count = texts.size()},
       prefixed_arrays(texts)},
      {{.encoding = Encoding::kDeltaBinaryPacked,
        .type = {.physical = PhysicalType::kInt64},
        .bytes = {},
        .count = numbers.size()},
       delta_bytes(numbers)}};
  for (const auto& [values, bytes] : encoded) {
    const auto read = [&values = values](const std::string& damaged) {
      const std::vector<char> exact(damaged.begin(), damaged.end());
      EncodedValues changed = values;
      changed.bytes = std::as_bytes(std::span(exact));
      return values_of(changed);
    };
    for_each_flip(bytes, [&](const std::string& damaged, const std::string&) { (void)read(damaged); });
    for_each_cut(bytes,
                 [&](const std::string& cut, const std::string& what) { EXPECT_FALSE(read(cut)) << what; });
  }
}

}  // namespace
}  // namespace bloomery
