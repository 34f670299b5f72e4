// Stores a feeder's filter in a key of a Redis or Valkey server that has Bloomery's module (docs/redis.md).
//
//   users              the live filter, with the feeder's record and lease
//   {users}:rebuild    the filter being built; when complete it is renamed to `users`, atomically
//
// In a cluster both keys are in one hash slot. A key with a hash tag of its own keeps it: `app:{users}` and
// `app:{users}:rebuild`.
//
// Every change is one step (fed_key.h): inserting, saving, renewing, ending the lease. Bits, record and lease
// change together, on the server and in whatever it saves or replicates. So a server that returns to an older
// state has an older record and an older lease. The next step then fails, and the feeder opens the key again.
// It continues from the position in that record, or rebuilds the filter if the database has removed the log
// after that position.
//
//   event                                                      the filter
//   the server restarted from a file, a replica took over      continues from the record in the key
//   the key is gone (FLUSHALL, evicted, expired)               is rebuilt
//   another feeder of the same slot took the key               waits until that feeder is silent
//
// By the server's clock, a lease ends at  S + (asked + bound - b).  S is the server's time in its last reply.
// That reply arrived at b, so the server's clock showed at least S then. `asked` is the moment as of which
// the lease is renewed. A slow reply yields an earlier end than the reply before. The lease is then
// left unchanged.
//
// If the server's clock was set back, or a server with a slower clock took over, earlier leases end too late.
// A reply shows this, because the server's clock showed at most S when the command was sent. The lease is
// then corrected at once. Until that reply the server itself lets no lease run longer than it was granted
// for, unless the server was restarted meanwhile or is another one (redis_module/lease_clock.h). A guard
// treats a lease that ends earlier as an older state, unless its horizon is later (connect/redis_source.h).
//
// save() returns the position that was saved `settled` ago, because the server may lose its most recent
// changes. If the server loses more than that, the filter is rebuilt.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "bloomery/filter/default_fpp.h"
#include "connect/redis/client.h"
#include "feed/fed_key.h"
#include "feed/filter_sink.h"

namespace bloomery::feed {

struct RedisSinkOptions {
  redis::Url url;
  std::string key;
  std::string slot;  // of the feeder that owns the key
  double fpp = kDefaultFeedFpp;
  bool is_keyed = true;  // hash under a secret that the server generates for each build
  std::chrono::nanoseconds bound{};
  std::chrono::nanoseconds settled{std::chrono::seconds(10)};
  redis::Limits limits = {.connect = std::chrono::seconds(2),
                          .answer = std::chrono::seconds(5),
                          .total = std::chrono::seconds(5)};
};

// Returns the key of the filter that is being built, in the cluster slot of `key`.
std::string build_key_of(const std::string& key);

class RedisSink final : public FilterSink {
 public:
  explicit RedisSink(RedisSinkOptions options) : options_(std::move(options)) {}

  Result<std::optional<FeedRecord>> open() override;
  Status begin_build(std::uint64_t capacity) override;
  Status insert_scanned(const KeyBatch& keys) override;
  Result<FeedRecord> finish_build(FeedRecord record) override;
  void abandon_build() override;
  Status insert(const KeyBatch& keys) override;
  Result<std::uint64_t> save(const FeedRecord& record) override;
  // The record in the key contains the slot, so nothing else needs to be recorded.
  Result<std::string> noted_slot() const override { return options_.slot; }
  Status note_slot(const std::string& /*name*/) override { return {}; }
  Status renew(std::uint64_t asked_ns) override;
  void make_void() override;
  Status close() override;
  Status remove() override;
  SinkFacts facts() const override { return facts_; }
  std::string name() const override { return options_.key; }

 private:
  // A filter being built. It has its own connection, because the scan has its own thread.
  struct Build {
    redis::Client client;
    FedKey key;
  };
  struct Saved {
    std::uint64_t at_ns = 0;
    std::uint64_t position = 0;
  };

  Result<std::optional<FeedRecord>> take_over(const KeyFacts& facts);
  Status check_rival(const FedRecord& theirs, const KeyFacts& facts);
  Status step_live(const FeedRecord& feed, const KeyBatch& keys);
  std::int64_t until_ms() const;
  Status insert_into_build(const KeyBatch& keys);
  Result<bool> is_there_and_ours(redis::Client& client, const std::string& name) const;
  std::uint64_t bound_ms() const {
    return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::milliseconds>(options_.bound).count());
  }

  RedisSinkOptions options_;
  std::optional<redis::Client> client_;
  std::optional<FedKey> live_;
  std::uint64_t lease_end_ns_ = 0;  // by CLOCK_BOOTTIME; 0: no lease
  SinkFacts facts_;
  std::uint64_t run_ = 0;    // number of this feeder's run, once it has opened the key
  std::uint64_t token_ = 0;  // random, for this run
  std::uint64_t generation_ = 0;
  std::deque<Saved> saved_;  // the last settled save, then the saves that are not settled
  std::string rival_;        // record of the feeder that took over the key
  std::uint64_t rival_since_ns_ = 0;
  std::mutex mutex_;  // guards `build_`
  std::optional<Build> build_;
};

}  // namespace bloomery::feed
