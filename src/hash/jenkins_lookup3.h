// Bob Jenkins' lookup3 of 32 bits, as HBase uses it where its configuration says jenkins.
//
// Three states of 32 bits take the key 12 bytes at a time, as little-endian words; the last 1 to 12 bytes are
// extended by zeros and mixed otherwise. Source: lookup3.c, hashlittle() (2006, public domain). Not a hash
// for our own filters: XXH3 is faster and better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t jenkins_lookup3(std::string_view key, std::uint32_t seed);

}  // namespace bloomery
