// A feeder's view of a key of a Redis or Valkey server: the record in the key, and the steps that advance it
// (BLOOM.FEED).
//
// The record names the key's feeder and its progress:
//
//   feed=1 slot=bloomery_users run=3 token=9f.. step=217 complete=1 generation=2 position=.. system=..
//   timeline=1 keys=.. deletes=.. shape=.. bound=5000 columns=.. confirmed=.. commit=.. time=.. xid=..
//
// `slot` is the replication slot, which only one feeder has. `run` grows each time a feeder opens the key,
// and `token` is random for each run. So a repeated step, or a step of a replaced feeder, names a record that
// the key no longer has. `bound` is in milliseconds. Readers subtract it from the lease's end to get the
// horizon, the moment before which every committed row is in the filter (bloomery/connect/redis_source.h).
//
// A lease is a time of the server's clock, and each reply contains the server's time. A FedKey remembers when
// it sent the last command and when the reply arrived (CLOCK_BOOTTIME). The server's clock showed at most
// that time at sending, and at least that time at arrival.
//
// Source: docs/redis.md for the command. Threads: one thread at a time.
// Not here: when a step is made (redis_sink.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/client.h"
#include "feed/filter_sink.h"
#include "feed/key_batch.h"

namespace bloomery::feed {

struct FedRecord {
  std::string slot;  // letters, digits and underscores
  std::uint64_t run = 0;
  std::uint64_t token = 0;
  std::uint64_t step = 0;
  bool is_complete = false;  // every row committed before the position is in the filter
  FeedRecord feed;
  std::uint64_t bound_ms = 0;

  friend bool operator==(const FedRecord&, const FedRecord&) = default;
};

std::string to_text(const FedRecord& record);
// Returns nothing for a text that to_text() does not produce.
std::optional<FedRecord> fed_record_of(std::string_view text);

// The server's facts about a key (BLOOM.INFO).
struct KeyFacts {
  std::string record;  // the feeder's record; empty if nobody feeds the key
  std::uint64_t capacity = 0;
  std::uint64_t bytes = 0;
  std::uint64_t lease_left_ms = 0;
  bool is_keyed = false;
};

// Returns nothing if the key does not exist. Errors: kInvalidArgument if it is no filter of the module;
// kUnsupported if the server lacks the module; connection errors (Client::run()).
Result<std::optional<KeyFacts>> look_at(redis::Client& client, const std::string& key);

class FedKey {
 public:
  // Precondition: the key already has this record.
  FedKey(std::string name, FedRecord record) : name_(std::move(name)), record_(std::move(record)) {}

  // Creates a key that must not exist, with its first record and no lease. Errors: kCapacity if the server's
  // limit for a key is too small; connection errors (Client::run()).
  static Result<FedKey> create(redis::Client& client, std::string name, FedRecord record,
                               std::uint64_t capacity, double fpp, bool is_keyed);

  // Inserts keys, and sets a new record and lease. Errors: kIo if the key has another record or is gone, or
  // if the outcome is unknown; others of Client::run(). After kIo the key's record is unknown: read the key
  // again.
  Status step(redis::Client& client, FedRecord next, std::int64_t until_ms, const KeyBatch& keys);

  // Returns a lower bound of the server's time at a moment of this machine's clock, in milliseconds.
  std::int64_t server_ms_at(std::uint64_t moment_ns) const;
  // Returns an upper bound of the server's time at that moment.
  std::int64_t latest_server_ms_at(std::uint64_t moment_ns) const;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const FedRecord& record() const { return record_; }
  std::int64_t until_ms() const { return until_ms_; }

 private:
  Status take_answer(const redis::Reply& reply, std::uint64_t sent_ns);

  std::string name_;
  FedRecord record_;
  std::int64_t until_ms_ = 0;
  std::int64_t server_ms_ = 0;    // the server's time in the last reply
  std::uint64_t sent_ns_ = 0;     // when the command was sent
  std::uint64_t arrived_ns_ = 0;  // when its reply arrived
};

}  // namespace bloomery::feed
