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
#include "redis_module/value_bytes.h"
#include "tests/base/test_bytes.h"
#include "tests/redis_module/file_values.h"
#include "tests/redis_module/server_in_memory.h"
#include "tests/redis_module/values.h"

namespace bloomery::redis_module {
namespace {

std::unique_ptr<BloomValue> value_in_layout(Layout layout, std::uint64_t capacity, std::uint32_t expansion) {
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
  void put(const std::string& name, std::unique_ptr<BloomValue> value) {
    put_value(context_, name, std::move(value));
  }
  std::string operator()(const std::vector<std::string>& words) { return run(context_, words); }

  Context context_;
};

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

INSTANTIATE_TEST_SUITE_P(Layouts, PartialLoads,
                         ::testing::Values(Layout::kBloomery, Layout::kRedisBloom, Layout::kQuotient),
                         [](const auto& layout) {
                           return layout.param == Layout::kBloomery     ? "Bloomery"
                                  : layout.param == Layout::kRedisBloom ? "RedisBloom"
                                                                        : "Quotient";
                         });

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
