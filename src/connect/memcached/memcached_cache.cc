// A cache in memcached, by libmemcached. A memcached_st serves one thread at a time, so each call borrows
// one.
#include "bloomery/connect/memcached_cache.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <libmemcached/memcached.h>
#include <optional>
#include <string_view>
#include <utility>

#include "base/message.h"
#include "bloomery/hash/hash128.h"
#include "connect/idle_clients.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostPrefixBytes = 200;

struct Free {
  void operator()(memcached_st* client) const { memcached_free(client); }
  void operator()(char* bytes) const { std::free(bytes); }  // NOLINT: libmemcached allocated it by malloc()
};
using Client = std::unique_ptr<memcached_st, Free>;

class MemcachedCache final : public guard::ValueCache {
 public:
  MemcachedCache(std::vector<MemcachedServer> servers, MemcachedCacheOptions options)
      : servers_(std::move(servers)), options_(std::move(options)) {}

  Result<std::optional<guard::CachedValue>> get(std::string_view key) override {
    std::optional<guard::CachedValue> value;
    const Status status = with_client([&](memcached_st* client) {
      const std::string name = name_of(key);
      std::size_t size = 0;
      std::uint32_t flags = 0;
      memcached_return_t code = MEMCACHED_SUCCESS;
      const std::unique_ptr<char, Free> bytes(
          memcached_get(client, name.data(), name.size(), &size, &flags, &code));
      if (code == MEMCACHED_SUCCESS) {
        value = guard::read_stored(key, {bytes.get(), size});
      }
      return code;
    });
    if (!status) {
      return status.error();
    }
    return value;
  }

  Status put(std::string_view key, const guard::CachedValue& value, std::chrono::milliseconds keep_for,
             const guard::Lease& /*lease*/) override {
    return with_client([&](memcached_st* client) {
      const std::string name = name_of(key);
      const std::string bytes = guard::stored_bytes(key, value);
      return memcached_set(client, name.data(), name.size(), bytes.data(), bytes.size(), expiry(keep_for), 0);
    });
  }

  Status remove(std::string_view key) override {
    return with_client([&](memcached_st* client) {
      const std::string name = name_of(key);
      return memcached_delete(client, name.data(), name.size(), 0);
    });
  }

  bool is_shared() const override { return true; }

 private:
  // Returns the date at which an entry expires. memcached reads durations above 30 days as dates, so dates
  // are always sent.
  static std::time_t expiry(std::chrono::milliseconds keep_for) {
    return keep_for.count() <= 0
               ? 0
               : static_cast<std::time_t>((guard::unix_now_ms() + keep_for.count() + 999) / 1000);
  }

  std::string name_of(std::string_view key) const {
    const Hash128 hash = hash_bytes(key, HashSpec{});
    std::array<char, 33> digits{};
    (void)std::snprintf(digits.data(), digits.size(), "%016llx%016llx",
                        static_cast<unsigned long long>(hash.high),
                        static_cast<unsigned long long>(hash.low));
    return options_.prefix + digits.data();
  }

  Result<Client> make() const {
    Client client(memcached_create(nullptr));
    if (client == nullptr) {
      return Error::capacity("memcached", "expected memory for a connection, found none");
    }
    const auto set = [&](memcached_behavior_t what, std::uint64_t value) {
      return memcached_success(memcached_behavior_set(client.get(), what, value));
    };
    const auto connect_ms = static_cast<std::uint64_t>(options_.connect.count());
    const auto answer_ms = static_cast<std::uint64_t>(options_.answer.count());
    bool is_set = set(MEMCACHED_BEHAVIOR_NO_BLOCK, 1) && set(MEMCACHED_BEHAVIOR_TCP_NODELAY, 1) &&
                  set(MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, connect_ms) &&
                  set(MEMCACHED_BEHAVIOR_POLL_TIMEOUT, answer_ms) &&
                  set(MEMCACHED_BEHAVIOR_RETRY_TIMEOUT, 0) && set(MEMCACHED_BEHAVIOR_DEAD_TIMEOUT, 0) &&
                  set(MEMCACHED_BEHAVIOR_KETAMA, 1);
    for (const MemcachedServer& server : servers_) {
      const memcached_return_t code =
          server.host.starts_with('/')
              ? memcached_server_add_unix_socket(client.get(), server.host.c_str())
              : memcached_server_add(client.get(), server.host.c_str(), static_cast<in_port_t>(server.port));
      is_set = is_set && memcached_success(code);
    }
    if (!is_set) {
      return Error(ErrorCode::kIo, "memcached",
                   "expected that the client takes its options, found a refusal");
    }
    return client;
  }

  // Calls `action` with a client. A missing key is no error.
  template <typename Action>
  Status with_client(Action action) {
    Result<Client> client = clients_.borrow([this] { return make(); });
    if (!client) {
      return client.error();
    }
    const memcached_return_t code = action(client->get());
    if (code == MEMCACHED_SUCCESS || code == MEMCACHED_NOTFOUND) {
      clients_.give_back(std::move(*client));
      return {};
    }
    // The client is dropped, because the next bytes on its connection may belong to this call.
    const bool is_too_large = code == MEMCACHED_E2BIG;
    return Error(is_too_large ? ErrorCode::kCapacity : ErrorCode::kIo, "memcached",
                 message("expected an answer, found: ", memcached_strerror(client->get(), code)));
  }

  std::vector<MemcachedServer> servers_;
  MemcachedCacheOptions options_;
  IdleClients<Client> clients_;
};

bool has_only_graphic(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Result<std::shared_ptr<guard::ValueCache>> memcached_cache(const std::vector<MemcachedServer>& servers,
                                                           const MemcachedCacheOptions& options) {
  if (servers.empty()) {
    return Error::invalid_argument("memcached", "expected a server, found none");
  }
  for (const MemcachedServer& server : servers) {
    if (server.host.empty() || !has_only_graphic(server.host)) {
      return Error::invalid_argument(
          "memcached", "expected the name of a host or the path of a socket, found other bytes");
    }
  }
  if (options.prefix.size() > kMostPrefixBytes || !has_only_graphic(options.prefix)) {
    return Error::invalid_argument("memcached", "expected a prefix of at most 200 graphic characters");
  }
  if (options.connect.count() <= 0 || options.answer.count() <= 0) {
    return Error::invalid_argument("memcached", "expected times above 0");
  }
  return std::shared_ptr<guard::ValueCache>(std::make_shared<MemcachedCache>(servers, options));
}

}  // namespace bloomery
