// Decides which commands must respect bloomery.memory-limit, the most bytes of one key.
#pragma once

#include <cstdint>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Returns true for commands of a primary or of the server's own log: once accepted, they must not be refused.
bool must_obey(Context* context);
std::uint64_t most_bytes_of_key(Context* context);
// Returns the limit for a value that the server reads. A client's RESTORE cannot evade it.
std::uint64_t most_bytes_of_read(RdbStream* stream);

}  // namespace bloomery::redis_module
