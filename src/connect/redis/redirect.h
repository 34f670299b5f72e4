// The answers by which a cluster sends a client elsewhere:
//
//   MOVED slot host:port   the slot has another server from now on
//   ASK slot host:port     ask there for this once, behind ASKING: the slot is on its way there
//
// An empty host means the host that answered. The port stands behind the last colon, since IPv6 addresses have more.
// A command that is answered so was not carried out, so it can always be sent again.
// Source: the specification of Redis Cluster, "Redirection and resharding".
#pragma once

#include <cstdint>

#include "bloomery/base/result.h"
#include "connect/redis/endpoint.h"
#include "connect/redis/reply.h"

namespace bloomery::redis {

struct Redirect {
  enum class Kind { kMoved, kAsk };
  Kind kind = Kind::kMoved;
  std::uint16_t slot = 0;
  Endpoint to;
};

inline bool is_redirect(const Reply& reply) {
  return reply.is_error("MOVED") || reply.is_error("ASK");
}

// `from` is the server that answered. Errors: kCorruption for one that cannot be read.   Precondition: is_redirect(reply).
Result<Redirect> parse_redirect(const Reply& reply, const Endpoint& from);

}  // namespace bloomery::redis
