// The RedisBloom dialect against dumps, counts and hash vectors of RedisBloom's own sources.
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "base/endian.h"
#include "codec/redisbloom/dump.h"
#include "hash/murmur2.h"
#include "tests/base/test_folder.h"
#include "tests/codec/damage.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

using redisbloom::ChainHeader;
using redisbloom::ChainLink;
using redisbloom::ScalingChain;

std::string binary_key(std::uint64_t i) {
  std::string key = little_endian(static_cast<std::uint32_t>(i)).substr(0, 3);
  auto state = static_cast<std::uint32_t>(i * 2246822519);
  for (std::uint64_t left = i % 21; left > 0; --left) {
    state = state * 1664525 + 1013904223;
    key += static_cast<char>(state >> 24);
  }
  return key;
}

std::string record(std::uint64_t iterator, const std::string& bytes) {
  return little_endian(iterator) + little_endian(std::uint64_t{bytes.size()}) + bytes;
}

struct RedisbloomGolden {
  explicit RedisbloomGolden(const std::map<std::string, std::string>& row)
      : name(row.at("name")),
        text(row.at("keys") == "text"),
        attempted(std::stoull(row.at("attempted_adds"))),
        capacity(std::stoull(row.at("capacity"))),
        error(std::stod(row.at("error_rate"))),
        options(static_cast<std::uint32_t>(std::stoul(row.at("options")))),
        growth(static_cast<std::uint32_t>(std::stoul(row.at("growth")))),
        added(std::stoull(row.at("adds_returning_1"))),
        links(std::stoull(row.at("links"))),
        false_positives(std::stoull(row.at("false_positives_1000000_to_1099999"))) {
    std::istringstream words(row.at("chunks(file:iter:bytes)"));
    for (std::string word; words >> word;) {
      iterators.push_back(std::stoull(word.substr(word.find(':') + 1)));
    }
  }

  KeyRange keys(std::uint64_t first, std::uint64_t count) const {
    return {[this](std::uint64_t i) { return text ? numbered_key(i) : binary_key(i); }, first, count};
  }
  std::string header() const { return golden_file("redisbloom/" + name + ".header"); }
  std::string stream() const {
    std::string bytes = record(1, header());
    for (std::size_t i = 0; i < iterators.size(); ++i) {
      bytes += record(iterators[i], golden_file("redisbloom/" + name + ".chunk" + std::to_string(i)));
    }
    return bytes;
  }

  std::string name;
  bool text;
  std::uint64_t attempted;
  std::uint64_t capacity;
  double error;
  std::uint32_t options;
  std::uint32_t growth;
  std::uint64_t added;
  std::uint64_t links;
  std::uint64_t false_positives;
  std::vector<std::uint64_t> iterators;  // returned with the chunks
};

RedisbloomGolden golden_row(const std::string& name) {
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    if (row.name == name) {
      return row;
    }
  }
  ADD_FAILURE() << name;
  return golden_rows<RedisbloomGolden>("redisbloom/manifest.csv").front();
}

std::string dumped(const ScalingChain& chain) {
  std::string bytes;
  EXPECT_TRUE(write_dump(chain, false, [&bytes](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return Status();
  }));
  return bytes;
}

Result<std::unique_ptr<DialectFilter>> opened_redisbloom(const std::string& bytes) {
  return view_dialect(std::as_bytes(std::span(bytes)), "redisbloom");
}

ErrorCode refusal(const std::string& bytes) {
  const auto filter = opened_redisbloom(bytes);
  EXPECT_FALSE(filter);
  return filter ? ErrorCode::kNotFound : filter.error().code();
}

TEST(RedisBloom, EveryGoldenDumpHasItsAnswersAndFalsePositives) {
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    SCOPED_TRACE(row.name);
    const std::string stream = row.stream();
    const auto filter = viewed(stream, "");
    ASSERT_NE(filter, nullptr);
    EXPECT_EQ(filter->dialect(), "redisbloom");
    const DialectFacts facts = filter->facts();
    EXPECT_EQ(facts.inserted, row.added);
    EXPECT_NEAR(facts.target_fpp.value_or(0), row.error, 1e-15);
    EXPECT_EQ(facts.integrity, "none");
    EXPECT_EQ(facts.more.front(), (std::pair<std::string, std::string>("links", std::to_string(row.links))));
    EXPECT_EQ(count_maybes(*filter, row.keys(0, row.attempted).views()), row.attempted);
    EXPECT_EQ(count_maybes(*filter, row.keys(1'000'000, 100'000).views()), row.false_positives);
    EXPECT_EQ(written(*filter), stream);
  }
}

TEST(RedisBloom, AHeaderIsReadWithTheChunksBesideIt) {
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    SCOPED_TRACE(row.name);
    const auto filter =
        open_dialect(std::string(BLOOMERY_SOURCE) + "/tests/golden/redisbloom/" + row.name + ".header");
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), row.stream());
  }
}

TEST(RedisBloom, EveryLinkHasTheOriginalsNumbers) {
  std::map<std::string, ChainHeader> headers;
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    const std::string bytes = row.header();
    headers[row.name] = *redisbloom::read_chain_header(std::as_bytes(std::span(bytes)), 0);
    EXPECT_EQ(redisbloom::chain_header_bytes(headers[row.name]), bytes);
  }
  const auto bits = [](const std::string& hex) {
    return std::bit_cast<double>(std::stoull(hex, nullptr, 16));
  };
  for (const auto& row : golden_table("redisbloom/links.csv")) {
    SCOPED_TRACE(row.at("name") + " " + row.at("link"));
    const ChainLink& link = headers.at(row.at("name")).links.at(std::stoull(row.at("link")));
    EXPECT_EQ(std::to_string(link.bytes), row.at("bytes"));
    EXPECT_EQ(std::to_string(link.bits), row.at("bits"));
    EXPECT_EQ(std::to_string(link.size), row.at("size"));
    EXPECT_EQ(link.error, bits(row.at("error_hex")));
    EXPECT_EQ(link.bits_per_entry, bits(row.at("bpe_hex")));
    EXPECT_EQ(std::to_string(link.hash_count), row.at("hashes"));
    EXPECT_EQ(std::to_string(link.entries), row.at("entries"));
    EXPECT_EQ(std::to_string(link.n2), row.at("n2"));
  }
}

TEST(RedisBloom, BothHashesAreTheOriginals) {
  const ScalingChain wide = *ScalingChain::create(1, 0.01, redisbloom::kForce64, 2);
  const ScalingChain narrow = *ScalingChain::create(1, 0.01, 0, 2);
  for (const auto& row : golden_table("redisbloom/hash_vectors.csv")) {
    const std::uint64_t i = std::stoull(row.at("index"));
    const std::string key = row.at("keys") == "text" ? numbered_key(i) : binary_key(i);
    EXPECT_EQ(wide.hash(key).a, std::stoull(row.at("hash64_a"), nullptr, 16)) << row.at("key_hex");
    EXPECT_EQ(wide.hash(key).b, std::stoull(row.at("hash64_b"), nullptr, 16));
    EXPECT_EQ(narrow.hash(key).a, std::stoull(row.at("hash32_a"), nullptr, 16));
    EXPECT_EQ(narrow.hash(key).b, std::stoull(row.at("hash32_b"), nullptr, 16));
  }
}

// All kinds, also those that a server no longer makes; links are added as it goes.
TEST(RedisBloom, TheSameAddsMakeTheSameBytesAndAnswers) {
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    SCOPED_TRACE(row.name);
    auto chain = ScalingChain::create(row.capacity, row.error, row.options, row.growth);
    ASSERT_TRUE(chain) << chain.error().to_string();
    std::uint64_t added = 0;
    const KeyRange keys = row.keys(0, row.attempted);
    for (const std::string_view key : keys.views()) {
      const auto change = chain->add(chain->hash(key));
      ASSERT_TRUE(change) << change.error().to_string();
      added += std::uint64_t{*change};
    }
    EXPECT_EQ(added, row.added);
    EXPECT_EQ(dumped(*chain), row.stream());
  }
}

TEST(RedisBloom, AFilterIsMadeAsByBfReserve) {
  for (const RedisbloomGolden& row : golden_rows<RedisbloomGolden>("redisbloom/manifest.csv")) {
    if ((row.options & ~redisbloom::kNoScaling) != 5 || row.error > 0.25) {
      continue;
    }
    SCOPED_TRACE(row.name);
    const std::string dialect = "redisbloom:expansion=" + std::to_string(row.growth);
    const DialectPlan plan{.capacity = row.capacity, .fpp = row.error, .bits_per_key = {}};
    const KeyRange keys = row.keys(0, row.attempted);
    const auto filter = built(row.growth == 2 ? "redisbloom" : dialect, plan, keys.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    EXPECT_EQ(written(**filter), row.stream());
    const auto batch = built(dialect, plan, {});
    EXPECT_EQ((*batch)->insert_batch(keys.views()).value_or(0), row.added);
    EXPECT_EQ((*batch)->insert_batch(keys.views()).value_or(1), 0u);
  }
}

// A dump that is read grows on as the original would have.
TEST(RedisBloom, ADumpThatIsReadTakesMoreKeysAsTheOriginal) {
  for (const char* const name :
       {"growth1_e0.01_c500_text2100", "old_pow2_hash32_e0.01_c300_binary900",
        "old_pow2_force64_e0.01_c1000_text3000", "scaling4_e0.001_c200_binary6000"}) {
    const RedisbloomGolden row = golden_row(name);
    SCOPED_TRACE(name);
    auto half = ScalingChain::create(row.capacity, row.error, row.options, row.growth);
    const KeyRange first = row.keys(0, row.attempted / 2);
    for (const std::string_view key : first.views()) {
      ASSERT_TRUE(half->add(half->hash(key)));
    }
    const std::string stream = dumped(*half);
    const auto filter = viewed(stream, "");
    const KeyRange rest = row.keys(row.attempted / 2, row.attempted - row.attempted / 2);
    ASSERT_TRUE(filter->insert_batch(rest.views()));
    EXPECT_EQ(written(*filter), row.stream());
  }
}

TEST(RedisBloom, AFullFilterThatDoesNotGrowRefusesNewKeysOnly) {
  const RedisbloomGolden row = golden_row("nonscaling_e0.0001_c5000_binary5000");
  const std::string stream = row.stream();
  const auto filter = viewed(stream, "");
  ASSERT_NE(filter, nullptr);
  const auto again = filter->insert(binary_key(7));
  ASSERT_TRUE(again);
  EXPECT_FALSE(*again);
  const auto refused = filter->insert("a new key");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(written(*filter), stream);
  const std::vector<std::string_view> keys = {"one", "two", "three"};
  const auto small = built("redisbloom:nonscaling", {.capacity = 2, .fpp = 0.0001, .bits_per_key = {}}, {});
  EXPECT_EQ((*small)->insert_batch(keys).error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(count_maybes(**small, keys), 2u);
}

TEST(RedisBloom, ChainsThatCannotGrowSaySo) {
  auto chain = ScalingChain::create(1, 0.01, 5, 0);
  ASSERT_TRUE(chain->add(chain->hash("one")));
  EXPECT_EQ(chain->add(chain->hash("two")).error().code(), ErrorCode::kCapacity);
  auto tightest = ScalingChain::create(1, 1e-323, 5, 1);
  for (const char* const key : {"one", "two"}) {
    const auto added = tightest->add(tightest->hash(key));
    EXPECT_TRUE(added || added.error().code() == ErrorCode::kCapacity);
  }
  EXPECT_FALSE(tightest->add(tightest->hash("three")));
  auto widest = ScalingChain::create(1, 0.01, 5, 32769);
  ASSERT_TRUE(widest->add(widest->hash("one")));
  EXPECT_EQ(widest->add(widest->hash("two")).error().code(), ErrorCode::kCapacity);
  EXPECT_FALSE(ScalingChain::create(0, 0.01, 5, 2));
  EXPECT_FALSE(ScalingChain::create(1, 0, 5, 2));
  EXPECT_FALSE(ScalingChain::create(1, std::numeric_limits<double>::quiet_NaN(), 5, 2));
  EXPECT_FALSE(ScalingChain::create(1, 0.01, 7, 2));
  EXPECT_EQ(ScalingChain::create(~std::uint64_t{0}, 0.01, 5, 2).error().code(), ErrorCode::kCapacity);
  EXPECT_EQ(ScalingChain::create(std::uint64_t{1} << 55, 0.01, 4, 2).error().code(), ErrorCode::kCapacity);
}

TEST(RedisBloom, OptionsAreThoseOfBfReserve) {
  const DialectPlan plan{.capacity = 10, .fpp = 0.5, .bits_per_key = {}};
  const auto growth = [&plan](const std::string& dialect) {
    const std::string stream = written(**built(dialect, plan, {}));
    return std::pair(stream.substr(16 + 12, 4), stream.substr(16 + 16, 4));
  };
  EXPECT_EQ(growth("redisbloom"), std::pair(little_endian(5u), little_endian(2u)));
  EXPECT_EQ(growth("redisbloom:nonscaling"), std::pair(little_endian(13u), little_endian(2u)));
  EXPECT_EQ(growth("redisbloom:expansion=0"), std::pair(little_endian(13u), little_endian(0u)));
  EXPECT_EQ(growth("redisbloom:nonscaling,expansion=0"), std::pair(little_endian(13u), little_endian(0u)));
  EXPECT_EQ(growth("redisbloom:expansion=32768"), std::pair(little_endian(5u), little_endian(32768u)));
  EXPECT_EQ(written(**built("redisbloom", plan, {})),
            written(**built("redisbloom", {.capacity = 10, .fpp = 0.25, .bits_per_key = {}}, {})));
  for (const char* const option : {"expansion=", "expansion=-1", "expansion=32769", "expansion=2x",
                                   "nonscaling,expansion=2", "growth=2"}) {
    EXPECT_EQ(build_dialect(std::string("redisbloom:") + option, plan).error().code(),
              ErrorCode::kInvalidArgument)
        << option;
  }
  EXPECT_EQ(build_dialect("redisbloom", {.capacity = 0, .fpp = 0.01, .bits_per_key = {}}).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(RedisBloom, AKeysBitsAreWhereTheFormatSays) {
  const auto filter = built("redisbloom", {.capacity = 100, .fpp = 0.01, .bits_per_key = {}}, {{"hello"}});
  const std::string stream = written(**filter);
  std::string expected(144, '\0');
  for (const std::size_t bit : {537U, 957U, 97U, 517U, 809U, 77U, 497U, 789U}) {
    expected[bit / 8] = static_cast<char>(expected[bit / 8] | 1 << (bit % 8));
  }
  EXPECT_EQ(stream.substr(stream.size() - 144), expected);
}

TEST(RedisBloom, WhatItTellsAgreesWithWhatIsMeasured) {
  const RedisbloomGolden single = golden_row("nonscaling_e0.01_c1000_text1000");
  const std::string one_link = single.stream();
  const double rate = static_cast<double>(single.false_positives) / 100'000;
  EXPECT_NEAR(viewed(one_link, "")->current_fpp(), rate, 0.1 * rate);
  EXPECT_EQ(viewed(one_link, "")->facts().hash_count, 7u);
  const RedisbloomGolden row = golden_row("scaling_e0.01_c100_text5000");
  const std::string stream = row.stream();
  const auto filter = viewed(stream, "");
  EXPECT_NEAR(filter->estimated_count().value_or(0), 4957, 100);
  EXPECT_EQ(filter->facts().capacity, 6300u);
  EXPECT_EQ(filter->facts().hash_count, 0u);
}

TEST(RedisBloom, ChainsAreNotMerged) {
  const auto one = built("redisbloom", {.capacity = 10, .fpp = 0.01, .bits_per_key = {}}, {});
  const auto other = built("redisbloom", {.capacity = 10, .fpp = 0.01, .bits_per_key = {}}, {});
  const Status merged = (*one)->merge(**other);
  ASSERT_FALSE(merged);
  EXPECT_EQ(merged.error().code(), ErrorCode::kUnsupported);
}

TEST(RedisBloom, ASaturatedFilterAnswersMaybeAndCannotBeCounted) {
  const std::string stream = golden_row("one_e0.01_c1").stream();
  const std::string full = stream.substr(0, stream.size() - 8) + std::string(8, '\xff');
  const auto filter = viewed(full, "");
  ASSERT_NE(filter, nullptr);
  EXPECT_TRUE(filter->may_contain("anything"));
  EXPECT_EQ(filter->current_fpp(), 1);
  EXPECT_EQ(filter->estimated_count().error().code(), ErrorCode::kCapacity);
}

// A chain that grows began with half of what was asked; of one that says more, nothing was.
TEST(RedisBloom, AnErrorThatNobodyCanHaveAskedForIsNotTold) {
  const auto link = redisbloom::new_link(100, 0.75, redisbloom::kNoRounding);
  ASSERT_TRUE(link);
  const auto chain = ScalingChain::zeroed({.options = 5, .growth = 2, .links = {*link}});
  EXPECT_EQ(viewed(dumped(*chain), "")->facts().target_fpp, std::nullopt);
  const auto fixed = ScalingChain::zeroed({.options = 13, .growth = 2, .links = {*link}});
  EXPECT_EQ(viewed(dumped(*fixed), "")->facts().target_fpp, 0.75);
}

// --- Streams ---

TEST(RedisBloom, ChunksHaveAtMostSixteenMebibytesAndNeverCrossALink) {
  const auto filter =
      built("redisbloom:nonscaling", {.capacity = 14'000'000, .fpp = 0.0001, .bits_per_key = {}}, {{"key"}});
  ASSERT_TRUE(filter) << filter.error().to_string();
  const std::string stream = written(**filter);
  const auto number = [&stream](std::size_t at) {
    return load_little64(reinterpret_cast<const std::byte*>(stream.data()) + at);
  };
  EXPECT_EQ(number(16 + 73), 1 + (std::uint64_t{16} << 20));
  EXPECT_EQ(number(16 + 73 + 8), std::uint64_t{16} << 20);
  const std::size_t second = 16 + 73 + 16 + (std::size_t{16} << 20);
  EXPECT_EQ(number(second), 1 + (std::uint64_t{16} << 20) + number(second + 8));
  EXPECT_EQ(stream.size(), second + 16 + number(second + 8));
  const auto again = viewed(stream, "");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(written(*again), stream);
  EXPECT_TRUE(again->may_contain("key"));
}

TEST(RedisBloom, TheLastAnswerMayStandAtTheEndAndIsKept) {
  const std::string stream = golden_row("tiny_e0.5_c1_text40").stream();
  const std::string ended = stream + record(0, "");
  const auto filter = viewed(ended, "");
  ASSERT_NE(filter, nullptr);
  EXPECT_EQ(written(*filter), ended);
  EXPECT_EQ(refusal(ended + std::string(1, '\0')), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(ended + record(0, "")), ErrorCode::kCorruption);
}

TEST(RedisBloom, SmallerChunksAreRead) {
  const RedisbloomGolden row = golden_row("default_e0.01_c100_text50");
  const std::string chunk = golden_file("redisbloom/" + row.name + ".chunk0");
  std::string stream = record(1, row.header());
  for (std::size_t at = 0; at < chunk.size(); at += 50) {
    const std::string piece = chunk.substr(at, 50);
    stream += record(1 + at + piece.size(), piece);
  }
  EXPECT_EQ(written(*viewed(stream, "")), row.stream());
}

TEST(RedisBloom, ChunksOutOfPlaceAreRefused) {
  const RedisbloomGolden row = golden_row("tiny_e0.5_c1_text40");
  const std::string front = record(1, row.header());
  std::string data;
  for (std::size_t i = 0; i < row.links; ++i) {
    data += golden_file("redisbloom/" + row.name + ".chunk" + std::to_string(i));
  }
  ASSERT_EQ(data.size(), 104u);
  const std::string rest = row.stream().substr(front.size() + 16 + 8);
  EXPECT_TRUE(opened_redisbloom(front + record(9, data.substr(0, 8)) + rest));
  EXPECT_EQ(refusal(front + record(17, data.substr(0, 16)) + rest.substr(24)),
            ErrorCode::kCorruption);  // crosses
  EXPECT_EQ(refusal(front + record(8, data.substr(0, 8)) + rest), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(front + record(1, "") + record(9, data.substr(0, 8)) + rest), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(front + rest), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(front + record(0, "") + record(9, data.substr(0, 8)) + rest), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(front), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(row.stream() + record(106, "x")), ErrorCode::kCorruption);
  EXPECT_EQ(refusal(record(2, row.header()) + rest), ErrorCode::kCorruption);
}

TEST(RedisBloom, AHeaderAloneNeedsItsChunks) {
  const RedisbloomGolden row = golden_row("tiny_e0.5_c1_text40");
  const std::string header = row.header();
  EXPECT_EQ(refusal(header), ErrorCode::kInvalidArgument);
  const TestFolder folder;
  const auto put = [&folder](const std::string& name, const std::string& bytes) {
    std::ofstream(folder.path(name), std::ios::binary) << bytes;
  };
  const auto code = [&folder](const std::string& name) {
    const auto filter = open_dialect(folder.path(name));
    EXPECT_FALSE(filter);
    return filter ? ErrorCode::kNotFound : filter.error().code();
  };
  put("dump.header", header);
  put("dump.bin", header);
  EXPECT_EQ(code("dump.bin"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("dump.header"), ErrorCode::kCorruption);
  for (std::size_t i = 0; i < row.links; ++i) {
    put("dump.chunk" + std::to_string(i),
        golden_file("redisbloom/" + row.name + ".chunk" + std::to_string(i)));
  }
  EXPECT_EQ(written(**open_dialect(folder.path("dump.header"))), row.stream());
  put("dump.chunk6", "x");
  EXPECT_EQ(code("dump.header"), ErrorCode::kCorruption);
  put("dump.chunk6", "");
  EXPECT_EQ(code("dump.header"), ErrorCode::kCorruption);
  std::filesystem::remove(folder.path("dump.chunk6"));
  put("dump.chunk5", std::string(47, 'x'));
  EXPECT_EQ(code("dump.header"), ErrorCode::kCorruption);
  put("dump.chunk5", std::string(40, 'x'));  // as many bytes, but across a link
  put("dump.chunk4", std::string(32, 'x'));
  EXPECT_EQ(code("dump.header"), ErrorCode::kCorruption);
}

TEST(RedisBloom, ErrorsThatNobodyCanAskForMakeNoLink) {
  for (const double error : {0.0, 1.0, -0.5, 2.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const auto link = redisbloom::new_link(100, error, 5);
    ASSERT_FALSE(link) << error;
    EXPECT_EQ(link.error().code(), ErrorCode::kInvalidArgument) << error;
  }
  EXPECT_EQ(redisbloom::new_link(0, 0.01, 5).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(redisbloom::new_link(100, 0.01, 5));
}

// A stream begins with the iterator 1: a header in another record is not what BF.SCANDUMP gave first.
TEST(RedisBloom, AHeaderInALaterRecordIsNoStream) {
  const std::string header = redisbloom::chain_header_bytes(ScalingChain::create(100, 0.01, 5, 2)->header());
  const auto recognised = [&header](std::uint64_t iterator) {
    const std::string bytes = record(iterator, header);
    return redisbloom::looks_like_dump(std::as_bytes(std::span(bytes)));
  };
  EXPECT_TRUE(recognised(1));
  EXPECT_FALSE(recognised(0));
  EXPECT_FALSE(recognised(2));
}

// --- Headers that lie ---

std::string stream_of(const ChainHeader& header, std::size_t data_bytes) {
  return record(1, redisbloom::chain_header_bytes(header)) +
         record(1 + data_bytes, std::string(data_bytes, '\0'));
}

TEST(RedisBloom, HeadersThatLieAreRefused) {
  const ChainHeader good = ScalingChain::create(100, 0.01, 5, 2)->header();
  ASSERT_TRUE(opened_redisbloom(stream_of(good, 144)));
  const auto code = [&good](auto change) {
    ChainHeader header = good;
    change(header, header.links[0]);
    return refusal(stream_of(header, 144));
  };
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double error : {kNaN, kInfinity, -kInfinity, 0.0, -0.5, 1.0, 2.0}) {
    EXPECT_EQ(code([error](ChainHeader&, ChainLink& link) { link.error = error; }), ErrorCode::kCorruption);
  }
  for (const double bits : {kNaN, kInfinity, -kInfinity, 0.0, -11.0, 1e9, 6e9}) {
    EXPECT_EQ(code([bits](ChainHeader&, ChainLink& link) { link.bits_per_entry = bits; }),
              ErrorCode::kCorruption);
  }
  for (const std::uint32_t hashes : {0u, 7u, 9u, ~0u}) {
    EXPECT_EQ(code([hashes](ChainHeader&, ChainLink& link) { link.hash_count = hashes; }),
              ErrorCode::kCorruption);
  }
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.bits_per_entry = 0, link.hash_count = 0; }),
            ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.bits = 1151; }), ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.bits = 0, link.bytes = 0; }),
            ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.bits = 0, link.bytes = std::uint64_t{1} << 61; }),
            ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) {
              link.bytes = (std::uint64_t{1} << 61) - 1;
              link.bits = link.bytes * 8;
            }),
            ErrorCode::kCorruption);
  for (const int n2 : {11, 63, 64, 255}) {
    EXPECT_EQ(code([n2](ChainHeader&, ChainLink& link) { link.n2 = static_cast<std::uint8_t>(n2); }),
              ErrorCode::kCorruption);
  }
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.entries = 1000; }), ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.entries = ~std::uint64_t{0}; }),
            ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader& header, ChainLink&) { header.options = 16; }), ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader& header, ChainLink&) { header.links.clear(); }), ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader&, ChainLink& link) { link.size = std::uint64_t{1} << 62; }),
            ErrorCode::kCorruption);
  EXPECT_EQ(code([](ChainHeader& header, ChainLink& link) {  // sizes whose sum is beyond 64 bits
              link.size = std::uint64_t{1} << 63;
              header.links.push_back(ChainLink(link));
            }),
            ErrorCode::kCorruption);
  std::string size = stream_of(good, 144);
  size[16] = 1;  // of the chain, whose only link has none
  EXPECT_EQ(refusal(size), ErrorCode::kCorruption);
}

// --- Damage ---

std::uint64_t number_at(std::string_view file, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(file[at + i])) << (8 * i);
  }
  return value;
}

// What the bytes of a stream say, each link being one chunk.
bool stream_says(std::string_view file, std::string_view key) {
  const bool wide = (number_at(file, 16 + 12, 4) & 4) != 0;
  const std::uint64_t a = wide ? murmur64a(key, 0xc6a4a7935bd1e995) : murmur2_32(key, 0x9747b28c);
  const std::uint64_t b = wide ? murmur64a(key, a) : murmur2_32(key, static_cast<std::uint32_t>(a));
  const std::size_t links = number_at(file, 16 + 8, 4);
  std::size_t data = 16 + 20 + links * 53;
  for (std::size_t link = 0; link < links; ++link) {
    const std::size_t at = 16 + 20 + link * 53;
    const std::uint64_t n2 = number_at(file, at + 52, 1);
    const std::uint64_t bits = n2 > 0 ? std::uint64_t{1} << n2 : number_at(file, at + 8, 8);
    bool all = true;
    for (std::uint64_t i = 0; all && i < number_at(file, at + 40, 4); ++i) {
      const std::uint64_t bit = (a + i * b) % bits;
      all = (number_at(file, data + 16 + bit / 8, 1) >> (bit % 8) & 1) != 0;
    }
    if (all) {
      return true;
    }
    data += 16 + number_at(file, at, 8);
  }
  return false;
}

TEST(RedisBloom, EveryFlippedByteIsAnErrorOrTheAnswersOfTheBits) {
  for (const char* const name : {"default_e0.01_c100_text50", "tiny_e0.5_c1_text40", "one_e0.01_c1",
                                 "old_pow2_hash32_e0.01_c300_binary900", "growth1_e0.01_c500_text2100"}) {
    const RedisbloomGolden row = golden_row(name);
    SCOPED_TRACE(name);
    const KeyRange keys = row.keys(0, 10);
    const KeyRange absent = row.keys(1'000'000, 10);
    std::size_t open = 0;
    const std::string stream = row.stream();
    for_each_flip(stream, [&](const std::string& damaged, const std::string& what) {
      const auto filter = opened_redisbloom(damaged);
      open += std::size_t{filter.has_value()};
      for (const KeyRange* const range : {&keys, &absent}) {
        for (std::size_t i = 0; filter && i < range->views().size(); ++i) {
          ASSERT_EQ((*filter)->may_contain(range->views()[i]), stream_says(damaged, range->views()[i]))
              << what;
        }
      }
    });
    EXPECT_GE(open, (row.iterators.back() - 1) * 3) << "a bit that flips is not seen";
  }
}

TEST(RedisBloom, EveryCutAndEveryByteBehindIsAnError) {
  for (const char* const name : {"default_e0.01_c100_text50", "tiny_e0.5_c1_text40"}) {
    const std::string stream = golden_row(name).stream();
    for_each_cut(stream, [](const std::string& cut, const std::string& what) {
      ASSERT_FALSE(opened_redisbloom(cut)) << what;
    });
    EXPECT_FALSE(opened_redisbloom(stream + std::string(1, '\0')));
    EXPECT_FALSE(opened_redisbloom(stream + stream));
  }
}

}  // namespace
}  // namespace bloomery
