#include "keys/url/browser_url.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstddef>
#include <cstdint>

#include <fmt/core.h>

#include "base/endian.h"
#include "hash/ascii_text.h"
#include "keys/url/percent_encoding.h"
#include "keys/url/url_host.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostHostBytes = 4096;  // more than any existing name has, however it is spelled

bool is_blank_or_control(char character) {
  return static_cast<unsigned char>(character) <= 0x20;
}

// Removes the characters that a browser drops before it parses a URL.
std::string without_ignored(std::string_view text) {
  while (!text.empty() && is_blank_or_control(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_blank_or_control(text.back())) {
    text.remove_suffix(1);
  }
  std::string kept(text);
  std::erase_if(kept,
                [](char character) { return character == '\t' || character == '\n' || character == '\r'; });
  return kept;
}

// Removes the scheme from the text. Returns false for a scheme whose URLs a browser parses by other rules.
bool remove_scheme(std::string_view& text) {
  constexpr std::array<std::string_view, 5> kSpecial = {"http", "https", "ftp", "ws", "wss"};
  const std::size_t colon = text.find_first_of(":/\\?#");
  if (colon == std::string_view::npos || text[colon] != ':' ||
      !std::ranges::all_of(text.substr(0, colon), is_scheme_character)) {
    return true;  // there is no scheme: [::1]/path
  }
  if (std::ranges::find(kSpecial, folded(text.substr(0, colon))) != kSpecial.end()) {
    text.remove_prefix(colon + 1);
    return true;
  }
  return colon + 1 < text.size() && is_ascii_digit(text[colon + 1]);  // a port: host:80/path
}

// Decodes triplets until none is left. Each round makes the text shorter.
std::string decoded_repeatedly(std::string_view text) {
  std::string decoded(text);
  for (std::size_t before = decoded.size() + 1; decoded.size() < before;) {
    before = decoded.size();
    std::size_t write = 0;
    for (std::size_t read = 0; read < before; ++write) {
      const int value = decoded[read] == '%' ? triplet_value(decoded, read) : -1;
      decoded[write] = value < 0 ? decoded[read] : static_cast<char>(value);
      read += value < 0 ? 1 : 3;
    }
    decoded.resize(write);
  }
  return decoded;
}

std::string without_empty_labels(std::string_view name) {
  std::string kept;
  for (const char character : name) {
    if (character != '.' || !(kept.empty() || kept.back() == '.')) {
      kept += character;
    }
  }
  if (kept.ends_with('.')) {
    kept.pop_back();
  }
  return kept;
}

// Parses one part of an IPv4 address in lower case: 0x and hexadecimal digits, 0 and octal digits, or decimal
// digits. "0x" alone is 0. A number beyond 32 bits becomes 2^32.
std::optional<std::uint64_t> address_part(std::string_view text) {
  unsigned base = 10;
  if (text.size() >= 2 && text[0] == '0' && text[1] == 'x') {
    base = 16;
    text.remove_prefix(2);
  } else if (text.size() >= 2 && text[0] == '0') {
    base = 8;
    text.remove_prefix(1);
  } else if (text.empty()) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  for (const char character : text) {
    const int digit = hex_digit(character);
    if (digit < 0 || static_cast<unsigned>(digit) >= base) {
      return std::nullopt;
    }
    number = std::min(number * base + static_cast<unsigned>(digit), std::uint64_t{1} << 32);
  }
  return number;
}

std::string_view last_label(std::string_view name) {
  return name.substr(name.rfind('.') + 1);  // npos + 1 is 0
}

// Returns true if a browser treats the name as an IPv4 address, or as invalid.
bool ends_in_a_number(std::string_view name) {
  const std::string_view last = last_label(name);
  return !last.empty() &&
         (std::ranges::all_of(last, is_ascii_digit) || (last.starts_with("0x") && address_part(last)));
}

std::string in_four_parts(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) {
    text += std::to_string(address >> shift & 255);
    text += shift == 0 ? "" : ".";
  }
  return text;
}

// Returns the address in dotted decimal form. Precondition: the name has no empty label.
std::optional<std::string> dotted_address(std::string_view name) {
  std::uint64_t address = 0;
  for (std::size_t index = 0; index < 4; ++index) {
    const std::size_t end = name.find('.');
    const std::optional<std::uint64_t> part = address_part(name.substr(0, end));
    const bool is_last = end == std::string_view::npos;
    const std::size_t bits = is_last ? 8 * (4 - index) : 8;
    if (!part || *part >> bits != 0) {
      return std::nullopt;
    }
    address = address << bits | *part;
    if (is_last) {
      return in_four_parts(static_cast<std::uint32_t>(address));
    }
    name.remove_prefix(end + 1);
  }
  return std::nullopt;  // more than four parts
}

// Returns the host between brackets, or the IPv4 address that it maps.
std::optional<std::string> literal_host(std::string_view host) {
  std::string canonical;
  if (!append_host(canonical, host)) {
    return std::nullopt;
  }
  std::array<std::byte, 16> bytes;
  const std::string address = canonical.substr(1, canonical.size() - 2);
  // ::ffff:0:0/96
  if (inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1 && load_big64(bytes.data()) == 0 &&
      load_big32(bytes.data() + 8) == 0xffff) {
    return in_four_parts(load_big32(bytes.data() + 12));
  }
  return canonical;
}

std::optional<std::string> named_host(std::string_view host) {
  const std::string decoded = decoded_repeatedly(host);
  std::string ascii;
  if (std::ranges::any_of(decoded,
                          [](char character) { return static_cast<unsigned char>(character) >= 0x80; })) {
    if (!append_international(ascii, decoded)) {
      return std::nullopt;
    }
  } else {
    ascii = folded(decoded);
  }
  const auto is_forbidden = [](char character) {
    return is_blank_or_control(character) || character == 0x7f ||
           std::string_view("#%/:<>?@[\\]^|").find(character) != std::string_view::npos;
  };
  const std::string name = without_empty_labels(ascii);
  if (name.empty() || std::ranges::any_of(name, is_forbidden)) {
    return std::nullopt;
  }
  return ends_in_a_number(name) ? dotted_address(name) : name;
}

// Returns the host of an authority, without userinfo and port.
std::optional<std::string> host_of(std::string_view authority) {
  authority.remove_prefix(authority.rfind('@') + 1);  // npos + 1 is 0
  std::size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == std::string_view::npos) {
      return std::nullopt;
    }
    ++end;
  }
  const std::string_view host = authority.substr(0, end);
  const std::string_view port = authority.substr(host.size());
  if (host.size() > kMostHostBytes || !(port.empty() || port.starts_with(':')) ||
      !std::ranges::all_of(port.substr(port.empty() ? 0 : 1), is_ascii_digit)) {
    return std::nullopt;
  }
  return host.starts_with('[') ? literal_host(host) : named_host(host);
}

// Appends a path or a query such that every % begins a triplet, and no byte is a control character.
void append_readable(std::string& url, std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((url_class(text[i]) & kControl) != 0 || (text[i] == '%' && triplet_value(text, i) < 0)) {
      append_triplet(url, static_cast<unsigned char>(text[i]));
    } else {
      url += text[i];
    }
  }
}

}  // namespace

bool is_plain_url(std::string_view text) {
  if (text.empty() || is_blank_or_control(text.back()) || text.find('\\') != std::string_view::npos) {
    return false;
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (text.starts_with(scheme)) {
      text.remove_prefix(scheme.size());
      break;
    }
  }
  const std::string_view host = text.substr(0, text.find_first_of("/?#"));
  const auto is_of_name = [](char character) {
    return is_letter(character) || is_ascii_digit(character) || character == '-' || character == '_' ||
           character == '.';
  };
  // The last label of an address begins with a digit.
  return !host.empty() && host.front() != '.' &&
         is_letter(last_label(host).empty() ? '.' : last_label(host).front()) &&
         host.find("..") == std::string_view::npos && std::ranges::all_of(host, is_of_name);
}

std::optional<std::string> browser_url(std::string_view text) {
  const std::string kept = without_ignored(text);
  std::string_view rest = kept;
  rest = rest.substr(0, rest.find('#'));
  if (!remove_scheme(rest)) {
    return std::nullopt;
  }
  rest.remove_prefix(std::min(rest.find_first_not_of("/\\"), rest.size()));
  const std::string_view authority = rest.substr(0, rest.find_first_of("/\\?"));
  const std::optional<std::string> host = host_of(authority);
  if (!host) {
    return std::nullopt;
  }
  rest.remove_prefix(authority.size());
  std::string path(rest.substr(0, rest.find('?')));
  std::ranges::replace(path, '\\', '/');
  std::string url = "http://" + *host;
  append_readable(url, path.empty() ? "/" : path);
  append_readable(url, rest.substr(std::min(rest.find('?'), rest.size())));
  return url;
}

}  // namespace bloomery
