#include "connect/redis/client.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>

#include "base/message.h"
#include "connect/redis/redirect.h"

namespace bloomery::redis {
namespace {

constexpr std::chrono::milliseconds kShortestPause{10};
constexpr std::chrono::milliseconds kLongestPause{400};
// The number of redirections that are followed without a pause. More mean that servers disagree, which they
// resolve in time.
constexpr int kPromptRedirections = 2;

// Returns true if the server refused the command because it cannot serve it yet, so the command was not run.
bool says_later(const Reply& reply) {
  constexpr std::array<std::string_view, 4> kLater = {"TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN"};
  return std::ranges::any_of(kLater, [&](std::string_view name) { return reply.is_error(name); });
}

}  // namespace

Result<Client> Client::connect(const Url& url, const Limits& limits) {
  Client client(url, limits);
  BLOOMERY_ASSIGN_OR_RETURN(Connection* const connection,
                            client.connection_to(url.endpoint, Clock::now() + limits.total));
  BLOOMERY_RETURN_IF_ERROR(
      client.fetch_map(*connection, url.endpoint, Clock::now() + std::min(limits.answer, limits.total)));
  return client;
}

// A server outside a cluster, or a user without the right, answers with an error. Then there is no map, until
// the first MOVED makes one.
Status Client::fetch_map(Connection& connection, const Endpoint& from, Clock::time_point deadline) {
  std::string bytes;
  Command("CLUSTER").word("SLOTS").append_to(bytes);
  BLOOMERY_RETURN_IF_ERROR(connection.send(bytes, deadline));
  BLOOMERY_ASSIGN_OR_RETURN(const Reply reply, connection.receive(deadline));
  if (reply.is_error()) {
    return reply.is_error("NOAUTH") ? Status(error_of(reply, from.name())) : Status();
  }
  BLOOMERY_ASSIGN_OR_RETURN(map_, ClusterMap::parse(reply, from));
  ++counts_.maps;
  return {};
}

// Asks the servers for the slot map until one answers. Servers with an open connection are tried first,
// because a dead server costs time. If none answers, the old map stays.
void Client::renew_map(Clock::time_point deadline) {
  std::vector<Endpoint> servers;
  for (const auto& [server, connection] : connections_) {
    servers.push_back(server);
  }
  servers.insert(servers.end(), map_->servers().begin(), map_->servers().end());
  servers.push_back(url_.endpoint);
  for (const Endpoint& server : servers) {
    if (Clock::now() >= deadline) {
      return;
    }
    const Result<Connection*> connection = connection_to(server, deadline);
    if (!connection) {
      continue;
    }
    const std::uint64_t maps = counts_.maps;
    if (!fetch_map(**connection, server, std::min(deadline, Clock::now() + limits_.answer))) {
      connections_.erase(server);
    } else if (counts_.maps != maps) {
      return;
    }
  }
}

Result<Connection*> Client::connection_to(const Endpoint& server, Clock::time_point deadline) {
  const auto known = connections_.find(server);
  if (known != connections_.end() && known->second.is_quiet()) {
    return &known->second;
  }
  connections_.erase(server);
  BLOOMERY_ASSIGN_OR_RETURN(
      Connection connection,
      Connection::open(server, url_, std::min(deadline, Clock::now() + limits_.connect)));
  ++counts_.connections;
  return &connections_.emplace(server, std::move(connection)).first->second;
}

Endpoint Client::server_of(const Request& request) const {
  if (map_) {
    if (const std::optional<std::uint16_t> slot = request.slot()) {
      if (const std::optional<Endpoint> primary = map_->primary_of(*slot)) {
        return *primary;
      }
    }
    // Any connected server redirects to the right one, or says that no server has the slot.
    if (!connections_.empty() && !connections_.contains(url_.endpoint)) {
      return connections_.begin()->first;
    }
  }
  return url_.endpoint;
}

std::vector<Result<Reply>> Client::run(std::span<const Request> requests) {
  Run run{.requests = requests,
          .results = std::vector<Result<Reply>>(requests.size(), Error(ErrorCode::kIo, name(), "not asked")),
          .pending = std::vector<Pending>(requests.size()),
          .next = {},
          .deadline = Clock::now() + limits_.total};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    run.pending[i].index = i;
  }
  auto pause = kShortestPause;
  while (!run.pending.empty()) {
    round(run);
    if (run.needs_pause && !run.pending.empty()) {
      std::this_thread::sleep_until(std::min(Clock::now() + pause, run.deadline));
      pause = std::min(pause * 2, kLongestPause);
    }
    if (Clock::now() >= run.deadline) {
      std::ranges::for_each(run.pending, [&](const Pending& state) { give_up(run, state); });
      break;
    }
    if (run.needs_map && map_ && !run.pending.empty()) {
      renew_map(run.deadline);
    }
  }
  return std::move(run.results);
}

Result<Reply> Client::run(const Request& request) {
  return std::move(run(std::span(&request, 1)).front());
}

// Sends to all servers before it waits for the first reply, so that they work at the same time.
void Client::round(Run& run) {
  run.needs_pause = false;
  run.needs_map = false;
  std::vector<Group> groups = group(run);
  for (Group& group : groups) {
    send(run, group);
  }
  for (Group& group : groups) {
    receive(run, group);
  }
  run.pending = std::exchange(run.next, {});
}

std::vector<Client::Group> Client::group(Run& run) const {
  std::map<Endpoint, Group> groups;
  for (Pending& state : run.pending) {
    const Request& request = run.requests[state.index];
    const Endpoint server = state.ask ? *state.ask : server_of(request);
    Group& group = groups[server];
    group.server = server;
    group.asked.push_back(
        {.index = state.index, .request = &request, .by_ask = state.ask.has_value(), .reply = {}});
    state.ask.reset();
    group.pending.push_back(std::move(state));
  }
  std::vector<Group> all;
  all.reserve(groups.size());
  for (auto& [server, group] : groups) {
    all.push_back(std::move(group));
  }
  return all;
}

void Client::send(Run& run, Group& group) {
  const Result<Connection*> connection = connection_to(group.server, run.deadline);
  if (!connection) {
    for (Pending& state : group.pending) {
      settle_lost(run, std::move(state), connection.error(), false);
    }
    group.pending.clear();
    return;
  }
  group.sent = send_all(**connection, group.asked, std::min(run.deadline, Clock::now() + limits_.answer));
}

void Client::receive(Run& run, Group& group) {
  if (group.pending.empty()) {
    return;
  }
  Status got = group.sent;
  if (got) {
    got = receive_all(connections_.at(group.server), group.asked,
                      std::min(run.deadline, Clock::now() + limits_.answer));
  }
  if (!got) {
    connections_.erase(group.server);
  }
  for (std::size_t i = 0; i < group.asked.size(); ++i) {
    if (group.asked[i].reply) {
      settle(run, group.server, std::move(group.pending[i]), std::move(*group.asked[i].reply));
    } else {
      settle_lost(run, std::move(group.pending[i]), got.error(), true);
    }
  }
}

void Client::settle(Run& run, const Endpoint& server, Pending state, Reply reply) {
  if (is_redirect(reply)) {
    redirect(run, server, std::move(state), reply);
    return;
  }
  const Request& request = run.requests[state.index];
  if (!says_later(reply) || (reply.is_error("TRYAGAIN") && !request.waits_for_moving_slots)) {
    run.results[state.index] =
        reply.is_error() ? Result<Reply>(error_of(reply, server.name())) : Result<Reply>(std::move(reply));
    return;
  }
  state.trouble = error_of(reply, server.name());
  run.needs_pause = true;
  run.needs_map = run.needs_map || !reply.is_error("LOADING");
  ++counts_.repeats;
  run.next.push_back(std::move(state));
}

void Client::redirect(Run& run, const Endpoint& server, Pending state, const Reply& reply) {
  const Result<Redirect> to = parse_redirect(reply, server);
  if (!to) {
    run.results[state.index] = to.error();
    return;
  }
  if (++state.redirections > limits_.redirections) {
    run.results[state.index] = Error(ErrorCode::kIo, server.name(),
                                     message("expected an answer after ", limits_.redirections,
                                             " redirections, found ", reply.describe()));
    return;
  }
  ++counts_.redirections;
  if (to->kind == Redirect::Kind::kAsk) {
    state.ask = to->to;
  } else {
    if (!map_) {
      map_.emplace();
    }
    map_->move(to->slot, to->to);
    run.needs_map = run.needs_map || state.redirections > 1;
  }
  run.needs_pause = run.needs_pause || state.redirections > kPromptRedirections;
  state.trouble = error_of(reply, server.name());
  run.next.push_back(std::move(state));
}

void Client::settle_lost(Run& run, Pending state, const Error& error, bool was_sent) {
  const bool is_answer = error.code() != ErrorCode::kIo && error.code() != ErrorCode::kNotFound;
  if (is_answer || (was_sent && !run.requests[state.index].is_repeatable())) {
    // A wrong protocol or a refused password is permanent. A request that was sent may have been run already.
    run.results[state.index] =
        is_answer ? error
                  : Error(error.code(), error.subject(),
                          error.detail() + "; nobody knows whether the server carried out the command");
    return;
  }
  state.trouble = error;
  run.needs_pause = true;
  run.needs_map = true;
  ++counts_.repeats;
  run.next.push_back(std::move(state));
}

void Client::give_up(Run& run, const Pending& state) const {
  const Error trouble = state.trouble.value_or(Error(ErrorCode::kIo, name(), "expected an answer"));
  run.results[state.index] =
      Error(trouble.code(), trouble.subject(),
            message(trouble.detail(), "; gave up after ", limits_.total.count(), " ms"));
}

}  // namespace bloomery::redis
