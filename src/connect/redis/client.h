// A client of one server or of a cluster. The server that the URL names decides which of the two. With
// rediss:// all servers are contacted by TLS, those of redirects too.
//
//   BLOOMERY_ASSIGN_OR_RETURN(Client client, Client::connect(url));
//   const Result<Reply> reply = client.run(Command("GET").key("user:1").repeatable());
//
// run() accepts many requests and sends each to the server that has its slot. The requests of one server form
// one pipeline. The replies are in the order of the requests.
//
// Until `total` is over, it repeats a request in these cases only:
//
//   MOVED, ASK                                  at the server that it names; at most `redirections` times
//   TRYAGAIN, CLUSTERDOWN, LOADING, MASTERDOWN  after a pause: the server did not run it
//   nobody accepts the connection               after a pause, with a new map of the cluster
//   the connection broke, or no answer came     the same, but only if the request is repeatable (command.h)
//
// Every other error reply becomes an Error with the server's name (error_of()).
//
// Invariants: a request that is not repeatable runs at most once. Replies come only from primaries, since a
// replica may lack a key that was just inserted.
//
// Threads: a Client is used by one thread at a time. Each thread opens its own; they share nothing.
// Not here: publish and subscribe, blocking commands, commands whose keys have several slots.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/redis/cluster_map.h"
#include "connect/redis/command.h"
#include "connect/redis/connection.h"
#include "connect/redis/exchange.h"
#include "connect/redis/reply.h"
#include "connect/redis/url.h"

namespace bloomery::redis {

struct Limits {
  std::chrono::milliseconds connect{2000};  // to connect and to log in
  std::chrono::milliseconds answer{5000};   // for all replies of one pipeline
  std::chrono::milliseconds total{15000};   // for a call of run(), repeats included
  int redirections = 16;                    // maximum for one request
};

// Counts of events since the client was created.
struct ClientCounts {
  std::uint64_t connections = 0;
  std::uint64_t redirections = 0;
  std::uint64_t repeats = 0;  // requests sent again for other reasons
  std::uint64_t maps = 0;     // slot maps fetched from the cluster

  // Stays the same as long as one server answers over one connection.
  std::uint64_t moves() const { return connections + redirections + repeats + maps; }
};

class Client {
 public:
  // Connects, and detects whether the server is part of a cluster. Tries once. Errors: kIo or kNotFound if
  // nobody listens; kInvalidArgument if user, password or database are refused; kCorruption if the replies
  // are not those of Redis.
  static Result<Client> connect(const Url& url, const Limits& limits = {});

  // Returns one result for each request. Errors: kIo or kNotFound if no server answered in time; kCorruption
  // for bytes that are no reply; kCapacity for a reply beyond the limits; for a server's error, error_of().
  std::vector<Result<Reply>> run(std::span<const Request> requests);
  Result<Reply> run(const Request& request);

  bool is_cluster() const { return map_.has_value(); }
  // Returns a slot of each primary of a cluster, by the present map; nothing for a single server.
  std::vector<std::uint16_t> slots_of_primaries() const {
    return map_ ? map_->slots_of_primaries() : std::vector<std::uint16_t>();
  }
  // Returns the name of the server that the URL names, for messages.
  std::string name() const { return url_.endpoint.name(); }
  const ClientCounts& counts() const { return counts_; }

 private:
  struct Pending {
    std::size_t index = 0;
    int redirections = 0;
    std::optional<Endpoint> ask;   // the server that an ASK named
    std::optional<Error> trouble;  // why the request has no result yet
  };
  // The state of one call of run().
  struct Run {
    std::span<const Request> requests;
    std::vector<Result<Reply>> results;
    std::vector<Pending> pending;
    std::vector<Pending> next;  // the requests that are pending after this round
    Clock::time_point deadline;
    bool needs_pause = false;
    bool needs_map = false;
  };
  // The requests that are sent to one server in one round.
  struct Group {
    Endpoint server;
    std::vector<Asked> asked;
    std::vector<Pending> pending;  // the states of these requests
    Status sent;
  };

  Client(Url url, const Limits& limits) : url_(std::move(url)), limits_(limits) {}

  Status fetch_map(Connection& connection, const Endpoint& from, Clock::time_point deadline);
  void renew_map(Clock::time_point deadline);
  Result<Connection*> connection_to(const Endpoint& server, Clock::time_point deadline);
  Endpoint server_of(const Request& request) const;

  void round(Run& run);
  std::vector<Group> group(Run& run) const;
  void send(Run& run, Group& group);
  void receive(Run& run, Group& group);
  void settle(Run& run, const Endpoint& server, Pending state, Reply reply);
  void redirect(Run& run, const Endpoint& server, Pending state, const Reply& reply);
  void settle_lost(Run& run, Pending state, const Error& error, bool was_sent);
  void give_up(Run& run, const Pending& state) const;

  Url url_;
  Limits limits_;
  std::optional<ClusterMap> map_;  // nothing outside a cluster
  std::map<Endpoint, Connection> connections_;
  ClientCounts counts_;
};

}  // namespace bloomery::redis
