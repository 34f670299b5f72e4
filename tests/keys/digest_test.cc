#include "keys/digest.h"

#include <string>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

std::string digest_of(std::string_view text, std::string_view name) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  KeyWriter writer;
  const Status made = append_digest(writer, text, *digest_from_name(name));
  EXPECT_TRUE(made) << made.error().to_string();
  std::string hex;
  for (const std::byte byte : writer.bytes()) {
    hex += {kDigits[std::to_integer<unsigned>(byte) >> 4], kDigits[std::to_integer<unsigned>(byte) & 15]};
  }
  return hex;
}

// RFC 1321, appendix A.5.
TEST(Digest, Md5) {
  EXPECT_EQ(digest_of("", "md5"), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(digest_of("message digest", "md5"), "f96b697d7cb7938d525a2f31aaf161d0");
}

// FIPS 180-4's examples.
TEST(Digest, Sha1AndSha256) {
  EXPECT_EQ(digest_of("abc", "sha1"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "sha1"),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1");
  EXPECT_EQ(digest_of("abc", "sha256"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// The empty one is RFC 1320's MD4 of nothing; the others are MS-NLMP 4.2.2.1.2 and the best known of all.
TEST(Digest, NtlmIsMd4OfUtf16) {
  EXPECT_EQ(digest_of("", "ntlm"), "31d6cfe0d16ae931b73c59d7e0c089c0");
  EXPECT_EQ(digest_of("Password", "ntlm"), "a4f49c406510bdcab6824ee7c30fd852");
  EXPECT_EQ(digest_of("password", "ntlm"), "8846f7eaee8fb117ad06bdd830b7586c");
}

TEST(Digest, NtlmTakesOnlyUtf8) {
  KeyWriter writer;
  const Status made = append_digest(writer, "\xff", Digest::kNtlm);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(made.error().to_string().find("expected valid UTF-8, found '\\xff'") != std::string::npos);
  EXPECT_TRUE(writer.bytes().empty());
}

TEST(Digest, IsAppendedBehindWhatIsThere) {
  KeyWriter writer;
  append_key(writer, std::string_view("x"));
  ASSERT_TRUE(append_digest(writer, "abc", Digest::kMd5));
  EXPECT_EQ(writer.bytes().size(), 17U);
}

TEST(Digest, OtherNamesAreNone) {
  for (const char* const name : {"", "MD5", "sha512", "none"}) {
    EXPECT_FALSE(digest_from_name(name)) << name;
  }
}

}  // namespace
}  // namespace bloomery
