// Errors: what the program can ask of them, and the sentence that a person reads.
#include "bloomery/base/error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(Error, EveryCodeHasItsName) {
  EXPECT_STREQ(error_code_name(ErrorCode::kCorruption), "corruption");
  EXPECT_STREQ(error_code_name(ErrorCode::kUnsupported), "unsupported");
  EXPECT_STREQ(error_code_name(ErrorCode::kInvalidArgument), "invalid argument");
  EXPECT_STREQ(error_code_name(ErrorCode::kNotFound), "not found");
  EXPECT_STREQ(error_code_name(ErrorCode::kIo), "I/O error");
  EXPECT_STREQ(error_code_name(ErrorCode::kCapacity), "capacity");
}

TEST(Error, DamageSaysWhere) {
  const Error error = Error::corruption("native header", 12, "expected 1, found 2");
  EXPECT_EQ(error.code(), ErrorCode::kCorruption);
  EXPECT_EQ(error.offset(), 12u);
  EXPECT_EQ(error.errno_value(), 0);
  EXPECT_EQ(error.to_string(), "native header: at byte 12: expected 1, found 2 (corruption)");
}

TEST(Error, WhatWasExpectedAndFoundIsASentence) {
  EXPECT_EQ(Error::corruption("trailer", 7, "a magic", "zeros").to_string(),
            "trailer: at byte 7: expected a magic, found zeros (corruption)");
  EXPECT_EQ(Error::corruption("trailer", 7, "at least 212 bytes", 211u).detail(),
            "expected at least 212 bytes, found 211");
  EXPECT_EQ(Error::corrupt_field("header", 2, "words", "1 to 9", -1).detail(),
            "words: expected 1 to 9, found -1");
}

// The start of a file is a place like any other, not "no offset".
TEST(Error, OffsetZeroIsShown) {
  EXPECT_EQ(Error::unsupported("keys", 0, "version 9").to_string(),
            "keys: at byte 0: version 9 (unsupported)");
}

TEST(Error, WithoutOffsetNoneIsShown) {
  const Error error = Error::invalid_argument("-p", "expected less than 1, found 2");
  EXPECT_EQ(error.offset(), std::nullopt);
  EXPECT_EQ(error.to_string(), "-p: expected less than 1, found 2 (invalid argument)");
  EXPECT_EQ(Error::capacity("memory", "full").to_string(), "memory: full (capacity)");
}

TEST(Error, TheSystemsRefusalKeepsItsNumberAndSaysWhatWasTried) {
  const Error error = Error::io("a.bloom", "write", ENOSPC);
  EXPECT_EQ(error.code(), ErrorCode::kIo);
  EXPECT_EQ(error.errno_value(), ENOSPC);
  EXPECT_EQ(error.to_string(), "a.bloom: write: No space left on device (I/O error)");
}

TEST(Error, AMissingFileIsNotFound) {
  const Error error = Error::io("a.bloom", "open", ENOENT);
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  EXPECT_EQ(error.errno_value(), ENOENT);
}

// Putting an error inside a file changes its subject and nothing else.
TEST(Error, InFilePutsTheFileInFront) {
  const Error error = Error::corruption("native header", 12, "bad").in_file("a.bloom");
  EXPECT_EQ(error.to_string(), "a.bloom: native header: at byte 12: bad (corruption)");
  EXPECT_EQ(error.subject(), "a.bloom: native header");
  EXPECT_EQ(Error::io("", "read", EIO).in_file("a.bloom").subject(), "a.bloom");
  EXPECT_EQ(Error::io("x", "read", EIO).in_file("a.bloom").errno_value(), EIO);
}

// A program tells errors of one code apart by it, and not by their words.
TEST(Error, HasAnErrnoThatItWasGiven) {
  const Error error = Error::invalid_argument("f", "exists already").with_errno(EEXIST);
  EXPECT_EQ(error.errno_value(), EEXIST);
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.to_string(), "f: exists already (invalid argument)");
  EXPECT_EQ(error.in_file("g").with_code(ErrorCode::kIo).errno_value(), EEXIST);
}

}  // namespace
}  // namespace bloomery
