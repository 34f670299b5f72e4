#include "redis_module/memory_limit.h"

#include <limits>

#include "redis_module/settings.h"

namespace bloomery::redis_module {

bool must_obey(Context* context) {
  return (server.GetContextFlags(context) & (kFlagReplicated | kFlagLoading)) != 0;
}

std::uint64_t most_bytes_of_key(Context* context) {
  return must_obey(context) ? std::numeric_limits<std::uint64_t>::max() : settings().memory_limit;
}

// The server reads a client's RESTORE if it is neither loading a file nor a replica. Only then the limit
// holds.
std::uint64_t most_bytes_of_read(RdbStream* stream) {
  constexpr int kObeys = kFlagReplica | kFlagLoading;
  const bool obeys = server.GetContextFromIO == nullptr ||
                     (server.GetContextFlags(server.GetContextFromIO(stream)) & kObeys) != 0;
  return obeys ? std::numeric_limits<std::uint64_t>::max() : settings().memory_limit;
}

}  // namespace bloomery::redis_module
