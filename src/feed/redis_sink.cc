#include "feed/redis_sink.h"

#include <algorithm>
#include <random>
#include <utility>

#include "connect/redis/key_slot.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

using redis::Client;
using redis::Command;

constexpr std::uint64_t kSilenceNs = 5'000'000'000;
// A smaller difference between two replies means that the server's clock is being slewed, a larger one that
// it was set.
constexpr std::int64_t kSlewMs = 100;

std::uint64_t random_token() {
  std::random_device random;
  return std::uint64_t{random()} << 32U | random();
}

}  // namespace

std::string build_key_of(const std::string& key) {
  return redis::key_beside(key, ":rebuild");
}

// ---- opening

Result<std::optional<FeedRecord>> RedisSink::open() {
  live_.reset();
  saved_.clear();
  abandon_build();
  client_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(Client client, Client::connect(options_.url, options_.limits));
  client_.emplace(std::move(client));
  const Result<std::optional<KeyFacts>> facts = look_at(*client_, options_.key);
  if (!facts) {
    return facts.error();
  }
  if (!*facts) {
    return std::optional<FeedRecord>();
  }
  return take_over(**facts);
}

Result<std::optional<FeedRecord>> RedisSink::take_over(const KeyFacts& facts) {
  const std::string subject = client_->name() + ": key " + options_.key;
  if (facts.record.empty()) {
    return Error::invalid_argument(subject,
                                   "expected a key that a feeder made, found a filter without a record: name "
                                   "another key, or remove this one");
  }
  const std::optional<FedRecord> theirs = fed_record_of(facts.record);
  if (!theirs) {
    return Error::invalid_argument(subject, "expected the record of this feeder, found another program's");
  }
  if (theirs->slot != options_.slot) {
    return Error::invalid_argument(subject, "expected the key of the slot " + options_.slot +
                                                ", found that of " + theirs->slot +
                                                ": give each feeder a key of its own");
  }
  BLOOMERY_RETURN_IF_ERROR(check_rival(*theirs, facts));
  FedKey key(options_.key, *theirs);
  FedRecord mine = *theirs;
  mine.run = run_ = theirs->run + 1;
  mine.token = token_ = random_token();
  mine.bound_ms = bound_ms();
  BLOOMERY_RETURN_IF_ERROR(key.step(*client_, mine, 0, {}));
  generation_ = mine.feed.generation;
  found_columns_ = mine.feed.columns;
  if (!mine.is_complete || facts.is_keyed != options_.is_keyed) {
    return std::optional<FeedRecord>();  // incomplete, or hashed otherwise: rebuild it
  }
  live_.emplace(std::move(key));
  lease_end_ns_ = 0;
  facts_ = {.capacity = facts.capacity, .bytes = facts.bytes, .target_fpp = options_.fpp};
  return std::optional(mine.feed);
}

// If another feeder of the same slot opened the key after this one did, waits until that feeder has been
// silent for kSilenceNs or the bound, whichever is longer.
Status RedisSink::check_rival(const FedRecord& theirs, const KeyFacts& facts) {
  const bool is_rival = run_ != 0 && theirs.token != token_ && theirs.run > run_;
  if (!is_rival) {
    return {};
  }
  const std::uint64_t now = boot_clock_ns();
  if (rival_ != facts.record || facts.lease_left_ms > 0) {
    rival_ = facts.record;
    rival_since_ns_ = now;
  }
  const std::uint64_t silence = std::max(kSilenceNs, static_cast<std::uint64_t>(options_.bound.count()));
  return now - rival_since_ns_ >= silence
             ? Status()
             : Status(Error(ErrorCode::kIo, client_->name() + ": key " + options_.key,
                            "another feeder of the slot " + options_.slot + " has taken over"));
}

// ---- the filter that answers

Status RedisSink::step_live(const FeedRecord& feed, const KeyBatch& keys) {
  FedRecord next = live_->record();
  next.feed = feed;
  BLOOMERY_RETURN_IF_ERROR(live_->step(*client_, next, until_ms(), keys));
  if (until_ms() >= live_->until_ms()) {
    return {};
  }
  return live_->step(*client_, live_->record(), until_ms(), {});
}

// Returns the end of the lease by the server's clock. It is not shortened unless that clock was set back.
std::int64_t RedisSink::until_ms() const {
  if (lease_end_ns_ == 0) {
    return 0;
  }
  const std::int64_t given = live_->until_ms();
  const std::int64_t until = live_->server_ms_at(lease_end_ns_);
  const bool was_set_back = given > live_->latest_server_ms_at(lease_end_ns_) + kSlewMs;
  return was_set_back ? until : std::max(until, given);
}

Status RedisSink::insert(const KeyBatch& keys) {
  if (live_ && !keys.empty()) {
    BLOOMERY_RETURN_IF_ERROR(step_live(live_->record().feed, keys));
  }
  // insert_scanned() or finish_build() reports a failed build. The live filter continues.
  (void)insert_into_build(keys);
  return {};
}

Result<std::uint64_t> RedisSink::save(const FeedRecord& record) {
  if (!live_) {
    return record.position;
  }
  BLOOMERY_RETURN_IF_ERROR(step_live(record, {}));
  const std::uint64_t now = boot_clock_ns();
  const auto settled = static_cast<std::uint64_t>(options_.settled.count());
  saved_.push_back({now, record.position});
  while (saved_.size() > 1 && now - saved_[1].at_ns >= settled) {
    saved_.pop_front();
  }
  return now - saved_.front().at_ns >= settled ? saved_.front().position : 0;
}

Status RedisSink::renew(std::uint64_t asked_ns) {
  if (!live_) {
    return {};
  }
  lease_end_ns_ = std::max(lease_end_ns_, asked_ns + static_cast<std::uint64_t>(options_.bound.count()));
  return step_live(live_->record().feed, {});
}

void RedisSink::make_void() {
  lease_end_ns_ = 0;
  if (live_ && !step_live(live_->record().feed, {})) {
    live_.reset();  // the key's record is unknown, so nothing renews the lease and it expires
  }
}

Status RedisSink::close() {
  abandon_build();
  live_.reset();
  client_.reset();
  return {};
}

Status RedisSink::remove() {
  BLOOMERY_ASSIGN_OR_RETURN(Client client, Client::connect(options_.url, options_.limits));
  for (const std::string& name : {build_key_of(options_.key), options_.key}) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, is_there_and_ours(client, name));
    if (is_there) {
      BLOOMERY_RETURN_IF_ERROR(client.run(Command("UNLINK").key(name).repeatable()));
    }
  }
  return {};
}

// ---- the filter that is being built

// Returns true if the key exists. Errors: kInvalidArgument if no feeder of this slot made it; such a key is
// neither removed nor replaced.
Result<bool> RedisSink::is_there_and_ours(Client& client, const std::string& name) const {
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<KeyFacts> facts, look_at(client, name));
  const std::optional<FedRecord> record = facts ? fed_record_of(facts->record) : std::nullopt;
  if (facts && (!record || record->slot != options_.slot)) {
    return Error::invalid_argument(client.name() + ": key " + name,
                                   "expected no key, or one of a feeder of the slot " + options_.slot +
                                       ", found somebody else's: remove it, or name another KEY");
  }
  return facts.has_value();
}

Status RedisSink::begin_build(std::uint64_t capacity) {
  BLOOMERY_ASSIGN_OR_RETURN(Client client, Client::connect(options_.url, options_.limits));
  const std::string name = build_key_of(options_.key);
  // An earlier run may have left an unfinished build.
  BLOOMERY_ASSIGN_OR_RETURN(const bool is_there, is_there_and_ours(client, name));
  if (is_there) {
    BLOOMERY_RETURN_IF_ERROR(client.run(Command("UNLINK").key(name).repeatable()));
  }
  const FedRecord first{
      .slot = options_.slot, .run = run_ + 1, .token = random_token(), .feed = {}, .bound_ms = bound_ms()};
  Result<FedKey> key = FedKey::create(client, name, first, capacity, options_.fpp, options_.is_keyed);
  if (!key) {
    return key.error();
  }
  const std::lock_guard lock(mutex_);
  build_.emplace(Build{std::move(client), std::move(*key)});
  return {};
}

Status RedisSink::insert_into_build(const KeyBatch& keys) {
  const std::lock_guard lock(mutex_);
  if (!build_ || keys.empty()) {
    return {};
  }
  const Status inserted = build_->key.step(build_->client, build_->key.record(), 0, keys);
  if (!inserted) {
    build_.reset();  // it lacks keys, and must not be finished
  }
  return inserted;
}

Status RedisSink::insert_scanned(const KeyBatch& keys) {
  {
    const std::lock_guard lock(mutex_);
    if (!build_) {
      return Error(ErrorCode::kIo, options_.key, "expected the key that is built, found that it was lost");
    }
  }
  return insert_into_build(keys);
}

Result<FeedRecord> RedisSink::finish_build(FeedRecord record) {
  const std::lock_guard lock(mutex_);
  if (!build_) {
    return Error(ErrorCode::kIo, options_.key, "expected the key that is built, found that it was lost");
  }
  record.generation = generation_ + 1;
  FedRecord complete = build_->key.record();
  complete.is_complete = true;
  complete.feed = record;
  BLOOMERY_RETURN_IF_ERROR(build_->key.step(build_->client, complete, 0, {}));
  BLOOMERY_RETURN_IF_ERROR(is_there_and_ours(build_->client, options_.key));
  Command rename("RENAME");
  BLOOMERY_RETURN_IF_ERROR(build_->client.run(rename.key(build_->key.name()).word(options_.key)));
  FedKey key = std::move(build_->key);
  key.set_name(options_.key);
  build_.reset();
  run_ = key.record().run;
  token_ = key.record().token;
  generation_ = record.generation;
  saved_.clear();
  lease_end_ns_ = 0;
  live_.emplace(std::move(key));
  const Result<std::optional<KeyFacts>> facts = look_at(*client_, options_.key);
  if (facts && *facts) {
    facts_ = {.capacity = (*facts)->capacity, .bytes = (*facts)->bytes, .target_fpp = options_.fpp};
  }
  return record;
}

void RedisSink::abandon_build() {
  const std::lock_guard lock(mutex_);
  if (build_) {
    (void)build_->client.run(Command("UNLINK").key(build_->key.name()).repeatable());
    build_.reset();
  }
}

}  // namespace bloomery::feed
