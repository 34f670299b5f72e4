#include "bloomery/connect/redis_cache.h"

#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/hash_secret.h"
#include "connect/idle_clients.h"
#include "connect/redis/client.h"

namespace bloomery {
namespace redis {
namespace {

// Stores a value if the lease is held. KEYS: value, lease. ARGV: token, the value's bytes, milliseconds or 0.
constexpr std::string_view kPutIfHeld =
    "if redis.call('get',KEYS[2])~=ARGV[1] then return 0 end "
    "if ARGV[3]=='0' then redis.call('set',KEYS[1],ARGV[2]) "
    "else redis.call('set',KEYS[1],ARGV[2],'px',ARGV[3]) end "
    "redis.call('del',KEYS[2]) return 1";
// Ends a lease if it is held. KEYS: lease. ARGV: token.
constexpr std::string_view kGiveBack =
    "if redis.call('get',KEYS[1])==ARGV[1] then return redis.call('del',KEYS[1]) end return 0";

std::string hex(std::uint64_t number) {
  std::array<char, 17> digits{};
  (void)std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

class RedisCache final : public guard::ValueCache {
 public:
  RedisCache(Url url, RedisCacheOptions options)
      : url_(std::move(url)),
        options_(std::move(options)),
        limits_{.connect = options_.connect,
                .answer = options_.answer,
                .total = options_.connect + options_.answer} {}

  Result<std::optional<guard::CachedValue>> get(std::string_view key) override {
    BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, run(Command("GET").key(name_of(key, "v:")).repeatable()));
    return reply.kind == Reply::Kind::kBytes ? guard::read_stored(key, reply.text) : std::nullopt;
  }

  Status put(std::string_view key, const guard::CachedValue& value, std::chrono::milliseconds keep_for,
             const guard::Lease& lease) override {
    const std::string bytes = guard::stored_bytes(key, value);
    if (lease.is_held()) {
      Command put("EVAL");
      put.word(kPutIfHeld).word("2").key(name_of(key, "v:")).key(name_of(key, "l:"));
      return done(run(put.word(lease.token).word(bytes).word(keep_for.count()).repeatable()));
    }
    Command put("SET");
    put.key(name_of(key, "v:")).word(bytes);
    if (keep_for.count() > 0) {
      put.word("PX").word(keep_for.count());
    }
    return done(run(put.repeatable()));
  }

  Status remove(std::string_view key) override {
    return done(run(Command("DEL").key(name_of(key, "v:")).key(name_of(key, "l:")).repeatable()));
  }

  bool is_shared() const override { return true; }
  bool has_leases() const override { return true; }

  Result<std::optional<guard::Lease>> take_lease(std::string_view key,
                                                 std::chrono::milliseconds duration) override {
    BLOOMERY_ASSIGN_OR_RETURN(const HashSecret random, HashSecret::generate());
    guard::Lease lease;
    for (const std::uint8_t byte : random.bytes) {
      lease.token += hex(byte).substr(14);
    }
    // SET NX is not repeatable: if the first SET succeeded, a repeated one would be refused.
    BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, run(Command("SET")
                                                         .key(name_of(key, "l:"))
                                                         .word(lease.token)
                                                         .word("NX")
                                                         .word("PX")
                                                         .word(duration.count())));
    if (reply.kind == Reply::Kind::kNil) {
      return std::optional<guard::Lease>();
    }
    return std::optional<guard::Lease>(std::move(lease));
  }

  Status give_back(std::string_view key, const guard::Lease& lease) override {
    return done(run(
        Command("EVAL").word(kGiveBack).word("1").key(name_of(key, "l:")).word(lease.token).repeatable()));
  }

 private:
  std::string name_of(std::string_view key, std::string_view kind) const {
    std::string name = options_.prefix;
    name.append("{").append(hex(hash_bytes(key, HashSpec{}).low)).append("}").append(kind).append(key);
    return name;
  }

  Result<Reply> run(const Command& command) {
    Result<Client> client = clients_.borrow([this] { return Client::connect(url_, limits_); });
    if (!client) {
      return client.error();
    }
    Result<Reply> reply = client->run(Request(command));
    if (!reply) {
      // The client is dropped, because its connections may be in any state.
      return reply.error().with_code(ErrorCode::kIo);
    }
    clients_.give_back(std::move(*client));
    if (reply->is_error()) {
      return error_of(*reply, url_.endpoint.name());
    }
    return reply;
  }

  static Status done(const Result<Reply>& reply) { return reply ? Status() : Status(reply.error()); }

  Url url_;
  RedisCacheOptions options_;
  Limits limits_;
  IdleClients<Client> clients_;
};

}  // namespace
}  // namespace redis

Result<std::shared_ptr<guard::ValueCache>> redis_cache(const std::string& url,
                                                       const RedisCacheOptions& options) {
  if (options.connect.count() <= 0 || options.answer.count() <= 0) {
    return Error::invalid_argument("redis cache", "expected times above 0");
  }
  if (options.prefix.find_first_of("{}") != std::string::npos) {
    return Error::invalid_argument("redis cache",
                                   "expected a prefix without braces, which would change the slot");
  }
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url parsed, redis::parse_url(url));
  return std::shared_ptr<guard::ValueCache>(std::make_shared<redis::RedisCache>(std::move(parsed), options));
}

}  // namespace bloomery
