// A Network is an address or a network of IPv4 or IPv6, as a key of block lists.
//
//   text                    network
//   10.0.0.0/8              the addresses whose first 8 bits are those of 10.0.0.0
//   10.1.2.3                10.1.2.3/32, which holds one address
//   2001:db8::/32           a network of IPv6, with prefix lengths from 0 to 128
//   ::ffff:10.1.2.3         10.1.2.3: an IPv4-mapped address is the address of IPv4
//   ::ffff:10.0.0.0/104     10.0.0.0/8: an IPv4-mapped network is the network of IPv4
//
// The text is read strictly, as by inet_pton(): four decimal numbers without leading zeros, no octal or
// hexadecimal numbers, no zone such as %eth0, no blanks. Bits after the prefix length must be 0.
//
// The key of a network consists of its family (4 or 6), its prefix length, and its 4 or 16 address bytes in
// network order. Example:
//    const Result<Network> network = parse_network("10.0.0.0/8");
//    const bool maybe = filter.may_contain(*network);   // this network alone: block_list.h asks for all
//
// Source: RFC 4291, sections 2.2 and 2.5.5.2; RFC 4632. questions.h lists the networks that contain an
// address.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_writer.h"

namespace bloomery {

// The numbers are key bytes in files, and are never changed.
enum class AddressFamily : std::uint8_t { kIpv4 = 4, kIpv6 = 6 };

// Returns the number of bits of an address: 32 or 128.
constexpr unsigned address_bits(AddressFamily family) {
  return family == AddressFamily::kIpv4 ? 32 : 128;
}

struct Network {
  AddressFamily family = AddressFamily::kIpv4;
  std::uint8_t prefix_length = 0;  // at most address_bits(family)
  std::array<std::uint8_t, 16> bytes =
      {};  // in network order; an IPv4 address has the first four, the rest is 0

  // Returns the network of that prefix length that contains this one. Precondition: length <=
  // prefix_length.
  Network holder(unsigned length) const;

  friend bool operator==(const Network&, const Network&) = default;
};

// Says what happens to bits that are set after the prefix length, as in 10.1.2.3/8.
enum class HostBits { kRefuse, kMask };

// Reads an address or a network. Errors: kInvalidArgument with the first byte that violates the syntax.
Result<Network> parse_network(std::string_view text, HostBits host_bits = HostBits::kRefuse);

// Returns true if the text spells a network of IPv4 as an IPv4-mapped network of IPv6. Precondition:
// parse_network(text) is `network`.
bool is_spelled_as_ipv6(std::string_view text, const Network& network);

// Returns the IPv4-mapped network of IPv6. Precondition: the family is IPv4.
Network as_ipv6(const Network& network);

void append_key(KeyWriter& writer, const Network& network);

}  // namespace bloomery
