// The key of an entry: HBase's message WALKey.
//
//   1 region   2 table   3 sequence id   4 write time   5 cluster of 0.94   6 scopes (1 family, 2 type)
//   7 number of cells   8 clusters (1 least, 2 most)   9 nonce group   10 nonce   11 original sequence id
//   12 attributes (1 key, 2 value)
//
// 1 to 4 are required. In a compressed log 1, 2, the families of 6 and the values of 12 are words.
// Unknown fields are ignored. A parser of its own, since it runs for each entry: it allocates nothing once
// its lists have grown.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hfile/byte_writer.h"
#include "wal/log_entry.h"

namespace bloomery::wal {

struct KeyProblem {
  std::size_t offset = 0;  // in the key
  const char* expected = "";
};

// Parses the key into `entry`, whose cells it leaves, and `cell_count`. Returns false for a damaged key, and
// then sets `problem`.
bool parse_entry_key(std::span<const std::byte> key, LogEntry& entry, std::uint64_t& cell_count,
                     KeyProblem& problem);

// Appends the key without its length, and without attributes named kSealName if it is going to be sealed.
enum class SealedKey { kNo, kYes };
void append_entry_key(hfile::ByteWriter& out, const LogEntry& entry, SealedKey sealed);

}  // namespace bloomery::wal
