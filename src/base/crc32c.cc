#include "base/crc32c.h"

#include <array>

namespace bloomery {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t state = byte;
    for (int bit = 0; bit < 8; ++bit) {
      state = (state >> 1) ^ ((state & 1) != 0 ? kPolynomial : 0);
    }
    table[byte] = state;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

using Extend = std::uint32_t (*)(std::uint32_t, std::span<const std::byte>);

Extend chosen_kernel() {
  return crc32c_kernel::sse42_available() ? crc32c_kernel::extend_sse42 : crc32c_kernel::extend_table;
}

}  // namespace

std::uint32_t crc32c_kernel::extend_table(std::uint32_t state, std::span<const std::byte> bytes) {
  for (const std::byte byte : bytes) {
    state = kTable[(state ^ std::to_integer<std::uint32_t>(byte)) & 0xff] ^ (state >> 8);
  }
  return state;
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t previous) {
  static const Extend extend = chosen_kernel();
  return ~extend(~previous, bytes);
}

}  // namespace bloomery
