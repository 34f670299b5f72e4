// Computes the slot of a key, which determines the cluster server that holds it.
//
// A cluster has 16,384 slots. The slot of a key is the CRC16 of its bytes (XMODEM: polynomial 0x1021, initial
// value 0, nothing reflected), modulo 16,384. If the key has a hash tag, only the tag is hashed, so keys with
// the same tag share a slot. The tag is the text between the first { and the next }, unless it is empty.
//
// Source: the specification of Redis Cluster, "Key distribution model" and "Hash tags".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery::redis {

inline constexpr std::uint16_t kSlots = 16384;

// Pure.
std::uint16_t crc16_xmodem(std::string_view bytes);
std::string_view hash_tag(std::string_view key);  // returns the key itself if it has no tag
std::uint16_t key_slot(std::string_view key);
// Returns `key` followed by `suffix`, with `key` in braces if it has no tag. The result has the slot of
// `key`, unless `key` contains a } and no tag: then no tag can select the same slot.
std::string key_beside(std::string_view key, std::string_view suffix);

}  // namespace bloomery::redis
