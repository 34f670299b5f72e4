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
