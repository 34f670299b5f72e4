// Networks: what is one, what is refused and where, and the bytes of their keys.
#include "bloomery/hash/network.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery {
namespace {

std::string network_key(std::string_view text, HostBits host_bits = HostBits::kRefuse) {
  const Result<Network> network = parse_network(text, host_bits);
  if (!network) {
    return network.error().detail();
  }
  KeyWriter writer;
  append_key(writer, *network);
  std::string hex;
  for (const std::byte byte : writer.bytes()) {
    constexpr const char* kDigits = "0123456789abcdef";
    hex += {kDigits[std::to_integer<unsigned>(byte) >> 4], kDigits[std::to_integer<unsigned>(byte) & 15]};
  }
  return hex;
}

TEST(Network, KeysAreFamilyLengthAndAddress) {
  EXPECT_EQ(network_key("10.0.0.0/8"), "04080a000000");
  EXPECT_EQ(network_key("10.1.2.3"), "04200a010203");
  EXPECT_EQ(network_key("10.1.2.3/32"), "04200a010203");
  EXPECT_EQ(network_key("0.0.0.0/0"), "040000000000");
  EXPECT_EQ(network_key("255.255.255.255"), "0420ffffffff");
  EXPECT_EQ(network_key("2001:DB8::/32"), "062020010db8000000000000000000000000");
  EXPECT_EQ(network_key("2001:db8:0:0:0:0:0:1"), "068020010db8000000000000000000000001");
  EXPECT_EQ(network_key("::/0"), "060000000000000000000000000000000000");
  EXPECT_EQ(network_key("2001:db8::192.0.2.1"), "068020010db80000000000000000c0000201");
}

TEST(Network, AnIpv4MappedAddressIsOneOfIpv4) {
  EXPECT_EQ(network_key("::ffff:10.1.2.3"), "04200a010203");
  EXPECT_EQ(network_key("::ffff:a01:203"), "04200a010203");
  EXPECT_EQ(network_key("::FFFF:10.0.0.0/104"), "04080a000000");
  EXPECT_EQ(network_key("::ffff:0:0/96"), "040000000000");
  // A shorter prefix also holds addresses that are not mapped, and the front of another address is no mark.
  EXPECT_EQ(network_key("::fffe:0:0/95"), "065f00000000000000000000fffe00000000");
  EXPECT_EQ(network_key("::fffe:10.1.2.3"), "068000000000000000000000fffe0a010203");
  EXPECT_EQ(network_key("1::ffff:10.1.2.3"), "068000010000000000000000ffff0a010203");
}

TEST(Network, WhatIsNoneIsRefusedWithItsPlace) {
  const std::vector<std::pair<std::string, std::string>> kRefused = {
      {"10.0.0.0/33", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/08", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/+8", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/8 ", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/8/8", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/4294967304", "expected a prefix length from 0 to 32 at byte 9"},
      {"10.0.0.0/255.0.0.0", "expected a prefix length from 0 to 32 at byte 9"},
      {"::/129", "expected a prefix length from 0 to 128 at byte 3"},
      {"1.2.3", "expected an address of IPv4 or IPv6 at byte 0"},
      {"1.2.3.4.5", "expected an address of IPv4 or IPv6 at byte 0"},
      {"010.0.0.1", "expected an address of IPv4 or IPv6 at byte 0"},
      {"0x0a.0.0.1", "expected an address of IPv4 or IPv6 at byte 0"},
      {"1.2.3.256", "expected an address of IPv4 or IPv6 at byte 0"},
      {" 1.2.3.4", "expected an address of IPv4 or IPv6 at byte 0"},
      {"1.2.3.4 ", "expected an address of IPv4 or IPv6 at byte 0"},
      {"", "expected an address of IPv4 or IPv6 at byte 0"},
      {"/8", "expected an address of IPv4 or IPv6 at byte 0"},
      {"167772161", "expected an address of IPv4 or IPv6 at byte 0"},
      {"fe80::1%eth0", "expected an address of IPv4 or IPv6 at byte 0"},
      {"[::1]", "expected an address of IPv4 or IPv6 at byte 0"},
      {"1::2::3", "expected an address of IPv4 or IPv6 at byte 0"},
      {":::", "expected an address of IPv4 or IPv6 at byte 0"},
      {"12345::", "expected an address of IPv4 or IPv6 at byte 0"},
      {"example.com", "expected an address of IPv4 or IPv6 at byte 0"},
      {"10.1.2.3/8", "expected zeros behind the first 8 bits of the address"},
      {"2001:db8::1/32", "expected zeros behind the first 32 bits of the address"},
      {"::ffff:10.1.2.3/104", "expected zeros behind the first 104 bits of the address"},
  };
  for (const auto& [text, expected] : kRefused) {
    const Result<Network> network = parse_network(text);
    ASSERT_FALSE(network) << text;
    EXPECT_EQ(network.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(network.error().subject(), "key form cidr");
    EXPECT_TRUE(network.error().detail().starts_with(expected)) << network.error().detail();
    EXPECT_TRUE(network.error().detail().ends_with(", found '" + text + "'")) << network.error().detail();
  }
  const std::string with_nul("1.2.3.4\0", 8);
  EXPECT_FALSE(parse_network(with_nul));
  EXPECT_FALSE(parse_network(std::string(1000, ':')));
}

TEST(Network, HostBitsAreMaskedOnRequest) {
  EXPECT_EQ(network_key("10.1.2.3/8", HostBits::kMask), "04080a000000");
  EXPECT_EQ(network_key("10.255.255.255/9", HostBits::kMask), "04090a800000");
  EXPECT_EQ(network_key("2001:db8:ffff::/33", HostBits::kMask), "062120010db8800000000000000000000000");
  EXPECT_EQ(network_key("1.2.3.4/0", HostBits::kMask), network_key("0.0.0.0/0"));
}

TEST(Network, AHolderHasTheFrontOfItsBits) {
  const Network network = *parse_network("255.255.255.255");
  for (unsigned length = 0; length <= 32; ++length) {
    const Network holder = network.holder(length);
    EXPECT_EQ(holder.prefix_length, length);
    for (unsigned bit = 0; bit < 32; ++bit) {
      EXPECT_EQ((holder.bytes[bit / 8] >> (7 - bit % 8)) & 1, bit < length ? 1 : 0) << length << " " << bit;
    }
  }
}

}  // namespace
}  // namespace bloomery
