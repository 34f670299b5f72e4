// Decides which commands must respect bloomery.memory-limit, the maximum size of one key.
#pragma once

#include <cstdint>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Returns true for commands that come from a primary or an append-only file. They were accepted once, so they
// must not be refused.
bool must_obey(Context* context);
std::uint64_t most_bytes_of_key(Context* context);
// Returns the limit for a value that the server reads from RDB bytes, so that a client cannot evade it by
// RESTORE.
std::uint64_t most_bytes_of_read(RdbStream* stream);

}  // namespace bloomery::redis_module
