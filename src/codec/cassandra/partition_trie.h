// Reads Partitions.db, the index of an sstable in the format `bti`: a trie of the shortest prefixes that tell
// its keys apart.
//
//   trie | u16 length, first key | u16 length, last key | u64 offset of the first key | u64 keys | u64 root
//
// A path from the root spells the beginning of a key's byte-comparable form: 0x40 and, for
// Murmur3Partitioner, the eight bytes of the token with an inverted sign, then 0x40 and the escaped key. A
// node that ends a prefix has a payload. Children are before their node; a pointer is the distance back.
// All numbers are big-endian. A node begins with a byte of its type (four bits) and flags (four bits):
//
//   type  name           after the first byte                                        bytes of a pointer
//   0     payload only   nothing: no child
//   1     single, 4      the child's byte; the flags are the pointer
//   2, 4  single         the child's byte | pointer                                  1, 2
//   3     single, 12     8 more bits of the pointer in the flags | the child's byte
//   5..9  sparse         n | n bytes, ascending | n pointers                         1, 1.5, 2, 3, 5
//   10.. 15  dense       first byte | n - 1 | n pointers, 0 for none                 1.5, 2, 3, 4, 5, 8
//
// The flags of the other types describe the payload, which follows the node:
//
//   0         no payload
//   1 to 7    a position of so many bytes
//   8 to 15   a byte of the key's hash, and a position of flags - 7 bytes
//
// The position is signed: p >= 0 is an entry of Rows.db, and -1 - p is a partition in Data.db. The file has
// no checksum.
//
// Source: Cassandra 5.0's TrieNode and PartitionIndex; docs/formats/cassandra.md. Not here: looking up a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery {

// The payload of a key, and the path that leads to it.
struct PartitionPlace {
  bool in_rows = false;  // the key is in Rows.db, not in Data.db
  std::uint64_t position = 0;
  std::optional<std::uint8_t> hash_byte = {};
  std::string_view prefix = {};  // valid until the next call
};

class PartitionTrie {
 public:
  // Reads the footer. `file` must outlive this object. Errors: kCorruption.
  static Result<PartitionTrie> open(std::span<const std::byte> file);

  std::string_view first_key() const { return first_key_; }
  std::string_view last_key() const { return last_key_; }
  std::uint64_t key_count() const { return key_count_; }

  // Returns the next key's place in the order of the keys, or nothing after the last one. A damaged trie may
  // have one node below two others, and its walk need not end soon: stop when a place does not ascend, or
  // after key_count(). Errors: kCorruption.
  Result<std::optional<PartitionPlace>> next();

 private:
  struct Node {
    std::uint64_t begin = 0;
    std::uint64_t payload = 0;  // the end of the node
    std::uint64_t pointers = 0;
    std::uint8_t type = 0;
    std::uint8_t flags = 0;  // of the payload
    std::uint16_t children = 0;
    std::uint16_t next = 0;  // the child to visit next
  };

  PartitionTrie() = default;

  Error damage(std::uint64_t at, const char* expected, std::uint64_t found) const;
  std::uint64_t number(std::uint64_t at, std::size_t bytes) const;
  // Returns the distance to a child, 0 if a dense node has none there.
  std::uint64_t distance(const Node& node, std::size_t child) const;
  std::uint8_t byte_of(const Node& node, std::size_t child) const;
  Result<Node> read_node(std::uint64_t at) const;
  Status check_children(const Node& node) const;
  Status enter(std::uint64_t at);
  Status enter_next_child();
  Result<PartitionPlace> read_payload(const Node& node) const;

  std::span<const std::byte> trie_;
  std::string_view first_key_;
  std::string_view last_key_;
  std::uint64_t key_count_ = 0;
  std::uint64_t root_ = 0;
  bool began_ = false;
  std::vector<Node> path_;  // from the root
  std::string prefix_;      // the bytes that lead to the last node of path_
};

}  // namespace bloomery
