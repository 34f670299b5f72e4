// The errors by which a cluster redirects a client:
//
//   MOVED slot host:port   the slot belongs to another server from now on
//   ASK slot host:port     the slot is being moved: send only this request there, after ASKING
//
// An empty host means the host that answered. The port follows the last colon, since an IPv6 address contains
// colons. A redirected command was not run, so it can always be sent again.
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

// `from` is the server that answered. Precondition: is_redirect(reply). Errors: kCorruption for a malformed
// redirect.
Result<Redirect> parse_redirect(const Reply& reply, const Endpoint& from);

}  // namespace bloomery::redis
