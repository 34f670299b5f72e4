#include "bloomery/hash/hash_secret.h"

#include <algorithm>
#include <sodium.h>
#include <string_view>

#include "base/file.h"
#include "hash/siphash128.h"

namespace bloomery {
namespace {

constexpr std::size_t kSecretDigits = 32;
constexpr std::uint32_t kForOthers = 0077;
constexpr std::string_view kIdText = "bloomery key id";

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') {
    return digit - '0';
  }
  return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

Error not_a_key(const std::string& path, const std::string& found) {
  return Error::invalid_argument(path, "expected a key file of 32 hexadecimal digits, found " + found);
}

}  // namespace

Result<HashSecret> HashSecret::generate() {
  if (sodium_init() < 0) {
    return Error::io("random numbers", "sodium_init", 0);
  }
  HashSecret secret;
  randombytes_buf(secret.bytes.data(), secret.bytes.size());
  return secret;
}

Result<HashSecret> HashSecret::load(const std::string& path) {
  FileSystem& files = FileSystem::real();
  BLOOMERY_ASSIGN_OR_RETURN(File file, files.open(path, OpenFor::kReading));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files.facts(file));
  if ((facts.permissions & kForOthers) != 0) {
    return Error::invalid_argument(path,
                                   "expected a key file that only its owner may read (chmod 600), found one "
                                   "that group or others may read or write");
  }
  if (facts.size_bytes != kSecretDigits && facts.size_bytes != kSecretDigits + 1) {
    return not_a_key(path, std::to_string(facts.size_bytes) + " bytes");
  }
  std::array<std::byte, kSecretDigits + 1> text{std::byte{}};
  text.back() = std::byte{'\n'};
  BLOOMERY_RETURN_IF_ERROR(file.read_exactly_at(0, std::span(text).first(facts.size_bytes)));
  HashSecret secret;
  for (std::size_t i = 0; i < kSecretDigits; ++i) {
    const int value = digit_value(static_cast<char>(text[i]));
    if (value < 0 || text.back() != std::byte{'\n'}) {
      const bool is_upper = text[i] >= std::byte{'A'} && text[i] <= std::byte{'F'};
      return not_a_key(path, is_upper ? "an upper-case one: write them in lower case" : "other bytes");
    }
    secret.bytes[i / 2] = static_cast<std::uint8_t>(secret.bytes[i / 2] << 4 | value);
  }
  return secret;
}

std::uint64_t HashSecret::id() const {
  return std::max<std::uint64_t>(siphash128(kIdText.data(), kIdText.size(), bytes)[0], 1);
}

}  // namespace bloomery
