#include "base/temporary_name.h"

#include <cstdint>
#include <random>

#include <sys/random.h>

namespace bloomery {
namespace {

std::uint64_t random_number() {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof(number), 0) == static_cast<ssize_t>(sizeof(number))) {
    return number;
  }
  std::random_device device;  // where the system call is forbidden
  return std::uint64_t{device()} << 32 | device();
}

}  // namespace

std::string random_digits(std::size_t count) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kDigitsOfANumber = 16;
  std::string digits;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i, number >>= 4) {
    if (i % kDigitsOfANumber == 0) {
      number = random_number();
    }
    digits += kDigits[number & 15];
  }
  return digits;
}

std::string temporary_name(std::string_view prefix) {
  return std::string(prefix) + random_digits(16);
}

}  // namespace bloomery
