#include "feed/key_mirror.h"

#include <algorithm>
#include <charconv>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "base/crc32c.h"
#include "base/endian.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

using redis::Command;
using redis::Reply;

constexpr std::int64_t kMirrorNsPerMs = 1'000'000;
// A lease may exceed its bound by this difference between two clocks.
constexpr std::int64_t kMirrorJitterMs = 100;
constexpr std::size_t kChunkHead = 24;  // redis_module/value_bytes.h
constexpr std::chrono::milliseconds kMirrorRetry{500};
// The most bytes of a filter, as in a server.
constexpr std::uint64_t kMostMirrored = std::uint64_t{1} << 36;

// Returns the payload of a chunk of BLOOM.SCANDUMP, which begins at `offset`; empty if it is damaged.
std::span<const std::byte> payload_of(const std::string& text, std::uint64_t offset) {
  const auto chunk = std::as_bytes(std::span(text));
  const bool is_whole = chunk.size() > kChunkHead && text.starts_with("BLMC") &&
                        load_little32(chunk.data() + 4) == crc32c(chunk.subspan(8)) &&
                        load_little64(chunk.data() + 8) == offset;
  return is_whole ? chunk.subspan(kChunkHead) : std::span<const std::byte>();
}

std::vector<Hash128> hashes_of(const std::string& text) {
  std::vector<Hash128> hashes(text.size() / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    hashes[i].low =
        load_little64(reinterpret_cast<const std::byte*>(text.data()) + i * sizeof(std::uint64_t));
  }
  return hashes;
}

}  // namespace

KeyMirror::KeyMirror(MirrorPlan plan, const std::atomic<bool>& stop,
                     std::function<void(const std::string&)> tell)
    : plan_(std::move(plan)),
      stop_(stop),
      tell_(std::move(tell)),
      sink_({.path = plan_.file, .slot = {}, .filter = {}, .bound_ns = 0}),
      latest_horizon_ns_(boot_clock_ns()) {}

Status KeyMirror::run() {
  BLOOMERY_RETURN_IF_ERROR(open_file());
  while (!stop_) {
    const Status status = step();
    if (status) {
      pause(plan_.every);
      continue;
    }
    const ErrorCode code = status.error().code();
    if (!was_live_ && code != ErrorCode::kIo && code != ErrorCode::kNotFound) {
      (void)sink_.close();
      return status;
    }
    note_trouble(status.error());
    pause(std::max(plan_.every, kMirrorRetry));
  }
  return sink_.close();
}

Status KeyMirror::open_file() {
  const Result<std::string> slot = sink_.noted_slot();
  if (!slot && slot.error().code() != ErrorCode::kNotFound) {
    return slot.error();
  }
  if (slot && !slot->empty()) {
    return Error::invalid_argument(
        plan_.file,
        fmt::format("expected a new file or one of a mirror, found that of the feeder of the slot {}: "
                    "name another FILE",
                    *slot));
  }
  if (const auto opened = sink_.open(); !opened) {
    return opened.error();
  }
  return {};
}

// Makes one look, and a copy if it shows another filter.
Status KeyMirror::step() {
  Result<Look> seen = look(id_, next_);
  if (!seen) {
    if (seen.error().code() == ErrorCode::kIo) {
      client_.reset();  // its connections may be in any state
    } else {
      sink_.make_void();
    }
    return seen.error();
  }
  const Status taken = take(std::move(*seen));
  if (!taken) {
    sink_.make_void();
  }
  return taken;
}

Status KeyMirror::take(Look look) {
  if (!look.record.is_complete || look.record.bound_ms == 0) {
    return refused("expected a filter that is complete, found one that its feeder is building");
  }
  if (look.layers != 1) {
    return refused(
        fmt::format("expected a filter of one layer, found {}: it has grown beyond its capacity, and its "
                    "feeder builds it anew, unless the feeder was told the capacity (-n)",
                    look.layers));
  }
  if (look.id == 0) {
    return Error(ErrorCode::kIo, subject(), "expected a list of the key's latest items, found none");
  }
  if (look.id != id_ || !look.hashes) {
    id_ = 0;
    is_live_ = false;
    BLOOMERY_RETURN_IF_ERROR(begin_copy(look));
    id_ = look.id;
    next_ = look.next;
    return {};  // the next look has the items since this one
  }
  sink_.insert_hashes(*look.hashes);
  next_ = look.next;
  return renew(look);
}

Status KeyMirror::begin_copy(const Look& look) {
  if (look.shape.words > kMostMirrored / sizeof(std::uint64_t)) {
    return refused(fmt::format("expected at most 2^36 bytes, found {} words", look.shape.words));
  }
  BLOOMERY_RETURN_IF_ERROR(sink_.begin_copy(look.shape, look.capacity, look.hash));
  const Status copied = copy_bits(look);
  if (!copied) {
    sink_.abandon_build();
  }
  return copied;
}

// Bits are only ever set, so those that are read later than the look make no difference. All of them come
// over the connection of the look: another server may lack keys that came before it.
Status KeyMirror::copy_bits(const Look& look) {
  const std::uint64_t moves_before = client_->counts().moves();
  const std::uint64_t size = look.shape.words * sizeof(std::uint64_t);
  for (std::uint64_t offset = 0; offset < size;) {
    if (stop_) {
      return Error(ErrorCode::kIo, subject(), "expected to copy the filter, found that it was to end");
    }
    Command dump("BLOOM.SCANDUMP");
    dump.key(plan_.key).word(static_cast<std::int64_t>(offset + 1)).repeatable();
    BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, run_command(std::move(dump)));
    if (client_->counts().moves() != moves_before) {
      return Error(ErrorCode::kIo, subject(), "expected one connection for a copy, found that it was lost");
    }
    const auto payload = reply.elements.size() == 2 ? payload_of(reply.elements[1].text, offset)
                                                    : std::span<const std::byte>();
    if (payload.empty()) {  // it was replaced by a smaller one
      return Error(ErrorCode::kIo, subject(),
                   fmt::format("expected the filter's bytes from {} on, found {}", offset, reply.describe()));
    }
    BLOOMERY_RETURN_IF_ERROR(sink_.copy_bits(offset, payload));
    offset += payload.size();
  }
  return {};
}

// Renews the file's lease from the key's, and lets a copy take over.
Status KeyMirror::renew(const Look& look) {
  const auto bound_ms =
      static_cast<std::int64_t>(std::min<std::uint64_t>(look.record.bound_ms, kMostMirrored));
  if (look.left_ms <= 0) {
    return Error(ErrorCode::kIo, subject(),
                 "expected a lease, found that it is over: its feeder is away or behind");
  }
  if (look.left_ms > bound_ms + kMirrorJitterMs) {
    return refused(
        fmt::format("expected a lease of at most its bound, {} ms, found {} ms: the server's clock was set "
                    "back",
                    bound_ms, look.left_ms));
  }
  // The server rounds its clock down to milliseconds, so up to one less is left of the lease.
  const std::int64_t ahead_ns = std::min<std::int64_t>(look.left_ms - 1 - bound_ms, 0) * kMirrorNsPerMs;
  const std::uint64_t horizon_ns =
      look.sent_ns - std::min(look.sent_ns, static_cast<std::uint64_t>(-ahead_ns));
  const bool is_later = horizon_ns >= latest_horizon_ns_;
  // The lease of a newer state never ends earlier, unless the server's clock was set back. Another filter may
  // be an older state, whatever its lease is.
  if (!is_later && !is_live_) {
    return {};  // the lease of the filter before goes on
  }
  if (!is_later && look.until_ms < last_until_ms_) {
    return Error(ErrorCode::kIo, subject(), "expected the last lease or a newer one, found an older one");
  }
  last_until_ms_ = look.until_ms;
  latest_horizon_ns_ = std::max(latest_horizon_ns_, horizon_ns);
  const std::uint64_t bound_ns = static_cast<std::uint64_t>(bound_ms * kMirrorNsPerMs);
  if (bound_ns != bound_ns_) {
    sink_.make_void();
    sink_.set_bound(bound_ns);
    bound_ns_ = bound_ns;
  }
  if (!is_live_) {
    const Result<FeedRecord> finished = sink_.finish_build({.position = look.record.feed.position,
                                                            .system = look.record.feed.system,
                                                            .timeline = look.record.feed.timeline,
                                                            .keys = look.record.feed.keys});
    if (!finished) {
      id_ = 0;
      return finished.error();
    }
    is_live_ = was_live_ = true;
    tell_(fmt::format("copied {}: {} bytes, bound {} ms", subject(), look.shape.words * sizeof(std::uint64_t),
                      bound_ms));
  }
  BLOOMERY_RETURN_IF_ERROR(sink_.renew(latest_horizon_ns_));
  if (!trouble_.empty()) {
    trouble_.clear();
    tell_("the lease runs again");
  }
  return {};
}

Result<Reply> KeyMirror::run_command(Command command) {
  if (!client_) {
    BLOOMERY_ASSIGN_OR_RETURN(redis::Client client, redis::Client::connect(plan_.url, plan_.limits));
    client_.emplace(std::move(client));
  }
  return client_->run(redis::Request(std::move(command)));
}

Result<KeyMirror::Look> KeyMirror::look(std::uint64_t id, std::uint64_t from) {
  Command changes("BLOOM.CHANGES");
  changes.key(plan_.key)
      .word(static_cast<std::int64_t>(id))
      .word(static_cast<std::int64_t>(from))
      .repeatable();
  std::uint64_t sent_ns = boot_clock_ns();
  if (!client_) {
    BLOOMERY_ASSIGN_OR_RETURN(const Reply greeted, run_command(Command("PING").repeatable()));
    sent_ns = boot_clock_ns();
  }
  const Result<Reply> reply = run_command(std::move(changes));
  if (reply) {
    return read_look(*reply, sent_ns);
  }
  const std::string& said = reply.error().detail();
  if (said.find("ERR not found") != std::string::npos) {
    return Error(ErrorCode::kNotFound, subject(),
                 "expected a key that a feeder feeds, found none: it was removed or renamed, or its feeder "
                 "has not made "
                 "it yet");
  }
  if (said.find("WRONGTYPE") != std::string::npos || said.find("no feeder") != std::string::npos) {
    return refused(
        "expected a filter that `bloomery feed postgres --redis` feeds, found another value: name that key");
  }
  return reply.error();
}

Result<KeyMirror::Look> KeyMirror::read_look(const Reply& reply, std::uint64_t sent_ns) const {
  Look look;
  look.sent_ns = sent_ns;
  const auto number = [&](const char* name) {
    return static_cast<std::uint64_t>(std::max<std::int64_t>(reply.number(name).value_or(0), 0));
  };
  const Reply* const record = reply.field("record");
  const Reply* const hashes = reply.field("hashes");
  const Reply* const seed = reply.field("seed");
  const Reply* const secret = reply.field("secret");
  if (record == nullptr || hashes == nullptr || seed == nullptr || secret == nullptr ||
      secret->text.size() != look.hash.secret.bytes.size()) {
    return Error(
        ErrorCode::kCorruption, subject(),
        "expected the answer of BLOOM.CHANGES (a module of this version), found " + reply.describe());
  }
  const std::optional<FedRecord> fed = fed_record_of(record->text);
  if (!fed) {
    return refused("expected the record of a feeder, found another program's");
  }
  look.record = *fed;
  look.id = number("id");
  look.next = number("next");
  if (hashes->kind == Reply::Kind::kBytes) {
    look.hashes = hashes_of(hashes->text);
  }
  look.until_ms = reply.number("lease-until").value_or(0);
  look.left_ms = reply.number("lease-left").value_or(0);
  look.layers = number("layers");
  look.shape = {.words = number("words"), .hash_count = static_cast<std::uint32_t>(number("hash-count"))};
  look.capacity = number("capacity");
  look.hash.id = static_cast<HashId>(number("hash"));
  (void)std::from_chars(seed->text.data(), seed->text.data() + seed->text.size(), look.hash.seed);
  std::ranges::copy(secret->text, look.hash.secret.bytes.begin());
  return look;
}

std::string KeyMirror::subject() const {
  return fmt::format("{}: key {}", plan_.url.endpoint.name(), plan_.key);
}

Error KeyMirror::refused(const std::string& detail) const {
  return Error::invalid_argument(subject(), detail);
}

// Tells of a trouble once, also if it comes again and again.
void KeyMirror::note_trouble(const Error& error) {
  if (const std::string text = error.to_string(); text != trouble_) {
    trouble_ = text;
    tell_("waiting: " + text);
  }
}

void KeyMirror::pause(std::chrono::milliseconds time) const {
  constexpr std::chrono::milliseconds kStep{50};
  for (; time.count() > 0 && !stop_; time -= kStep) {
    std::this_thread::sleep_for(std::min(time, kStep));
  }
}

}  // namespace bloomery::feed
