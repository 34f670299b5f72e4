#include "bloomery/connect/redis_source.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "connect/idle_clients.h"
#include "connect/redis/client.h"
#include "guard/server_health.h"

namespace bloomery {
namespace redis {
namespace {

constexpr std::int64_t kNsPerMs = 1'000'000;
constexpr std::int64_t kMostMs = std::int64_t{1} << 40;  // the longest bound that is believed: 35 years
// A lease may exceed its bound by this difference between two clocks.
constexpr std::int64_t kClockJitterMs = 100;
// completeness() reuses an observation that is younger than this.
constexpr std::int64_t kFreshLookNs = 500 * kNsPerMs;

// Returns the bound that a feeder wrote into its record, in milliseconds.
std::optional<std::int64_t> bound_of(const Reply& info) {
  constexpr std::string_view kWord = " bound=";
  const Reply* const record = info.field("record");
  const std::size_t at = record == nullptr ? std::string::npos : record->text.find(kWord);
  if (at == std::string::npos || !record->text.starts_with("feed=1 ")) {
    return std::nullopt;
  }
  std::int64_t bound = 0;
  const char* const end = record->text.data() + record->text.size();
  const auto [rest, failure] = std::from_chars(record->text.data() + at + kWord.size(), end, bound);
  const bool ends = rest == end || *rest == ' ';  // later versions of the record have more fields
  const bool is_number = failure == std::errc() && ends && bound > 0 && bound <= kMostMs;
  return is_number ? std::optional(bound) : std::nullopt;
}

class RedisSource final : public guard::FilterSource {
 public:
  RedisSource(Url url, std::string key, const RedisSourceOptions& options)
      : url_(std::move(url)),
        key_(std::move(key)),
        limits_{
            .connect = options.connect, .answer = options.answer, .total = options.connect + options.answer} {
  }

  guard::Asked ask(std::string_view key) const override {
    Command exists("BLOOM.EXISTS");
    exists.key(key_).word(key).repeatable();
    const std::int64_t sent_ns = guard::machine_now_ns();
    const std::optional<Reply> reply = run(Request({info_command(), std::move(exists)}));
    guard::Asked asked;
    if (reply && reply->elements.size() == 2) {
      const Reply& said = reply->elements[1];
      asked.seen = completeness_of(reply->elements[0], sent_ns);
      const bool says_no = said.kind == Reply::Kind::kInteger && said.integer == 0;
      asked.may_contain = !says_no || asked.seen.phase != guard::FilterPhase::kComplete;
    }
    note(asked.seen, sent_ns);
    return asked;
  }

  Status insert(std::string_view /*key*/) override {
    return Error::unsupported(
        key_, 0, "expected a filter that this process writes to, found one that a feeder writes to");
  }

  guard::Completeness completeness() const override {
    const std::int64_t sent_ns = guard::machine_now_ns();
    {
      const std::lock_guard lock(mutex_);
      if (looked_ns_ != 0 && sent_ns - looked_ns_ < kFreshLookNs) {
        return seen_;
      }
      looked_ns_ = sent_ns;  // other callers use `seen_` meanwhile
    }
    const std::optional<Reply> reply = run(Request(info_command()));
    const guard::Completeness seen = reply ? completeness_of(*reply, sent_ns) : guard::Completeness();
    note(seen, sent_ns);
    return seen;
  }

  guard::SourceFigures figures() const override {
    const std::lock_guard lock(mutex_);
    return figures_;
  }

 private:
  Command info_command() const {
    Command info("BLOOM.INFO");
    return info.key(key_).repeatable();
  }

  // Runs a request. Returns nothing after any error.
  std::optional<Reply> run(const Request& request) const {
    if (!health_.may_try()) {
      return std::nullopt;
    }
    Result<Client> client = clients_.borrow([this] { return Client::connect(url_, limits_); });
    Result<Reply> reply = client ? client->run(request) : Result<Reply>(client.error());
    // Any error but kIo, for example a missing key, shows that the server is up.
    const bool is_up = reply || reply.error().code() != ErrorCode::kIo;
    (void)health_.note(is_up);
    if (!reply) {
      return std::nullopt;  // the client is dropped, because its connections may be in any state
    }
    clients_.give_back(std::move(*client));
    return std::move(*reply);
  }

  // Evaluates a reply of BLOOM.INFO whose request was sent at `sent_ns`.
  guard::Completeness completeness_of(const Reply& info, std::int64_t sent_ns) const {
    const std::optional<std::int64_t> until = info.number("lease-until");
    const std::optional<std::int64_t> left = info.number("lease-left");
    const std::optional<std::int64_t> bound = bound_of(info);
    if (!until || !left || !bound || *left <= 0 || *left > *bound + kClockJitterMs) {
      return {};
    }
    // The server rounds its clock down to milliseconds, so up to one less is left of the lease.
    const std::int64_t horizon_ns = sent_ns + (*left - 1 - *bound) * kNsPerMs;
    if (!advances(*until, horizon_ns)) {
      return {};
    }
    note_figures(info);
    return {.phase = guard::FilterPhase::kComplete, .horizon_ns = horizon_ns};
  }

  // Returns false for an older state of the server, which may lack keys that a later horizon covered. As long
  // as nobody sets the server's clock, the lease of a newer state never ends earlier. A horizon is less exact
  // than a lease's end, because replies need time. After the clock was set back, leases end earlier, and only
  // the horizon decides.
  bool advances(std::int64_t until, std::int64_t horizon_ns) const {
    const std::lock_guard lock(mutex_);
    if (until < last_until_ && horizon_ns < latest_horizon_ns_) {
      return false;
    }
    last_until_ = until;
    latest_horizon_ns_ = std::max(latest_horizon_ns_, horizon_ns);
    return true;
  }

  void note_figures(const Reply& info) const {
    const std::lock_guard lock(mutex_);
    figures_.keys = static_cast<std::uint64_t>(info.number("items").value_or(0));
    figures_.bytes = static_cast<std::uint64_t>(info.number("filter-bytes").value_or(0));
  }
  void note(const guard::Completeness& seen, std::int64_t sent_ns) const {
    const std::lock_guard lock(mutex_);
    seen_ = seen;
    looked_ns_ = sent_ns;
  }

  Url url_;
  std::string key_;
  Limits limits_;
  mutable IdleClients<Client> clients_;
  mutable guard::ServerHealth health_;
  mutable std::mutex mutex_;             // guards the members below
  mutable std::int64_t last_until_ = 0;  // end of the latest accepted lease, by the server's clock
  mutable std::int64_t latest_horizon_ns_ = 0;
  mutable guard::Completeness seen_;
  mutable std::int64_t looked_ns_ = 0;
  mutable guard::SourceFigures figures_;
};

}  // namespace
}  // namespace redis

Result<std::shared_ptr<guard::FilterSource>> redis_source(const std::string& url, const std::string& key,
                                                          const RedisSourceOptions& options) {
  if (options.connect.count() <= 0 || options.answer.count() <= 0) {
    return Error::invalid_argument("redis source", "expected times above 0");
  }
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url parsed, redis::parse_url(url));
  return std::shared_ptr<guard::FilterSource>(
      std::make_shared<redis::RedisSource>(std::move(parsed), key, options));
}

}  // namespace bloomery
