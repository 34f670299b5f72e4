// Cuts the bytes that a server sends into replies. hiredis parses; this keeps its types out of sight, and its limits:
//
//   bytes of one bulk string, and of what waits to be parsed    reply_bytes_max
//   elements of one array                                       reply_elements_max
//
// Elements are made as they arrive, so an array whose length is a lie takes no memory. After an error no more is read.
// Source: the specification of RESP, version 2. Not here: RESP3, whose types are errors.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "connect/redis/reply.h"

struct redisReader;

namespace bloomery::redis {

inline constexpr std::size_t kReplyBytesMax = std::size_t{1} << 30;
inline constexpr int kReplyElementsMax = 1 << 24;

class ReplyReader {
 public:
  ReplyReader();

  // Errors: kCapacity; after an error of next() the same again.
  Status feed(std::string_view bytes);
  // Returns the next whole reply, or nothing if its end has not come. Errors: kCorruption for bytes that are no reply,
  // kCapacity above the limits.
  Result<std::optional<Reply>> next();
  // Whether bytes were fed that no reply has taken yet.
  bool has_rest() const;

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  Error failure() const;

  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace bloomery::redis
