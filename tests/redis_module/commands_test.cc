// Commands on crafted values, on values that are loaded in part, and on values whose lease is over, without a server.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "bloomery/filter/counting_bloom_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "hash/secret_text.h"
#include "redis_module/value_bytes.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/file_values.h"
#include "tests/redis_module/server_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::unique_ptr<FilterValue> value_in_layout(Layout layout, std::uint64_t capacity, std::uint32_t expansion) {
  auto value = make_value(
      {.layout = layout, .plan = {.capacity = capacity, .fpp = 0.01, .expansion = expansion, .hash = {}}},
      kAnySize);
  EXPECT_TRUE(value);
  return std::move(value).value();
}

std::string with_crc(std::string front) {
  std::array<std::byte, 4> crc;
  store_little(crc.data(), crc32c(bytes_of(front)));
  return front.append(reinterpret_cast<const char*>(crc.data()), crc.size());
}

// Returns a front whose bytes at `at` are those of `number`, with the checksum that it should have.
template <typename T>
std::string front_with(const std::string& good, std::size_t at, T number) {
  std::string front = good.substr(0, good.size() - 4);
  store_little(reinterpret_cast<std::byte*>(front.data()) + at, number);
  return with_crc(std::move(front));
}

class Commands : public ::testing::Test {
 protected:
  Commands() { use_server_in_memory(); }
  void put(const std::string& name, std::unique_ptr<FilterValue> value) {
    put_value(context_, name, std::move(value));
  }
  std::string operator()(const std::vector<std::string>& words) { return run(context_, words); }

  Context context_;
};

// ---- the numbers of fronts

// docs/formats/redis-module.md, the plan of the layout quotient.
constexpr std::size_t kExpansionAt = 40;
constexpr std::size_t kBucketSizeAt = 88;
constexpr std::size_t kIterationsAt = 90;
constexpr std::size_t kDeletedAt = 96;

// A bucket size of 0 was taken, and CF.INFO divided by it.
TEST_F(Commands, NumbersThatNoCommandMakesAreRefusedInAFront) {
  const std::string good = front_bytes(*value_in_layout(Layout::kQuotient, 100, 1));
  const auto is_refused = [&](std::size_t at, auto number) {
    return !read_front(bytes_of(front_with(good, at, number)));
  };
  ASSERT_EQ(load_little16(bytes_of(good).data() + kBucketSizeAt), 2);
  ASSERT_EQ(load_little16(bytes_of(good).data() + kIterationsAt), 20);
  for (const unsigned size : {0U, 256U, 65535U}) {
    EXPECT_TRUE(is_refused(kBucketSizeAt, static_cast<std::uint16_t>(size))) << size;
  }
  for (const unsigned size : {1U, 2U, 255U}) {
    EXPECT_FALSE(is_refused(kBucketSizeAt, static_cast<std::uint16_t>(size))) << size;
  }
  EXPECT_TRUE(is_refused(kIterationsAt, std::uint16_t{0}));
  EXPECT_FALSE(is_refused(kIterationsAt, std::uint16_t{65535}));
  EXPECT_TRUE(is_refused(kDeletedAt, ~std::uint64_t{0}));
  EXPECT_FALSE(is_refused(kDeletedAt, std::uint64_t{1} << 62));
  EXPECT_TRUE(is_refused(kExpansionAt, std::uint32_t{32769}));
  EXPECT_FALSE(is_refused(kExpansionAt, std::uint32_t{32768}));
  EXPECT_TRUE(is_refused(16, (std::uint64_t{1} << 52) + 1)) << "a lease that BLOOM.LEASE refuses";
  EXPECT_FALSE(is_refused(16, std::uint64_t{1} << 52));
}

TEST_F(Commands, EntriesOfALinkThatCannotBeAddedUpAreRefused) {
  redisbloom::ChainHeader header = value_in_layout(Layout::kRedisBloom, 100, 2)->chain().header();
  EXPECT_TRUE(load_header(bytes_of(redisbloom::chain_header_bytes(header))));
  redisbloom::ChainLink& link = header.links.front();
  link.bits_per_entry = 1e-18;
  link.hash_count = 1;
  link.entries = std::uint64_t{1} << 53;
  EXPECT_FALSE(load_header(bytes_of(redisbloom::chain_header_bytes(header))));
}

// Every number of a front is tried: as nothing, as all, and as what its neighbours are. A front is refused, or each command
// answers of its value. A division by zero would end this test.
TEST_F(Commands, EveryFrontIsRefusedOrItsValueMeetsEveryCommand) {
  std::vector<std::string> fronts;
  for (const Layout layout : {Layout::kBloomery, Layout::kRedisBloom, Layout::kQuotient}) {
    const auto value = value_in_layout(layout, 20, 2);
    add_keys(*value, 0, 50);
    value->set_lease_until(kMemoryNow + 1000);
    fronts.push_back(front_bytes(*value));
  }
  const auto late = growing_value(3000, 4);
  add_keys(*late, 0, 5000);
  fronts.push_back(front_bytes(*late));
  std::size_t taken = 0;
  const auto meet = [&](const std::string& front) {
    auto value = read_front(bytes_of(front));
    if (value && (*value)->payload_bytes() < (1U << 24)) {
      ++taken;
      put("k", std::move(*value));
      call_every_command(context_, "k");
    }
  };
  for (const std::string& front : fronts) {
    for (std::size_t at = 4; at + 4 < front.size(); at += 2) {
      for (const unsigned number : {0U, 1U, 255U, 65535U}) {
        meet(front_with(front, at, static_cast<std::uint16_t>(number)));
      }
      if (at + 12 < front.size()) {
        meet(front_with(front, at, std::uint64_t{0}));
        meet(front_with(front, at, ~std::uint64_t{0}));
      }
    }
  }
  EXPECT_GT(taken, 100U);
}

// The same of the front of a file and of its header, on which the commands for files work.
TEST_F(Commands, EveryFrontOfAFileIsRefusedOrItsValueMeetsEveryCommand) {
  auto filter = *CountingBloomFilter::for_capacity(20, 0.01);
  filter.insert("a");
  std::string file;
  filter.serialize(file);
  auto whole = loaded_value(file, kMostChunkBytes);
  ASSERT_TRUE(whole);
  const std::string good = (*whole)->front();
  context_.put("k", file_type(), std::move(*whole).release());
  call_every_command(context_, "k");
  EXPECT_EQ((*this)({"BLOOM.COUNT", "k", "a"}), ":1");
  std::size_t taken = 0;
  for (std::size_t at = 4; at + 4 < good.size(); at += 2) {
    for (const unsigned number : {0U, 1U, 255U, 65535U}) {
      std::string front = good.substr(0, good.size() - 4);
      store_little(reinterpret_cast<std::byte*>(front.data()) + at, static_cast<std::uint16_t>(number));
      // The header of the file has a checksum of its own.
      store_little(reinterpret_cast<std::byte*>(front.data()) + 48 + 188,
                   crc32c(bytes_of(front).subspan(48, 188)));
      auto read = FileValue::of_front(bytes_of(with_crc(std::move(front))));
      if (!read || read->value->size() > (1U << 24)) {
        continue;
      }
      ++taken;
      for (std::uint64_t from = 0; from < file.size(); from += 64) {
        const auto piece = bytes_of(file).subspan(from, std::min<std::size_t>(64, file.size() - from));
        static_cast<void>(read->value->take(from, crc32c(piece), piece));
      }
      static_cast<void>(read->value->finish());
      context_.put("k", file_type(), std::move(read->value).release());
      call_every_command(context_, "k");
    }
  }
  EXPECT_GT(taken, 10U);
  EXPECT_FALSE(FileValue::of_front(bytes_of(front_with(good, 6, std::uint8_t{2}))))
      << "neither ended nor not";
}

// ---- loads in part

class PartialLoads : public Commands, public ::testing::WithParamInterface<Layout> {};

// A key that was loaded in part was whole after its log was rewritten: the chunk in which the load had stopped was written as a
// whole one, from bits that had not come.
TEST_P(PartialLoads, AreSoAgainAfterTheLogIsRewritten) {
  for (const bool grown : {false, true}) {
    const auto value = value_in_layout(GetParam(), grown ? 3000 : 2'000'000, grown ? 4 : 0);
    add_keys(*value, 0, 5000);
    for (std::uint64_t share = 0; share <= 8; ++share) {
      auto part = load_header(scan_step(*value, 0)->bytes);
      ASSERT_TRUE(part);
      for (std::uint64_t iterator = 1; (*part)->loaded() < value->payload_bytes() * share / 8;) {
        const auto step = scan_step(*value, iterator);
        ASSERT_TRUE(step && load_chunk(**part, step->iterator, step->bytes));
        iterator = step->iterator;
      }
      // And half of what is left of the layer: of tables, whole ones.
      if (const std::uint64_t at = (*part)->loaded(); at < value->payload_bytes()) {
        const std::uint64_t left = value->payload(at, kAnySize).size();
        ASSERT_TRUE((*part)->load_payload(at, value->payload(at, std::max<std::uint64_t>(left / 2, 8))));
      }
      put("k", std::move(*part));
      Context again;
      ASSERT_EQ(load_log(again, rewritten(context_, "k")), "");
      EXPECT_EQ(value_at(again, "k").loaded(), value_at(context_, "k").loaded());
      EXPECT_EQ(saved(value_at(again, "k")), saved(value_at(context_, "k")));
      EXPECT_EQ(maybes_of_keys(value_at(again, "k"), 0, 5000), 5000);
    }
  }
}

// The load stopped inside a table, as a crafted front may say. What is written is less, and never a table of which a part is 0.
TEST_P(PartialLoads, ThatStopInsideATableAreNotMadeWhole) {
  const auto value = value_in_layout(GetParam(), 3000, 4);
  add_keys(*value, 0, 5000);
  for (std::uint64_t at = 0; at < value->payload_bytes(); at += value->payload_bytes() / 50 / 8 * 8 + 8) {
    auto part = loaded(saved(*value));
    ASSERT_NE(part, nullptr);
    part->set_loaded(at);
    put("k", std::move(part));
    Context again;
    EXPECT_EQ(load_log(again, rewritten(context_, "k")), "") << at;
    EXPECT_LE(value_at(again, "k").loaded(), at);
    EXPECT_EQ(maybes_of_keys(value_at(again, "k"), 0, 5000), 5000);
  }
}

// A union with half a filter would deny what the other half has, and the destination would be taken for a loaded one.
TEST_F(Commands, AUnionWithAKeyThatIsBeingLoadedIsRefusedAndChangesNothing) {
  auto whole = value_in_layout(Layout::kBloomery, 3000, 4);
  add_keys(*whole, 0, 5000);
  auto half = load_header(scan_step(*whole, 0)->bytes);
  ASSERT_TRUE(half);
  ASSERT_TRUE((*half)->load_payload(0, whole->payload(0, 64)));
  put("whole", std::move(whole));
  put("half", std::move(*half));
  const std::string of_whole = saved(value_at(context_, "whole"));
  const std::string of_half = saved(value_at(context_, "half"));
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"whole", "half"},
                                             {"half", "whole"},
                                             {"half", "half"},
                                             {"new", "half"},
                                             {"new", "whole", "half"}}) {
    std::vector<std::string> command = words;
    command.insert(command.begin(), "BLOOM.UNION");
    EXPECT_EQ((*this)(command), "-ERR filter is being loaded") << words.front() << " " << words.back();
    EXPECT_EQ(saved(value_at(context_, "whole")), of_whole);
    EXPECT_EQ(saved(value_at(context_, "half")), of_half);
    EXPECT_FALSE(value_at(context_, "half").is_loaded());
    EXPECT_FALSE(context_.keys.contains("new"));
  }
  EXPECT_EQ((*this)({"BLOOM.UNION", "new", "whole"}), "+OK") << "a whole one is taken";
}

INSTANTIATE_TEST_SUITE_P(Layouts, PartialLoads,
                         ::testing::Values(Layout::kBloomery, Layout::kRedisBloom, Layout::kQuotient),
                         [](const auto& layout) {
                           return layout.param == Layout::kBloomery     ? "Bloomery"
                                  : layout.param == Layout::kRedisBloom ? "RedisBloom"
                                                                        : "Quotient";
                         });

// ---- leases

class Leases : public Commands {
 protected:
  static constexpr std::int64_t kRuns = kMemoryNow + 60'000;
  static constexpr std::int64_t kOver = kMemoryNow - 1;

  void put_leased(const std::string& name, Layout layout, std::int64_t until,
                  const std::string& record = "") {
    auto value = value_in_layout(layout, 100, 2);
    add_keys(*value, 0, 10);
    value->set_lease_until(until);
    value->set_record(record);
    put(name, std::move(value));
  }
  std::int64_t lease_of(const std::string& name) { return value_at(context_, name).lease_until(); }
};

// A union of what answers maybe said no, and had the record of a feeder that never heard of it.
TEST_F(Leases, AUnionHasTheFirstLeaseOfItsSourcesAndNoRecord) {
  put_leased("none", Layout::kBloomery, 0);
  put_leased("runs", Layout::kBloomery, kRuns);
  put_leased("over", Layout::kBloomery, kOver);
  put_leased("fed", Layout::kBloomery, kRuns + 1, "slot 7");
  put_leased("doubt", Layout::kBloomery, 0, "slot 7");
  const auto unite = [&](std::vector<std::string> sources) {
    sources.insert(sources.begin(), {"BLOOM.UNION", "u"});
    context_.remove("u");
    EXPECT_EQ((*this)(sources), "+OK");
    EXPECT_EQ(value_at(context_, "u").record(), "");
    EXPECT_EQ((*this)({"BLOOM.EXISTS", "u", "key1"}), ":1");
    return lease_of("u");
  };
  EXPECT_EQ(unite({"none"}), 0);
  EXPECT_EQ((*this)({"BLOOM.EXISTS", "u", "absent"}), ":0");
  EXPECT_EQ(unite({"none", "runs"}), kRuns);
  EXPECT_EQ((*this)({"BLOOM.EXISTS", "u", "absent"}), ":0");
  EXPECT_EQ(unite({"fed", "runs"}), kRuns);
  EXPECT_EQ(unite({"fed"}), kRuns + 1);
  for (const std::vector<std::string>& sources : std::vector<std::vector<std::string>>{
           {"over"}, {"none", "over"}, {"over", "none"}, {"runs", "over"}, {"doubt"}, {"none", "doubt"}}) {
    EXPECT_NE(unite(sources), 0);
    EXPECT_EQ((*this)({"BLOOM.EXISTS", "u", "absent"}), ":1") << sources.back();
  }
}

TEST_F(Leases, ADestinationKeepsTheLeaseThatIsOverFirst) {
  const auto united_lease = [&](std::int64_t destination, std::int64_t source) {
    put_leased("u", Layout::kBloomery, destination);
    put_leased("s", Layout::kBloomery, source);
    EXPECT_EQ((*this)({"BLOOM.UNION", "u", "s"}), "+OK");
    return lease_of("u");
  };
  EXPECT_EQ(united_lease(0, 0), 0);
  EXPECT_EQ(united_lease(kRuns, 0), kRuns);
  EXPECT_EQ(united_lease(0, kRuns), kRuns);
  EXPECT_EQ(united_lease(kRuns, kRuns + 5), kRuns);
  EXPECT_EQ(united_lease(kRuns, kOver), kOver);
  EXPECT_EQ((*this)({"BLOOM.EXISTS", "u", "absent"}), ":1");
}

// A lease from now on could end behind the last moment that a front takes. The server then saved what it did not load again:
// no key of that file came back.
TEST_F(Leases, EveryLeaseThatIsTakenIsLoadedAgain) {
  put_leased("k", Layout::kBloomery, 0);
  const auto lease = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"BLOOM.LEASE", "k"});
    return (*this)(words);
  };
  const std::string refused = "-ERR bad lease: expected 0 or more milliseconds";
  for (const std::int64_t longest : {kLatestLease - kMemoryNow, kLatestLease - kMemoryNow - 1}) {
    EXPECT_EQ(lease({std::to_string(longest)}), "+OK");
    EXPECT_NE(loaded(saved(value_at(context_, "k"))), nullptr) << longest;
  }
  for (const std::int64_t longer : std::array{kLatestLease + 1 - kMemoryNow, 0LL + kLatestLease}) {
    EXPECT_EQ(lease({std::to_string(longer)}), refused);
  }
  EXPECT_EQ(lease({"AT", std::to_string(kLatestLease + 1)}), refused);
  EXPECT_EQ(lease_of("k"), kLatestLease - 1) << "a refused lease changes nothing";
  EXPECT_EQ(lease({"AT", std::to_string(kLatestLease)}), "+OK");
  EXPECT_NE(loaded(saved(value_at(context_, "k"))), nullptr);
}

// The feeder of the destination would renew a lease that is not its own.
TEST_F(Leases, AFedDestinationTakesNoSourceThatHasALease) {
  put_leased("none", Layout::kBloomery, 0);
  put_leased("runs", Layout::kBloomery, kRuns);
  put_leased("fed", Layout::kBloomery, kRuns, "slot 7");
  EXPECT_EQ((*this)({"BLOOM.UNION", "fed", "runs"}).find("-ERR a feeder has the destination"), 0U);
  EXPECT_EQ((*this)({"BLOOM.UNION", "fed", "none"}), "+OK");
  EXPECT_EQ((*this)({"BLOOM.UNION", "fed", "fed"}), "+OK");
  EXPECT_EQ(value_at(context_, "fed").record(), "slot 7");
  EXPECT_EQ(lease_of("fed"), kRuns);
  context_.flags = kFlagReplicated;
  EXPECT_EQ((*this)({"BLOOM.UNION", "fed", "runs"}), "+OK") << "a replica obeys";
  context_.flags = 0;
}

// One rule: who answers maybe to everybody says so by every command that tells of an item.
TEST_F(Leases, ThatAreOverAnswerMaybeByEveryCommand) {
  for (const Layout layout : {Layout::kBloomery, Layout::kRedisBloom}) {
    put_leased("over", layout, kOver);
    for (const char* const command : {"BF.EXISTS", "BLOOM.EXISTS", "BF.MEXISTS", "BLOOM.MEXISTS"}) {
      EXPECT_TRUE((*this)({command, "over", "absent"}).ends_with(":1")) << command;
    }
    EXPECT_EQ((*this)({"BF.ADD", "over", "one"}), ":0") << "whether it was in, nobody knows";
    EXPECT_EQ((*this)({"BLOOM.MADD", "over", "two", "three"}), "*2 :0 :0");
    EXPECT_EQ((*this)({"BF.INSERT", "over", "ITEMS", "four"}), "*1 :0");
    EXPECT_TRUE((*this)({"BLOOM.INFO", "over"}).ends_with("+current-error ,1.000000"));
    EXPECT_EQ((*this)({"BLOOM.CARD", "over"}), ":14") << "and all were added";
    value_at(context_, "over").set_lease_until(kRuns);
    EXPECT_EQ((*this)({"BLOOM.MEXISTS", "over", "one", "two", "three", "four", "absent"}),
              "*5 :1 :1 :1 :1 :0");
    EXPECT_EQ((*this)({"BF.ADD", "over", "five"}), ":1");
  }
  put_leased("over", Layout::kQuotient, kOver);
  for (const char* const command : {"CF.EXISTS", "BLOOM.EXISTS", "CF.MEXISTS", "CF.COUNT", "BLOOM.COUNT"}) {
    EXPECT_TRUE((*this)({command, "over", "absent"}).ends_with(":1")) << command;
  }
  EXPECT_EQ((*this)({"CF.ADD", "over", "a"}), ":1") << "a copy was added";
  EXPECT_EQ((*this)({"CF.ADD", "over", "a"}), ":1");
  EXPECT_EQ((*this)({"BLOOM.COUNT", "over", "a"}), ":2");
  EXPECT_EQ((*this)({"CF.ADDNX", "over", "b"}), ":0");
  EXPECT_EQ((*this)({"CF.INSERTNX", "over", "ITEMS", "c"}), "*1 :0");
  value_at(context_, "over").set_lease_until(kRuns);
  EXPECT_EQ((*this)({"CF.MEXISTS", "over", "b", "c", "absent"}), "*3 :1 :1 :0");
  EXPECT_EQ((*this)({"CF.ADDNX", "over", "d"}), ":1");
  EXPECT_EQ((*this)({"BLOOM.COUNT", "over", "absent"}), ":0");
}

// Lease and record go wherever the value goes: RedisBloom's header dropped both.
TEST_F(Leases, GoWithDumpsCopiesAndTheLog) {
  for (const Layout layout : {Layout::kBloomery, Layout::kRedisBloom, Layout::kQuotient}) {
    for (const char* const record : {"", "slot 7"}) {
      if (layout == Layout::kQuotient && *record != '\0') {
        continue;  // nobody feeds these
      }
      for (const std::int64_t until : {std::int64_t{0}, kOver, kRuns}) {
        put_leased("k", layout, until, record);
        const FilterValue& value = value_at(context_, "k");
        const auto expect_same = [&](const FilterValue* other, const char* way) {
          ASSERT_NE(other, nullptr) << way;
          EXPECT_EQ(other->lease_until(), until) << way;
          EXPECT_EQ(other->record(), record) << way;
          EXPECT_EQ(saved(*other), saved(value)) << way;
        };
        expect_same(copied_by_dump(value).get(), "SCANDUMP and LOADCHUNK");
        expect_same(loaded(saved(value)).get(), "RDB");
        ASSERT_TRUE(context_.copy("k", "copy"));
        expect_same(&value_at(context_, "copy"), "COPY");
        Context again;
        ASSERT_EQ(load_log(again, rewritten(context_, "k")), "");
        expect_same(&value_at(again, "k"), "AOF");
      }
    }
  }
}

TEST_F(Leases, AKeyOfRedisBloomsLayoutWithoutOneHasRedisBloomsHeader) {
  put_leased("k", Layout::kRedisBloom, 0);
  const auto header = scan_step(value_at(context_, "k"), 0);
  EXPECT_EQ(header->bytes.size(), 20U + 53U);
  value_at(context_, "k").set_lease_until(kRuns);
  EXPECT_TRUE(is_front(scan_step(value_at(context_, "k"), 0)->bytes));
}

// BF.EXISTS and CF.EXISTS said no of the items of our own file keys.
TEST_F(Leases, FilesAnswerByEveryCommandThatAsks) {
  auto filter = *CountingBloomFilter::for_capacity(100, 1e-6);
  filter.insert("a");
  filter.insert("a");
  std::string file;
  filter.serialize(file);
  auto value = loaded_value(file, kMostChunkBytes);
  ASSERT_TRUE(value);
  context_.put("k", file_type(), std::move(*value).release());
  for (const char* const family : {"BF", "CF", "BLOOM"}) {
    EXPECT_EQ((*this)({std::string(family) + ".EXISTS", "k", "a"}), ":1") << family;
    EXPECT_EQ((*this)({std::string(family) + ".EXISTS", "k", "absent"}), ":0") << family;
    EXPECT_EQ((*this)({std::string(family) + ".MEXISTS", "k", "a", "absent"}), "*2 :1 :0") << family;
  }
  EXPECT_EQ((*this)({"CF.COUNT", "k", "a"}), ":2");
  EXPECT_EQ((*this)({"BF.EXISTS", "missing", "a"}), ":0") << "as RedisBloom's";
  auto part = FileValue::begin(bytes_of(file).first(kNativeHeaderBytes), crc32c(bytes_of(file)), std::nullopt,
                               kMostChunkBytes);
  ASSERT_TRUE(part);
  context_.put("part", file_type(), std::move(*part).release());
  EXPECT_EQ((*this)({"BF.EXISTS", "part", "absent"}), ":1");
  EXPECT_EQ((*this)({"CF.MEXISTS", "part", "absent"}), "*1 :1");
  EXPECT_EQ((*this)({"CF.COUNT", "part", "absent"}), "-ERR filter is being loaded");
}

// ---- limits and secrets

// A dump of some KB is a filter of 1 GiB if its pieces are empty. RESTORE took it, whatever the limit was.
TEST_F(Commands, AValueThatAClientRestoresIsRefusedAboveTheLimit) {
  static Context of_stream;
  of_stream.flags = 0;
  server.GetContextFromIO = [](RdbStream* /*stream*/) { return &of_stream; };
  const std::uint64_t limit = settings().memory_limit;
  EXPECT_NE(loaded(saved(*value_in_layout(Layout::kBloomery, 1000, 0))), nullptr);
  for (const Layout layout : {Layout::kBloomery, Layout::kRedisBloom}) {
    const auto value = value_in_layout(layout, 1'000'000'000, 0);
    ASSERT_GT(value->payload_bytes(), limit);
    const std::string bytes = saved(*value);
    EXPECT_EQ(loaded(bytes), nullptr);
    of_stream.flags = kFlagLoading;
    EXPECT_NE(loaded(bytes), nullptr) << "a server that starts has its keys";
    of_stream.flags = kFlagReplica;
    EXPECT_NE(loaded(bytes), nullptr) << "a replica obeys";
    of_stream.flags = 0;
  }
  server.GetContextFromIO = nullptr;
}

// Under another secret a filter would deny all of its items.
TEST_F(Commands, TheSecretOfAKeyedFilterGoesWithDumpsCopiesAndTheLog) {
  const std::string secret = "000102030405060708090a0b0c0d0e0f";
  for (const char* const layout : {"BLOOMERY", "QUOTIENT"}) {
    context_.remove("k");
    ASSERT_EQ((*this)({"BLOOM.CREATE", "k", "LAYOUT", layout, "CAPACITY", "1000", "SECRET", secret}), "+OK");
    const FilterValue& value = value_at(context_, "k");
    add_keys(value_at(context_, "k"), 0, 500);
    const auto expect_same = [&](const FilterValue* other, const char* way) {
      ASSERT_NE(other, nullptr) << layout << " " << way;
      const GrowingPlan& plan =
          other->layout() == Layout::kQuotient ? other->deletable().plan() : other->growing().plan();
      EXPECT_EQ(std::string(secret_text(plan.hash.secret)), secret) << layout << " " << way;
      EXPECT_EQ(maybes_of_keys(*other, 0, 500), 500) << layout << " " << way;
      EXPECT_EQ(saved(*other), saved(value)) << layout << " " << way;
    };
    expect_same(copied_by_dump(value).get(), "SCANDUMP and LOADCHUNK");
    expect_same(loaded(saved(value)).get(), "RDB");
    ASSERT_TRUE(context_.copy("k", "copy"));
    expect_same(&value_at(context_, "copy"), "COPY");
    Context again;
    ASSERT_EQ(load_log(again, rewritten(context_, "k")), "");
    expect_same(&value_at(again, "k"), "AOF");
  }
}

// A copy of a keyed file is hashed as the file is, and a dump of the copy has the secret too.
TEST_F(Commands, TheSecretOfAKeyedFileGoesWithItsCopy) {
  const HashSecret secret = *HashSecret::generate();
  auto filter = *CountingBloomFilter::for_capacity(100, 0.01, {.hash = keyed_hash(secret)});
  filter.insert("a");
  std::string file;
  filter.serialize(file);
  auto made = FileValue::begin(bytes_of(file).first(kNativeHeaderBytes), crc32c(bytes_of(file)), secret,
                               kMostChunkBytes);
  ASSERT_TRUE(made);
  ASSERT_TRUE((*made)->take(0, crc32c(bytes_of(file)), bytes_of(file)));
  ASSERT_TRUE((*made)->finish());
  context_.put("k", file_type(), std::move(*made).release());
  ASSERT_TRUE(context_.copy("k", "copy"));
  const auto& copy = *static_cast<const FileValue*>(context_.keys.at("copy").value);
  ASSERT_TRUE(copy.secret());
  EXPECT_EQ(copy.secret()->bytes, secret.bytes);
  EXPECT_EQ((*this)({"BLOOM.EXISTS", "copy", "a"}), ":1");
  const auto read = FileValue::of_front(bytes_of(copy.front()));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->value->secret());
}

// The words behind SECRET stood in SLOWLOG and MONITOR. So did the front of a dump, which has the secret.
TEST_F(Commands, SecretsAreHiddenFromWhatTheServerShows) {
  const std::string secret(32, 'a');
  EXPECT_EQ((*this)({"BLOOM.CREATE", "k", "SECRET", secret}), "+OK");
  EXPECT_EQ(context_.redacted, std::vector<int>{3});
  (*this)({"BLOOM.CREATE", "k2", "secret", "too short", "SECRET", secret});
  EXPECT_EQ(context_.redacted, (std::vector<int>{3, 5})) << "one that is refused is one too";
  (*this)({"BLOOM.LOAD", "part", "BEGIN", "header", "1", "SECRET", secret});
  EXPECT_EQ(context_.redacted, std::vector<int>{6});
  (*this)({"BLOOM.LOAD", "part", "BEGIN", "header", "1", "SECRET", secret, "one too many"});
  EXPECT_EQ(context_.redacted, std::vector<int>{6});
  const std::string front = front_bytes(value_at(context_, "k"));
  for (const char* const command : {"BF.LOADCHUNK", "CF.LOADCHUNK", "BLOOM.LOADCHUNK"}) {
    for (const char* const iterator : {"1", "x", "7"}) {
      (*this)({command, "new", iterator, front});
      EXPECT_EQ(context_.redacted, std::vector<int>{3}) << command << " " << iterator;
      context_.remove("new");
    }
  }
  (*this)({"BLOOM.CREATE", "plain", "SEED", "7"});
  EXPECT_TRUE(context_.redacted.empty());
}

}  // namespace
}  // namespace bloomery::redis_module
