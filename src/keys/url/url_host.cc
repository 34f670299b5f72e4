#include "keys/url/url_host.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <idn2.h>
#include <memory>

#include "hash/ascii_text.h"
#include "keys/url/percent_encoding.h"

namespace bloomery {
namespace {

constexpr std::uint8_t kNameCharacters = kUnreserved | kSubDelimiters;

bool is_ascii(char character) {
  return static_cast<unsigned char>(character) < 0x80;
}

// -- IP literals

using Groups = std::array<std::uint16_t, 8>;

struct Run {
  std::size_t begin = 0;
  std::size_t size = 0;
};

// Returns the longest run of zero groups, the first among equals. A single group is not a run (RFC 5952,
// 4.2).
Run longest_zeros(const Groups& groups) {
  Run longest;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::size_t size = 0;
    while (i + size < groups.size() && groups[i + size] == 0) {
      ++size;
    }
    if (size > longest.size) {
      longest = {.begin = i, .size = size};
    }
  }
  return longest.size > 1 ? longest : Run();
}

void append_groups(std::string& out, const Groups& groups) {
  const Run zeros = longest_zeros(groups);
  for (std::size_t i = 0; i < groups.size();) {
    if (zeros.size != 0 && i == zeros.begin) {
      out += "::";
      i += zeros.size;
      continue;
    }
    if (i != 0 && out.back() != ':') {
      out += ':';
    }
    std::array<char, 4> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), groups[i], 16).ptr;
    out.append(digits.data(), end);
    ++i;
  }
}

// Does not use inet_ntop(), which writes some addresses with decimal ends; C libraries differ in which ones.
bool append_ipv6(std::string& out, std::string_view address) {
  std::array<std::uint8_t, 16> bytes;
  if (inet_pton(AF_INET6, std::string(address).c_str(), bytes.data()) != 1) {
    return false;
  }
  Groups groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i] = static_cast<std::uint16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
  }
  append_groups(out, groups);
  return true;
}

// Appends an IPvFuture address: "v" digits "." characters.
bool append_ip_future(std::string& out, std::string_view literal) {
  const std::size_t dot = literal.find('.');
  if (dot == std::string_view::npos) {
    return false;
  }
  const std::string_view version = literal.substr(1, dot - 1);
  const std::string_view address = literal.substr(dot + 1);
  const auto is_hex = [](char character) { return hex_digit(character) >= 0; };
  const auto is_allowed = [](char character) { return (url_class(character) & kUserinfoCharacters) != 0; };
  if (version.empty() || address.empty() || !std::ranges::all_of(version, is_hex) ||
      !std::ranges::all_of(address, is_allowed)) {
    return false;
  }
  out += folded(literal);
  return true;
}

bool append_ip_literal(std::string& out, std::string_view host) {
  if (host.size() < 3 || host.back() != ']' || host.find('\0') != std::string_view::npos) {
    return false;
  }
  const std::string_view literal = host.substr(1, host.size() - 2);
  out += '[';
  const bool done =
      lower_ascii(literal.front()) == 'v' ? append_ip_future(out, literal) : append_ipv6(out, literal);
  out += ']';
  return done;
}

// -- Names

struct FreeByIdn2 {
  void operator()(char* name) const { idn2_free(name); }
};

// Longer names have no ASCII form: 253 characters are at most this many bytes of UTF-8.
constexpr std::size_t kMostNameBytes = 1024;

// Unicode 15.1 changed the mapping of a capital sharp s from "ss" to a small sharp s. So a name with it would
// be a different key under another library version.
constexpr std::string_view kCapitalSharpS = "\xe1\xba\x9e";

// Decodes triplets of unreserved characters and of bytes that are not ASCII. Other triplets stay, in
// capitals. Returns false if the host is not a name.
bool append_decoded(std::string& out, std::string_view host) {
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i] == '%') {
      const int value = triplet_value(host, i);
      if (value < 0) {
        return false;
      }
      const char character = static_cast<char>(value);
      if (!is_ascii(character) || url_class(character) == kUnreserved) {
        out += lower_ascii(character);
      } else {
        append_triplet(out, static_cast<unsigned char>(value));
      }
      i += 2;
    } else if (!is_ascii(host[i]) || (url_class(host[i]) & kNameCharacters) != 0) {
      out += lower_ascii(host[i]);
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

bool append_international(std::string& out, const std::string& name) {
  if (name.size() > kMostNameBytes || name.find(kCapitalSharpS) != std::string::npos) {
    return false;
  }
  std::uint8_t* mapped = nullptr;
  const int code = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(name.c_str()), &mapped,
                                  IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  const std::unique_ptr<char, FreeByIdn2> owned(reinterpret_cast<char*>(mapped));
  if (code != IDN2_OK) {
    return false;
  }
  const std::string_view ascii(owned.get());
  const auto is_of_name = [](char character) {
    return is_letter(character) || is_ascii_digit(character) ||
           std::string_view("-._").find(character) != std::string_view::npos;
  };
  if (ascii.empty() || !std::ranges::all_of(ascii, is_of_name)) {
    return false;
  }
  out += folded(ascii);
  return true;
}

bool append_host(std::string& out, std::string_view host) {
  if (host.starts_with('[')) {
    return append_ip_literal(out, host);
  }
  const auto is_of_name = [](char character) { return (url_class(character) & kNameCharacters) != 0; };
  if (std::ranges::all_of(host, is_of_name)) {  // nearly every host
    out += host;
    std::ranges::transform(host, out.end() - static_cast<std::ptrdiff_t>(host.size()), lower_ascii);
    return true;
  }
  const std::size_t begin = out.size();
  if (!append_decoded(out, host)) {
    return false;
  }
  if (std::all_of(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(), is_ascii)) {
    return true;
  }
  const std::string name = out.substr(begin);
  out.resize(begin);
  return append_international(out, name);
}

}  // namespace bloomery
