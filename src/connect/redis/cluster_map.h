// The servers of a cluster and their slots, parsed from the reply of CLUSTER SLOTS:
//
//   [[first slot, last slot, [host, port, id ...] of the primary, [host, port, id ...] of each replica], ...]
//
// A nil or empty host means the host that answered. CLUSTER SLOTS is used rather than SHARDS, because every
// version has it.
// Source: the documentation of the command, Redis 3.0 to 7.2 and Valkey 8.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"
#include "connect/redis/reply.h"

namespace bloomery::redis {

class ClusterMap {
 public:
  ClusterMap();

  // `from` is the server that answered. Errors: kCorruption for a reply of another shape.
  static Result<ClusterMap> parse(const Reply& reply, const Endpoint& from);

  // Returns the primary, or nothing if no known server has the slot. Precondition: slot < kSlots.
  std::optional<Endpoint> primary_of(std::uint16_t slot) const;
  // Returns a slot of each primary.
  std::vector<std::uint16_t> slots_of_primaries() const;
  // Assigns the slot to another server. Precondition: slot < kSlots.
  void move(std::uint16_t slot, const Endpoint& to);
  // Returns all servers of the map, replicas included. Each can be asked for a newer map.
  const std::vector<Endpoint>& servers() const { return servers_; }

 private:
  std::uint16_t number_of(const Endpoint& server);

  std::vector<Endpoint> servers_;
  std::vector<std::uint16_t> slots_;  // for each slot an index of servers_, or kNobody
};

}  // namespace bloomery::redis
