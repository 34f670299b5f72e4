// The three hashes of HBase's Bloom filters, as HBase 2.x computes them: two rounds, the second seeded with
// the first. Keys with bytes of 0x80 and above in their last one to three are where murmur differs from the
// textbook.
#include <string>

#include <gtest/gtest.h>

#include "hash/jenkins_lookup3.h"
#include "hash/murmur2.h"
#include "hash/murmur3_x86_32.h"

namespace bloomery {
namespace {

using namespace std::string_literals;

struct HBaseVector {
  std::string key;
  std::uint32_t jenkins[2];
  std::uint32_t murmur[2];
  std::uint32_t murmur3[2];
};

const HBaseVector kHBaseVectors[] = {
    {"", {0xdeadbeef, 0xbd5b7dde}, {0, 0}, {0, 0}},
    {"a", {0x58d68708, 0x00bb489d}, {0x92685f5e, 0x5b2b9c66}, {0x3c2569b2, 0x8935f798}},
    {"row1", {0xe9f826c6, 0x39cc7275}, {0x09444512, 0xa1be7502}, {0xbcdf3f8b, 0x4e2a3031}},
    {"row-0001", {0x67edf76e, 0x0b9c21a1}, {0x5afd3425, 0x25ee519a}, {0x2fb8d244, 0x3acb20c7}},
    {"row-00010", {0x0c516579, 0xb74ca7b2}, {0xbabdc0d5, 0xb1e46704}, {0x1a549a08, 0xf7d7d742}},
    {"\x80", {0x88511acc, 0xf6107cc2}, {0xfdab6e14, 0x97cfe73a}, {0x0feb9e1d, 0xe8896970}},
    {"\xff\x80", {0x9bd344e6, 0xbc2fbd98}, {0x5b1e744e, 0xb0a9f27b}, {0x6c4e220c, 0xfaab21a9}},
    {"\x01\xff\x80", {0xcad8a641, 0xff57bb5b}, {0x8fc02f95, 0xb2172385}, {0xc784fbf7, 0x47a0f9b5}},
    {"\x00\x01\x02\x03\xff\x80\x90"s,
     {0x3c135e49, 0x43d6728a},
     {0x5722a4b2, 0x60e2c807},
     {0x8c80891c, 0xff0d45ae}},
    {"\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"s,
     {0xbc9d6816, 0xac6dd6cf},
     {0xa6191f41, 0x16f2542a},
     {0x60f00008, 0xd0da3e95}},
    {"\x00\x04row1\x00q1\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s,
     {0x800e06cf, 0xba106fec},
     {0x0ceef137, 0xbbb128e2},
     {0x72892822, 0x145d936d}},
    {"\x00\x04row1\x00\x7f\xff\xff\xff\xff\xff\xff\xff\xff"s,
     {0x70669a73, 0x170808b2},
     {0xc08e9736, 0x2fb016c3},
     {0xfe4b7589, 0x4d03d9f4}},
};

template <typename Hash>
void expect_rounds(const std::string& key, const std::uint32_t (&expected)[2], Hash hash) {
  const std::uint32_t first = hash(key, 0);
  EXPECT_EQ(first, expected[0]);
  EXPECT_EQ(hash(key, first), expected[1]);
}

TEST(HBaseHashes, VectorsOfTheThreeHashes) {
  for (const HBaseVector& vector : kHBaseVectors) {
    SCOPED_TRACE(vector.key);
    expect_rounds(vector.key, vector.jenkins, jenkins_lookup3);
    expect_rounds(vector.key, vector.murmur, murmur2_32_signed_tail);
    expect_rounds(vector.key, vector.murmur3, murmur3_x86_32);
  }
}

// What the textbook's murmur gives for the five keys whose last bytes are negative numbers in Java.
TEST(HBaseHashes, TheTextbooksTailDiffers) {
  EXPECT_EQ(murmur2_32("\x80", 0), 0x9b891bb0u);
  EXPECT_EQ(murmur2_32("\xff\x80", 0), 0x79365a42u);
  EXPECT_EQ(murmur2_32("\x01\xff\x80", 0), 0xd630c72du);
  EXPECT_EQ(murmur2_32(kHBaseVectors[8].key, 0), 0xaddb5075u);
  EXPECT_EQ(murmur2_32(kHBaseVectors[10].key, 0), 0x18ec3f9au);
}

// lookup3's own vectors, of the comment in lookup3.c's driver5().
TEST(HBaseHashes, JenkinsOwnVectors) {
  EXPECT_EQ(jenkins_lookup3("Four score and seven years ago", 0), 0x17770551u);
  EXPECT_EQ(jenkins_lookup3("Four score and seven years ago", 1), 0xcd628161u);
}

}  // namespace
}  // namespace bloomery
