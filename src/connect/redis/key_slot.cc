#include "connect/redis/key_slot.h"

#include <array>

namespace bloomery::redis {
namespace {

constexpr std::array<std::uint16_t, 256> make_table() {
  std::array<std::uint16_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
    }
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}
constexpr std::array<std::uint16_t, 256> kTable = make_table();

}  // namespace

std::uint16_t crc16_xmodem(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char byte : bytes) {
    const auto index = static_cast<std::uint8_t>((crc >> 8) ^ static_cast<std::uint8_t>(byte));
    crc = static_cast<std::uint16_t>((crc << 8) ^ kTable[index]);
  }
  return crc;
}

std::string_view hash_tag(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) {
    return key;
  }
  const std::size_t close = key.find('}', open + 1);
  return close == std::string_view::npos || close == open + 1 ? key : key.substr(open + 1, close - open - 1);
}

std::uint16_t key_slot(std::string_view key) {
  return crc16_xmodem(hash_tag(key)) % kSlots;
}

std::string key_beside(std::string_view key, std::string_view suffix) {
  const bool has_tag = hash_tag(key).size() != key.size();
  std::string name(has_tag ? "" : "{");
  name.append(key).append(has_tag ? "" : "}").append(suffix);
  return name;
}

}  // namespace bloomery::redis
