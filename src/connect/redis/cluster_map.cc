#include "connect/redis/cluster_map.h"

#include <algorithm>

#include "base/message.h"
#include "connect/redis/key_slot.h"

namespace bloomery::redis {
namespace {

constexpr std::uint16_t kNobody = 0xffff;
constexpr std::size_t kMostServers = 10000;  // ten times the largest cluster that the specification mentions

bool is_number(const Reply& reply, std::int64_t least, std::int64_t most) {
  return reply.kind == Reply::Kind::kInteger && reply.integer >= least && reply.integer <= most;
}

// Returns the server of [host, port ...], or nothing for another shape or an unknown host ("?").
std::optional<Endpoint> server_of(const Reply& reply, const Endpoint& from) {
  if (reply.kind != Reply::Kind::kArray || reply.elements.size() < 2 ||
      !is_number(reply.elements[1], 1, 65535)) {
    return std::nullopt;
  }
  const Reply& host = reply.elements[0];
  if ((host.kind != Reply::Kind::kBytes && host.kind != Reply::Kind::kNil) || host.text == "?") {
    return std::nullopt;
  }
  Endpoint server;
  server.host = !host.text.empty() ? host.text : from.is_socket() ? "127.0.0.1" : from.host;
  server.port = static_cast<std::uint16_t>(reply.elements[1].integer);
  return server;
}

bool is_range(const Reply& reply) {
  return reply.kind == Reply::Kind::kArray && reply.elements.size() >= 3 &&
         is_number(reply.elements[0], 0, kSlots - 1) &&
         is_number(reply.elements[1], reply.elements[0].integer, kSlots - 1) &&
         reply.elements[2].kind == Reply::Kind::kArray;
}

}  // namespace

ClusterMap::ClusterMap() : slots_(kSlots, kNobody) {}

std::uint16_t ClusterMap::number_of(const Endpoint& server) {
  const auto found = std::ranges::find(servers_, server);
  const auto number = static_cast<std::uint16_t>(found - servers_.begin());
  if (found == servers_.end()) {
    servers_.push_back(server);
  }
  return number;
}

Result<ClusterMap> ClusterMap::parse(const Reply& reply, const Endpoint& from) {
  const auto refuse = [&](const Reply& found) {
    return Error(ErrorCode::kCorruption, from.name(),
                 message("expected a list of first slot, last slot and servers for CLUSTER SLOTS, found ",
                         found.describe()));
  };
  if (reply.kind != Reply::Kind::kArray) {
    return refuse(reply);
  }
  ClusterMap map;
  for (const Reply& range : reply.elements) {
    if (!is_range(range)) {
      return refuse(range);
    }
    const auto first = static_cast<std::size_t>(range.elements[0].integer);
    const auto last = static_cast<std::size_t>(range.elements[1].integer);
    for (std::size_t i = 2; i < range.elements.size() && map.servers_.size() < kMostServers; ++i) {
      if (const std::optional<Endpoint> server = server_of(range.elements[i], from)) {
        const std::uint16_t number = map.number_of(*server);
        if (i == 2) {
          std::fill(map.slots_.begin() + static_cast<std::ptrdiff_t>(first),
                    map.slots_.begin() + static_cast<std::ptrdiff_t>(last) + 1, number);
        }
      }
    }
  }
  return map;
}

std::optional<Endpoint> ClusterMap::primary_of(std::uint16_t slot) const {
  const std::uint16_t number = slots_[slot];
  return number == kNobody ? std::nullopt : std::optional(servers_[number]);
}

std::vector<std::uint16_t> ClusterMap::slots_of_primaries() const {
  std::vector<std::uint16_t> slots(servers_.size(), kNobody);
  for (std::uint16_t slot = 0; slot < kSlots; ++slot) {
    if (slots_[slot] != kNobody) {
      slots[slots_[slot]] = slot;
    }
  }
  std::erase(slots, kNobody);  // of replicas
  return slots;
}

void ClusterMap::move(std::uint16_t slot, const Endpoint& to) {
  if (servers_.size() < kMostServers || std::ranges::find(servers_, to) != servers_.end()) {
    slots_[slot] = number_of(to);
  }
}

}  // namespace bloomery::redis
