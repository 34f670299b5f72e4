// A secret as 32 lower-case hexadecimal digits: in a key file, in a command of a Redis server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hash/hash_secret.h"

namespace bloomery {

std::string secret_text(const HashSecret& secret);
// Returns nothing for anything else.
std::optional<HashSecret> secret_of_text(std::string_view hex);

}  // namespace bloomery
