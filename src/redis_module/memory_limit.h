// Who has to keep to bloomery.memory-limit, the most bytes of one key.
#pragma once

#include <cstdint>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Replicas and the server's own log must be obeyed: what was decided once is not refused now.
bool must_obey(Context* context);
std::uint64_t most_bytes_of_key(Context* context);
// The same for a value that the server reads. One that a client restores is no way round the limit.
std::uint64_t most_bytes_of_read(RdbStream* stream);

}  // namespace bloomery::redis_module
