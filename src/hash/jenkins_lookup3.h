// Bob Jenkins' lookup3 of 32 bits, which HBase uses if its configuration says jenkins.
//
// Three 32-bit states absorb the key 12 bytes at a time, as little-endian words. Zeros extend the last 1 to
// 12 bytes, which are mixed differently. Source: lookup3.c, hashlittle() (2006, public domain). Our own
// filters do not use it, because XXH3 is faster and better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t jenkins_lookup3(std::string_view key, std::uint32_t seed);

}  // namespace bloomery
