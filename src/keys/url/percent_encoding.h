// Percent-encoding in one normal spelling, and the classes of bytes that need no encoding in a URL.
//
//   text                                            normal spelling
//   %xx of an unreserved character                  the character
//   any other %xx                                   the triplet, its digits in capitals
//   a byte that the component allows                unchanged
//   a control character                             none: the text is no URL
//   a % without two hexadecimal digits after it     none: the text is no URL
//   any other byte                                  its triplet: a space, <>"\^`{|}, brackets, bytes that
//                                                   are not ASCII
//
// Bytes that are not ASCII need not be UTF-8: each becomes its triplet, as in a request. Invariant: normal
// text stays unchanged. Source: RFC 3986, sections 2 and 6.2.2; RFC 3987, section 3.1, for the bytes that no
// URI may contain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "hash/ascii_text.h"

namespace bloomery {

// Classes of characters in RFC 3986. A component allows a set of classes.
enum UrlCharacters : std::uint8_t {
  kUnreserved = 1,
  kSubDelimiters = 2,
  kColon = 4,
  kAtOrSlash = 8,
  kQuestionMark = 16,
  kControl = 32,
};
inline constexpr std::uint8_t kUserinfoCharacters = kUnreserved | kSubDelimiters | kColon;
inline constexpr std::uint8_t kPathCharacters = kUserinfoCharacters | kAtOrSlash;
inline constexpr std::uint8_t kQueryCharacters = kPathCharacters | kQuestionMark;

constexpr bool is_letter(char character) {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z');
}
constexpr bool is_scheme_character(char character) {
  return is_letter(character) || is_ascii_digit(character) || character == '+' || character == '-' ||
         character == '.';
}

// Returns the class of each byte, or 0 for bytes that must always be encoded.
constexpr std::array<std::uint8_t, 256> url_character_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (std::size_t byte = 0; byte < 0x80; ++byte) {
    const char character = static_cast<char>(byte);
    constexpr std::string_view kMarks = "-._~";
    constexpr std::string_view kDelimiters = "!$&'()*+,;=";
    if (is_letter(character) || is_ascii_digit(character) ||
        kMarks.find(character) != std::string_view::npos) {
      classes[byte] = kUnreserved;
    } else if (kDelimiters.find(character) != std::string_view::npos) {
      classes[byte] = kSubDelimiters;
    } else if (byte < 0x20 || byte == 0x7f) {
      classes[byte] = kControl;
    }
  }
  classes[':'] = kColon;
  classes['@'] = kAtOrSlash;
  classes['/'] = kAtOrSlash;
  classes['?'] = kQuestionMark;
  return classes;
}
inline constexpr std::array<std::uint8_t, 256> kUrlCharacterClasses = url_character_classes();

constexpr std::uint8_t url_class(char character) {
  return kUrlCharacterClasses[static_cast<unsigned char>(character)];
}

// Returns the byte that the triplet at text[at] encodes, or -1 if there is none. Precondition: text[at] is a
// percent sign.
int triplet_value(std::string_view text, std::size_t at);

void append_triplet(std::string& out, unsigned char byte);

// Appends `text` in its normal spelling, as a component that allows the characters `allowed`. Returns false
// if it is not a valid component of a URL; then a part of it may have been appended.
bool append_normalized(std::string& out, std::string_view text, std::uint8_t allowed);

// Folds A-Z in normal text from `begin` on, but not the digits of triplets.
void fold_normalized(std::string& text, std::size_t begin);

}  // namespace bloomery
