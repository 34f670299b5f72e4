#include "hash/secret_text.h"

#include <cstddef>
#include <cstdint>

namespace bloomery {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

std::string secret_text(const HashSecret& secret) {
  std::string hex;
  for (const std::uint8_t byte : secret.bytes) {
    hex += {kHexDigits[byte >> 4U], kHexDigits[byte & 15U]};
  }
  return hex;
}

std::optional<HashSecret> secret_of_text(std::string_view hex) {
  HashSecret secret;
  if (hex.size() != 2 * secret.bytes.size()) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < hex.size(); ++i) {
    const std::size_t digit = kHexDigits.find(hex[i]);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    secret.bytes[i / 2] =
        static_cast<std::uint8_t>(unsigned{secret.bytes[i / 2]} << 4U | static_cast<unsigned>(digit));
  }
  return secret;
}

}  // namespace bloomery
