// Explains why an HFile's Bloom filter answered no.
#pragma once

#include <string>
#include <string_view>

#include "hfile/open_file.h"

namespace bloomery::table {

// Returns the reason for a no, such as "not in chunk 0 at byte 487: of its 128 bits, these of the key are 0:
// 72, 28". `key` has the bytes that the filter's type hashes. Reads the chunk again. Precondition:
// file.bloom().
std::string explain_no(const hfile::OpenFile& file, std::string_view key);

}  // namespace bloomery::table
