// Parses a server's bytes into replies. hiredis parses; this class hides its types and adds limits:
//
//   bytes of one bulk string, and of unparsed input    reply_bytes_max
//   elements of one array                              reply_elements_max
//
// Elements are allocated as they arrive, so a false array length costs no memory. After an error nothing more
// is parsed.
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

  // Appends bytes to parse. Errors: kCapacity; after an error of next(), the same error again.
  Status feed(std::string_view bytes);
  // Returns the next complete reply, or nothing if its end has not arrived. Errors: kCorruption for bytes
  // that are no reply; kCapacity above the limits.
  Result<std::optional<Reply>> next();
  // Returns true if bytes remain that belong to no returned reply.
  bool has_rest() const;

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  Error failure() const;

  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace bloomery::redis
