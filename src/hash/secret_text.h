// A secret as 32 lower-case hexadecimal digits, for key files and commands of a Redis server.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/hash/hash_secret.h"

namespace bloomery {

std::string secret_text(const HashSecret& secret);
// Returns nothing for any other text.
std::optional<HashSecret> secret_of_text(std::string_view hex);

}  // namespace bloomery
