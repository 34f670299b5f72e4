// Hosts: lower case, addresses by the examples of RFC 5952, names of other scripts by those of RFC 3987 and
// UTS #46.
#include "keys/url/url_host.h"

#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::optional<std::string> host(std::string_view text) {
  std::string out = "http://\xc3\xa4@";  // what stands before does not matter
  const std::size_t begin = out.size();
  return append_host(out, text) ? std::optional(out.substr(begin)) : std::nullopt;
}

using Pairs = std::initializer_list<std::pair<const char*, const char*>>;

void expect_hosts(Pairs pairs) {
  for (const auto& [text, expected] : pairs) {
    EXPECT_EQ(host(text), expected) << text;
    EXPECT_EQ(host(expected), expected) << text;
  }
}

TEST(UrlHost, NamesAreInLowerCase) {
  expect_hosts({{"www.EXAMPLE.com", "www.example.com"},
                {"", ""},
                {"Example.COM.", "example.com."},
                {"a_B.~c!$&'()*+,;=", "a_b.~c!$&'()*+,;="},
                {"192.0.2.16", "192.0.2.16"},
                {"010.0X0a.1", "010.0x0a.1"},
                {"XN--BCHER-KVA.example", "xn--bcher-kva.example"},
                {"xn--a", "xn--a"},
                {"r3---sn-4g5e6nzz.example", "r3---sn-4g5e6nzz.example"}});
}

TEST(UrlHost, TripletsAreNormal) {
  expect_hosts(
      {{"%65xample%2ecom", "example.com"}, {"%45X", "ex"}, {"a%2fb%3A", "a%2Fb%3A"}, {"%00", "%00"}});
  for (const char* const bad : {"%", "%6", "%zz"}) {
    EXPECT_EQ(host(bad), std::nullopt) << bad;
  }
}

TEST(UrlHost, OtherCharactersAreOfNoHost) {
  for (const char* const bad : {"a b", "a<b", "a\\b", "a^b", "a|b", "a\"b", "a{b}", "a`b", "a@b", "a:b",
                                "a]b", "a[b]", "a\tb", "a\x7f"}) {
    EXPECT_EQ(host(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(host(std::string_view("a\0b", 3)), std::nullopt);
}

// RFC 5952, sections 1, 4 and 5; the last two would have decimal ends by some C libraries.
TEST(UrlHost, AddressesAreWrittenAsRfc5952Says) {
  expect_hosts({{"[2001:db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
                {"[2001:0db8:0:0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
                {"[2001:db8::1:0:0:1]", "[2001:db8::1:0:0:1]"},
                {"[2001:db8::0:1:0:0:1]", "[2001:db8::1:0:0:1]"},
                {"[2001:0db8::1:0:0:1]", "[2001:db8::1:0:0:1]"},
                {"[2001:db8:0:0:1::1]", "[2001:db8::1:0:0:1]"},
                {"[2001:DB8:0:0:1::1]", "[2001:db8::1:0:0:1]"},
                {"[2001:db8::0001]", "[2001:db8::1]"},
                {"[2001:db8:0:0:0:0:2:1]", "[2001:db8::2:1]"},
                {"[2001:db8:0:1:1:1:1:1]", "[2001:db8:0:1:1:1:1:1]"},
                {"[2001:0:0:1:0:0:0:1]", "[2001:0:0:1::1]"},
                {"[2001:db8:aaaa:bbbb:cccc:dddd:eeee:aAaA]", "[2001:db8:aaaa:bbbb:cccc:dddd:eeee:aaaa]"},
                {"[0:0:0:0:0:0:0:0]", "[::]"},
                {"[0:0:0:0:0:0:0:1]", "[::1]"},
                {"[1:0:0:0:0:0:0:0]", "[1::]"},
                {"[::ffff:192.0.2.1]", "[::ffff:c000:201]"},
                {"[::192.0.2.1]", "[::c000:201]"}});
}

// RFC 2732, section 2: the addresses in the URLs that it shows.
TEST(UrlHost, AddressesOfRfc2732) {
  expect_hosts({{"[FEDC:BA98:7654:3210:FEDC:BA98:7654:3210]", "[fedc:ba98:7654:3210:fedc:ba98:7654:3210]"},
                {"[1080:0:0:0:8:800:200C:417A]", "[1080::8:800:200c:417a]"},
                {"[3ffe:2a00:100:7031::1]", "[3ffe:2a00:100:7031::1]"},
                {"[1080::8:800:200C:417A]", "[1080::8:800:200c:417a]"},
                {"[2010:836B:4179::836B:4179]", "[2010:836b:4179::836b:4179]"}});
}

TEST(UrlHost, BracketsHoldAnAddress) {
  expect_hosts({{"[V7.Name:1]", "[v7.name:1]"}});
  for (const char* const bad :
       {"[]", "[", "[:]", "[1]", "[::1", "[:::1]", "[1:2:3:4:5:6:7:8:9]", "[::12345]", "[::g]",
        "[fe80::1%25eth0]", "[192.0.2.1]", "[v.a]", "[v1.]", "[v1]", "[vg.a]", "[v1.a/b]", "[v1.\xc3\xa4]"}) {
    EXPECT_EQ(host(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(host(std::string_view("[::1\0]", 6)), std::nullopt);
  EXPECT_EQ(host("[" + std::string(100'000, '1') + "]"), std::nullopt);
}

// RFC 3987, sections 3.1 and 5.3.2.1 and 3.2; UTS #46, section 4.5; and names that its mapping makes equal.
TEST(UrlHost, InternationalNamesBecomeAscii) {
  expect_hosts(
      {{"r\xc3\xa9sum\xc3\xa9.example.org", "xn--rsum-bpad.example.org"},
       {"\xe7\xb4\x8d\xe8\xb1\x86.example.org", "xn--99zt52a.example.org"},
       {"b\xc3\xbc"
        "cher.example",
        "xn--bcher-kva.example"},
       {"B\xc3\x9c"
        "CHER.Example",
        "xn--bcher-kva.example"},
       {"bu\xcc\x88"
        "cher.example",
        "xn--bcher-kva.example"},
       {"b%C3%BCcher.example", "xn--bcher-kva.example"},
       {"B%c3%9ccher%2Eexample.", "xn--bcher-kva.example."},
       {"fa\xc3\x9f.de", "xn--fa-hia.de"},
       {"\xce\xb2\xcf\x8c\xce\xbb\xce\xbf\xcf\x82.com", "xn--nxasmm1c.com"},
       {"\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e\xe3\x80\x82\xef\xbc\xaa\xef\xbc\xb0", "xn--wgv71a119e.jp"},
       {"\xef\xbd\x85\xef\xbd\x98.com", "ex.com"},
       {"_dmarc.b\xc3\xbc"
        "cher.example",
        "_dmarc.xn--bcher-kva.example"}});
}

// Bytes that are no UTF-8, what UTS #46 or IDNA 2008 disallow, and what would become more than a name.
TEST(UrlHost, OtherInternationalNamesAreRefused) {
  for (const char* const bad :
       {"b\xfc"
        "cher",
        "%FC", "\xc3", "\xed\xa0\x80.de", "\xf4\x90\x80\x80",
        "a\xef\xbc\x8f"
        "b.com",
        "\xe2\x84\x80.com",
        "a\xef\xbc\x9a"
        "80",
        "\xef\xbc\x85.com", "b\xc3\xbc!cher.de", "b\xc3\xbc%2Fcher.de", "b\xc3\xbc%20cher.de", "\xc2\xad",
        "\xe2\x98\x83.net", "\xe1\xba\x9e.de", "\xcd\x8f",
        "\xcc\x88"
        "a.de",
        "\xc3\xa4.xn--\x61.de"}) {
    EXPECT_EQ(host(bad), std::nullopt) << bad;
  }
  EXPECT_NE(host("\xc3\xa4" + std::string(50, 'a')), std::nullopt);
  EXPECT_EQ(host("\xc3\xa4" + std::string(63, 'a')), std::nullopt);  // a label of more than 63 bytes
  EXPECT_EQ(host("\xc3\xa4" + std::string(100'000, 'a')), std::nullopt);
}

}  // namespace
}  // namespace bloomery
