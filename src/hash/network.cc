#include "bloomery/hash/network.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "hash/form_error.h"

namespace bloomery {
namespace {

// The bytes that precede the IPv4 address in an IPv4-mapped one.
constexpr std::array<std::uint8_t, 12> kMappedFront = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
constexpr unsigned kMappedBits = 96;
// The longest spelling has eight groups, of which the last two are written as four numbers.
constexpr std::size_t kMostAddressBytes = INET6_ADDRSTRLEN - 1;

Error refused_network(std::string_view text, std::size_t at, const std::string& expected) {
  return not_of_form("cidr", expected + " at byte " + std::to_string(at), text);
}

std::optional<Network> parse_address(std::string_view text) {
  if (text.size() > kMostAddressBytes || text.find('\0') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string terminated(text);
  Network network;
  if (inet_pton(AF_INET, terminated.c_str(), network.bytes.data()) == 1) {
    network.prefix_length = 32;
    return network;
  }
  if (inet_pton(AF_INET6, terminated.c_str(), network.bytes.data()) != 1) {
    return std::nullopt;
  }
  network.family = AddressFamily::kIpv6;
  network.prefix_length = 128;
  return network;
}

// Returns nothing unless the text is a decimal number up to `most`, without leading zeros.
std::optional<unsigned> parse_length(std::string_view text, unsigned most) {
  const bool digits =
      std::ranges::all_of(text, [](char character) { return character >= '0' && character <= '9'; });
  if (text.empty() || text.size() > 3 || !digits || (text.size() > 1 && text.front() == '0')) {
    return std::nullopt;
  }
  unsigned length = 0;
  for (const char digit : text) {
    length = length * 10 + static_cast<unsigned>(digit - '0');
  }
  return length <= most ? std::optional(length) : std::nullopt;
}

// Clears the bits after the first `length`.
void mask(Network& network, unsigned length) {
  for (std::size_t i = 0; i < network.bytes.size(); ++i) {
    const unsigned before = static_cast<unsigned>(i) * 8;
    const unsigned kept = length <= before ? 0 : std::min(length - before, 8U);
    network.bytes[i] &= static_cast<std::uint8_t>(0xff00U >> kept);
  }
  network.prefix_length = static_cast<std::uint8_t>(length);
}

// Converts an IPv4-mapped network to an IPv4 network.
void fold_mapped(Network& network) {
  if (network.family == AddressFamily::kIpv4 || network.prefix_length < kMappedBits ||
      !std::equal(kMappedFront.begin(), kMappedFront.end(), network.bytes.begin())) {
    return;
  }
  Network folded{.family = AddressFamily::kIpv4,
                 .prefix_length = static_cast<std::uint8_t>(network.prefix_length - kMappedBits)};
  std::copy(network.bytes.begin() + kMappedFront.size(), network.bytes.end(), folded.bytes.begin());
  network = folded;
}

}  // namespace

Network Network::holder(unsigned length) const {
  Network result = *this;
  mask(result, length);
  return result;
}

Result<Network> parse_network(std::string_view text, HostBits host_bits) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const std::optional<Network> address = parse_address(text.substr(0, slash));
  if (!address) {
    return refused_network(text, 0, "an address of IPv4 or IPv6");
  }
  Network network = *address;
  if (slash != text.size()) {
    const unsigned most = address_bits(network.family);
    const std::optional<unsigned> length = parse_length(text.substr(slash + 1), most);
    if (!length) {
      return refused_network(text, slash + 1, "a prefix length from 0 to " + std::to_string(most));
    }
    mask(network, *length);
    if (host_bits == HostBits::kRefuse && network.bytes != address->bytes) {
      return refused_network(text, 0,
                             "zeros behind the first " + std::to_string(*length) +
                                 " bits of the address (--mask-host-bits clears them)");
    }
  }
  fold_mapped(network);
  return network;
}

bool is_spelled_as_ipv6(std::string_view text, const Network& network) {
  return network.family == AddressFamily::kIpv4 && text.find(':') != std::string_view::npos;
}

Network as_ipv6(const Network& network) {
  Network mapped{.family = AddressFamily::kIpv6,
                 .prefix_length = static_cast<std::uint8_t>(network.prefix_length + kMappedBits)};
  std::ranges::copy(kMappedFront, mapped.bytes.begin());
  std::copy_n(network.bytes.begin(), 4, mapped.bytes.begin() + kMappedFront.size());
  return mapped;
}

void append_key(KeyWriter& writer, const Network& network) {
  const std::array<std::uint8_t, 2> front = {static_cast<std::uint8_t>(network.family),
                                             network.prefix_length};
  writer.append_raw(std::as_bytes(std::span(front)));
  writer.append_raw(std::as_bytes(std::span(network.bytes).first(address_bits(network.family) / 8)));
}

}  // namespace bloomery
