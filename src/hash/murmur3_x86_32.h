// MurmurHash3 x86 32, which HBase uses if its configuration says murmur3.
//
// Every four bytes are a little-endian word that is mixed into one state. Zeros extend a tail of up to three
// bytes. Source: Austin Appleby's MurmurHash3 (2011, public domain). Our own filters do not use it, because
// XXH3 is faster and better (hash128.h).
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery {

std::uint32_t murmur3_x86_32(std::string_view key, std::uint32_t seed);

}  // namespace bloomery
