#include "feed/slot_name.h"

#include <cctype>

#include "base/temporary_name.h"
#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

constexpr std::size_t kRandomDigits = 12;

// Lowers letters, and replaces every byte that is neither a letter nor a digit by an underscore.
std::string in_letters_of_a_slot(std::string text) {
  for (char& letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    letter = std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return text;
}

}  // namespace

std::string new_slot_name(std::string_view table) {
  const std::string stem = in_letters_of_a_slot("bloomery_" + std::string(table));
  return stem.substr(0, kMostOfSlotName - 1 - kRandomDigits) + "_" + random_digits(kRandomDigits);
}

std::string slot_name_of(std::string_view table, std::string_view place) {
  const std::string_view last = place.substr(place.rfind('/') + 1);
  return in_letters_of_a_slot("bloomery_" + std::string(table) + "_" + std::string(last))
      .substr(0, kMostOfSlotName);
}

}  // namespace bloomery::feed
