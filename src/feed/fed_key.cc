#include "feed/fed_key.h"

#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

using redis::Client;
using redis::Command;
using redis::Reply;
using redis::Request;

constexpr const char* kType = "bloomery-";
// A Redis server executes one command at a time, so a larger BLOOM.FEED would delay its other clients.
constexpr std::size_t kMostItems = 1000;
constexpr std::size_t kMostBytes = std::size_t{256} * 1024;
constexpr std::int64_t kNsPerMs = 1'000'000;

Error unexpected(const Client& client, const std::string& key, const char* expected, const Reply& found) {
  return Error(ErrorCode::kCorruption, client.name() + ": key " + key,
               fmt::format("expected {}, found {}", expected, found.describe()));
}

// Parses " name=number" at the start of `text` and removes it. Returns false if `text` starts otherwise.
bool take_number(std::string_view& text, std::string_view name, int base, std::uint64_t& number) {
  if (!text.starts_with(' ') || !text.substr(1).starts_with(name) ||
      !text.substr(1 + name.size()).starts_with('=')) {
    return false;
  }
  text.remove_prefix(name.size() + 2);
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return failure == std::errc();
}

// Returns how many keys, starting at `first`, fit into one command.
std::size_t keys_of_one_command(const KeyBatch& keys, std::size_t first) {
  std::size_t bytes = 0;
  std::size_t end = first;
  while (end < keys.size() && end - first < kMostItems &&
         (end == first || bytes + keys.key(end).size() <= kMostBytes)) {
    bytes += keys.key(end++).size();
  }
  return end - first;
}

Command feed_command(const std::string& key, const std::string& before, const std::string& next,
                     std::int64_t until_ms) {
  Command feed("BLOOM.FEED");
  return feed.key(key).word(before).word(next).word(until_ms);
}

// Returns the milliseconds from the first moment to the second, rounded down; negative if the second is
// earlier.
std::int64_t whole_ms_between(std::uint64_t first_ns, std::uint64_t second_ns) {
  const auto between = static_cast<std::int64_t>(second_ns) - static_cast<std::int64_t>(first_ns);
  return between < 0 ? (between - (kNsPerMs - 1)) / kNsPerMs : between / kNsPerMs;
}

// Maps OTHERRECORD (somebody else changed the key) to kIo, so that the feeder opens the key again.
Error meaning(const Error& error) {
  const bool is_other =
      error.code() == ErrorCode::kInvalidArgument && error.detail().find("OTHERRECORD") != std::string::npos;
  return is_other ? Error(ErrorCode::kIo, error.subject(), "somebody else has changed or removed the key")
                  : error;
}

}  // namespace

std::string to_text(const FedRecord& record) {
  const FeedRecord& feed = record.feed;
  std::string text = fmt::format(
      "feed=1 slot={} run={} token={:x} step={} complete={} generation={} position={} system={} timeline={} "
      "keys={} "
      "deletes={} shape={:x} bound={}",
      record.slot, record.run, record.token, record.step, record.is_complete ? 1 : 0, feed.generation,
      feed.position, feed.system, feed.timeline, feed.keys, feed.deletes, feed.shape, record.bound_ms);
  if (feed.columns != 0 || feed.confirmed != 0 || feed.commit != KnownCommit{}) {
    text += fmt::format(" columns={:x} confirmed={:x} commit={:x} time={:x} xid={:x}", feed.columns,
                        feed.confirmed, feed.commit.end, static_cast<std::uint64_t>(feed.commit.time_us),
                        feed.commit.xid);
  }
  return text;
}

std::optional<FedRecord> fed_record_of(std::string_view text) {
  constexpr std::string_view kBegin = "feed=1 slot=";
  const std::string_view whole = text;
  if (!text.starts_with(kBegin)) {
    return std::nullopt;
  }
  text.remove_prefix(kBegin.size());
  FedRecord record;
  record.slot = text.substr(0, text.find(' '));
  text.remove_prefix(record.slot.size());
  std::uint64_t complete = 0;
  std::uint64_t timeline = 0;
  FeedRecord& feed = record.feed;
  const bool is_read =
      take_number(text, "run", 10, record.run) && take_number(text, "token", 16, record.token) &&
      take_number(text, "step", 10, record.step) && take_number(text, "complete", 10, complete) &&
      take_number(text, "generation", 10, feed.generation) &&
      take_number(text, "position", 10, feed.position) && take_number(text, "system", 10, feed.system) &&
      take_number(text, "timeline", 10, timeline) && take_number(text, "keys", 10, feed.keys) &&
      take_number(text, "deletes", 10, feed.deletes) && take_number(text, "shape", 16, feed.shape) &&
      take_number(text, "bound", 10, record.bound_ms);
  std::uint64_t time = 0;
  std::uint64_t xid = 0;
  // A record written by an earlier version of the feeder ends here.
  const bool is_longer = is_read && take_number(text, "columns", 16, feed.columns) &&
                         take_number(text, "confirmed", 16, feed.confirmed) &&
                         take_number(text, "commit", 16, feed.commit.end) &&
                         take_number(text, "time", 16, time) && take_number(text, "xid", 16, xid);
  if (is_longer) {
    feed.commit.time_us = static_cast<std::int64_t>(time);
    feed.commit.xid = static_cast<std::uint32_t>(xid);
  }
  record.is_complete = complete == 1;
  feed.timeline = static_cast<std::uint32_t>(timeline);
  return is_read && to_text(record) == whole ? std::optional(record) : std::nullopt;
}

Result<std::optional<KeyFacts>> look_at(Client& client, const std::string& key) {
  BLOOMERY_ASSIGN_OR_RETURN(const Reply type, client.run(Command("TYPE").key(key).repeatable()));
  if (type.text == "none") {
    return std::optional<KeyFacts>();
  }
  if (type.text != kType) {
    return Error::invalid_argument(client.name() + ": key " + key,
                                   "expected no key, or one that a feeder made, found the type " + type.text);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Reply info, client.run(Command("BLOOM.INFO").key(key).repeatable()));
  const Reply* const record = info.field("record");
  if (record == nullptr) {
    return unexpected(client, key, "a record in the answer to BLOOM.INFO (a module of this version)", info);
  }
  const auto number = [&](std::string_view name) {
    return static_cast<std::uint64_t>(info.number(name).value_or(0));
  };
  return std::optional(KeyFacts{.record = record->text,
                                .capacity = number("capacity"),
                                .bytes = number("filter-bytes"),
                                .lease_left_ms = number("lease-left"),
                                .is_keyed = number("keyed") != 0});
}

Result<FedKey> FedKey::create(Client& client, std::string name, FedRecord record, std::uint64_t capacity,
                              double fpp, bool is_keyed) {
  Command create("BLOOM.CREATE");
  create.key(name).word("LAYOUT").word("BLOOMERY").word("CAPACITY").word(static_cast<std::int64_t>(capacity));
  create.word("ERROR").word(fmt::format("{}", fpp));
  if (is_keyed) {
    create.word("KEYED");
  } else {
    create.word("SEED").word("0");
  }
  std::vector<Command> both{std::move(create), feed_command(name, "", to_text(record), 0)};
  const std::uint64_t sent_ns = boot_clock_ns();
  BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, client.run(Request(std::move(both))));
  for (const Reply& element : reply.elements) {
    if (element.text.find("memory limit") != std::string::npos) {
      return Error::capacity(client.name() + ": key " + name,
                             "expected room for a filter of this size, found the server's limit: CONFIG SET "
                             "bloomery.memory-limit raises it");
    }
    if (element.is_error()) {
      return redis::error_of(element, client.name());
    }
  }
  if (reply.elements.size() != 2) {
    return unexpected(client, name, "two answers", reply);
  }
  FedKey made(std::move(name), std::move(record));
  BLOOMERY_RETURN_IF_ERROR(made.take_answer(reply.elements[1], sent_ns));
  return made;
}

Status FedKey::take_answer(const Reply& reply, std::uint64_t sent_ns) {
  const bool is_right = reply.kind == Reply::Kind::kArray && reply.elements.size() == 2 &&
                        reply.elements[0].kind == Reply::Kind::kInteger;
  if (!is_right) {
    return Error(ErrorCode::kCorruption, "key " + name_,
                 "expected the server's time, found " + reply.describe());
  }
  server_ms_ = reply.elements[0].integer;
  sent_ns_ = sent_ns;
  arrived_ns_ = boot_clock_ns();
  return {};
}

Status FedKey::step(Client& client, FedRecord next, std::int64_t until_ms, const KeyBatch& keys) {
  std::vector<Request> requests;
  std::string before = to_text(record_);
  next.step = record_.step;
  std::size_t first = 0;
  do {
    ++next.step;
    const std::string text = to_text(next);
    Command command = feed_command(name_, before, text, until_ms);
    const std::size_t end = first + keys_of_one_command(keys, first);
    for (; first < end; ++first) {
      command.word(keys.key(first));
    }
    requests.emplace_back(std::move(command));
    before = text;
  } while (first < keys.size());
  const std::uint64_t sent_ns = boot_clock_ns();
  for (const Result<Reply>& reply : client.run(requests)) {
    if (!reply) {
      return meaning(reply.error());
    }
    BLOOMERY_RETURN_IF_ERROR(take_answer(*reply, sent_ns));
  }
  record_ = std::move(next);
  until_ms_ = until_ms;
  return {};
}

std::int64_t FedKey::server_ms_at(std::uint64_t moment_ns) const {
  return server_ms_ + whole_ms_between(arrived_ns_, moment_ns);
}

std::int64_t FedKey::latest_server_ms_at(std::uint64_t moment_ns) const {
  // The server's time and the difference are each rounded down to milliseconds, so each adds 1.
  return server_ms_ + 1 + whole_ms_between(sent_ns_, moment_ns) + 1;
}

}  // namespace bloomery::feed
