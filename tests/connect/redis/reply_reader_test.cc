// Bytes of a server into replies: whole, cut anywhere, and damaged.
#include "connect/redis/reply_reader.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bloomery::redis {
namespace {

// One of each kind, and nested.
const std::string kReplies =
    "+OK\r\n:-42\r\n$5\r\na\r\nbc\r\n$-1\r\n-ERR no\r\n*3\r\n:1\r\n*2\r\n$0\r\n\r\n*-1\r\n+in\r\n*0\r\n";

void check_replies(const std::vector<Reply>& replies) {
  ASSERT_EQ(replies.size(), 7u);
  EXPECT_EQ(replies[0].kind, Reply::Kind::kStatus);
  EXPECT_EQ(replies[0].text, "OK");
  EXPECT_EQ(replies[1].kind, Reply::Kind::kInteger);
  EXPECT_EQ(replies[1].integer, -42);
  EXPECT_EQ(replies[2].kind, Reply::Kind::kBytes);
  EXPECT_EQ(replies[2].text, "a\r\nbc");
  EXPECT_EQ(replies[3].kind, Reply::Kind::kNil);
  EXPECT_TRUE(replies[4].is_error("ERR"));
  EXPECT_FALSE(replies[4].is_error("ER"));
  ASSERT_EQ(replies[5].elements.size(), 3u);
  EXPECT_EQ(replies[5].elements[0].integer, 1);
  ASSERT_EQ(replies[5].elements[1].elements.size(), 2u);
  EXPECT_EQ(replies[5].elements[1].elements[0].kind, Reply::Kind::kBytes);
  EXPECT_EQ(replies[5].elements[1].elements[1].kind, Reply::Kind::kNil);
  EXPECT_EQ(replies[5].elements[2].text, "in");
  EXPECT_EQ(replies[6].kind, Reply::Kind::kArray);
  EXPECT_TRUE(replies[6].elements.empty());
}

// Returns all whole replies; stops at an error.
std::vector<Reply> take_all(ReplyReader& reader) {
  std::vector<Reply> replies;
  for (;;) {
    const Result<std::optional<Reply>> reply = reader.next();
    if (!reply || !*reply) {
      return replies;
    }
    replies.push_back(**reply);
  }
}

TEST(RedisReplyReader, KnowsEveryKind) {
  ReplyReader reader;
  ASSERT_TRUE(reader.feed(kReplies));
  check_replies(take_all(reader));
  EXPECT_FALSE(reader.has_rest());
}

TEST(RedisReplyReader, ACutAnywhereWaitsForTheRest) {
  for (std::size_t cut = 0; cut <= kReplies.size(); ++cut) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(std::string_view(kReplies).substr(0, cut)));
    std::vector<Reply> replies = take_all(reader);
    ASSERT_TRUE(reader.feed(std::string_view(kReplies).substr(cut)));
    for (Reply& reply : take_all(reader)) {
      replies.push_back(std::move(reply));
    }
    check_replies(replies);
  }
}

TEST(RedisReplyReader, SaysThatTheRestOfAReplyIsMissing) {
  ReplyReader reader;
  for (const char* const bytes : {"*2\r\n:1\r\n", "$5\r\nab"}) {
    ReplyReader cut;
    ASSERT_TRUE(cut.feed(bytes));
    EXPECT_TRUE(take_all(cut).empty());
    EXPECT_TRUE(cut.has_rest()) << bytes;
  }
}

TEST(RedisReplyReader, AnyByteMayBeDamaged) {
  for (std::size_t at = 0; at < kReplies.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string damaged = kReplies;
      damaged[at] = static_cast<char>(byte);
      ReplyReader reader;
      ASSERT_TRUE(reader.feed(damaged));
      EXPECT_LE(take_all(reader).size(), 12u);
    }
  }
}

TEST(RedisReplyReader, OtherProtocolsAreDamage) {
  for (const char* const bytes :
       {"HTTP/1.1 400 Bad Request\r\n", "#t\r\n", "_\r\n", "%1\r\n", "~0\r\n", ",1\r\n", "*x\r\n", "$x\r\n",
        ":\r\n", "$-2\r\n", "*-2\r\n", "\r\n", "\0\0"}) {
    ReplyReader reader;
    ASSERT_TRUE(reader.feed(bytes[0] == '\0' ? std::string_view("\0\0\r\n", 4) : bytes));
    const Result<std::optional<Reply>> reply = reader.next();
    ASSERT_FALSE(reply) << bytes;
    EXPECT_EQ(reply.error().code(), ErrorCode::kCorruption) << bytes;
    EXPECT_FALSE(reader.next()) << "after an error no more is read";
    EXPECT_EQ(reader.feed("+OK\r\n").error().code(), ErrorCode::kCorruption);
  }
}

TEST(RedisReplyReader, ALengthThatLiesTakesNoMemory) {
  ReplyReader many;
  ASSERT_TRUE(many.feed("*2000000000\r\n:1\r\n"));
  const Result<std::optional<Reply>> too_many = many.next();
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code(), ErrorCode::kCapacity);
  ReplyReader most;
  ASSERT_TRUE(most.feed("*16777216\r\n:1\r\n"));
  EXPECT_TRUE(most.next());
  ReplyReader large;
  ASSERT_TRUE(large.feed("$900000000000\r\nabc"));
  EXPECT_TRUE(large.next());
  ReplyReader deep;
  ASSERT_TRUE(deep.feed("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"));
  EXPECT_FALSE(deep.next());
}

TEST(RedisReply, ErrorsHaveCodes) {
  const auto code_of = [](const char* text) {
    Reply reply;
    reply.kind = Reply::Kind::kError;
    reply.text = text;
    return error_of(reply, "redis host:1").code();
  };
  EXPECT_EQ(code_of("OOM command not allowed when used memory > 'maxmemory'."), ErrorCode::kCapacity);
  EXPECT_EQ(code_of("ERR unknown command 'BF.ADD', with args beginning with: 'k' "), ErrorCode::kUnsupported);
  EXPECT_EQ(code_of("LOADING Redis is loading the dataset in memory"), ErrorCode::kIo);
  EXPECT_EQ(code_of("READONLY You can't write against a read only replica."), ErrorCode::kIo);
  EXPECT_EQ(code_of("WRONGTYPE Operation against a key"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of("LOADINGS"), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace bloomery::redis
