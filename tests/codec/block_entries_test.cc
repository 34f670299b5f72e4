// Entries of a table's block that do not fit it: each of the three sizes is held against what is there.
#include "codec/sstable/block_entries.h"

#include <string>

#include <gtest/gtest.h>

#include "tests/base/test_bytes.h"

namespace bloomery::sstable {
namespace {

using namespace std::string_literals;

// A block of these entries, with one restart.
std::string block_of(const std::string& entries) {
  return entries + "\0\0\0\0\1\0\0\0"s;
}

// The keys and values, "key=value " each, or "error" for the rest.
std::string read_entries(const std::string& block) {
  const std::string bytes = block;
  auto entries = BlockEntries::open(bytes_of(bytes), 0);
  if (!entries) {
    return "error";
  }
  std::string all;
  Result<bool> found = entries->next();
  for (; found && *found; found = entries->next()) {
    all += std::string(entries->key()) + '=' + text_of(entries->value()) + ' ';
  }
  return found ? all : all + "error";
}

TEST(BlockEntries, KeysShareTheFrontOfTheOneBefore) {
  EXPECT_EQ(read_entries(block_of("\0\3\2keyv1\2\2\0yz"s)), "key=v1 keyz= ");
  EXPECT_EQ(read_entries(block_of("\0\1\0a\1\0\1x"s)), "a= a=x ");
  EXPECT_EQ(read_entries(block_of("")), "");
}

TEST(BlockEntries, WhatDoesNotFitIsAnError) {
  EXPECT_EQ(read_entries(block_of("\1\1\0a"s)), "error") << "shares a byte with no key";
  EXPECT_EQ(read_entries(block_of("\0\3\0key\4\1\0x"s)), "key= error")
      << "shares a byte more than the key has";
  EXPECT_EQ(read_entries(block_of("\0\4\0key"s)), "error") << "a key of a byte more than there is";
  EXPECT_EQ(read_entries(block_of("\0\3\1key"s)), "error") << "a value of a byte more than there is";
  EXPECT_EQ(read_entries(block_of("\0\3\xff\xff\xff\xff\x0fkey"s)), "error");
  EXPECT_EQ(read_entries(block_of("\0\xff\xff\xff\xff\x0f\1key"s)), "error");
  EXPECT_EQ(read_entries(block_of("\0\3"s)), "error") << "ends within its sizes";
}

TEST(BlockEntries, RestartsFitTheBlock) {
  EXPECT_EQ(read_entries("\0\0\0\0\1\0\0"s), "error");
  EXPECT_EQ(read_entries("\0\0\0\0\0\0\0\0"s), "error") << "no restart";
  EXPECT_EQ(read_entries("\0\0\0\0\2\0\0\0"s), "error") << "a restart more than there is room for";
}

}  // namespace
}  // namespace bloomery::sstable
