// One reply of a server, in the types of the protocol RESP2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"

namespace bloomery::redis {

struct Reply {
  enum class Kind {
    kNil,
    kInteger,
    kStatus,  // a line such as OK
    kBytes,
    kArray,
    kError,  // the server's error message
  };
  Kind kind = Kind::kNil;
  std::int64_t integer = 0;
  std::string text;  // of a status, a bulk string or an error
  std::vector<Reply> elements;

  bool is_error() const { return kind == Kind::kError; }
  // Returns true if this is an error that begins with the word `name`, such as "MOVED" or "WRONGTYPE".
  bool is_error(std::string_view name) const;
  // Search an array of alternating names and values. field() returns the value of a name, or null. number()
  // returns the value if it is an integer, otherwise nothing.
  const Reply* field(std::string_view name) const;
  std::optional<std::int64_t> number(std::string_view name) const;
  // Describes the reply in a few words, for messages: "the number 3", "an array of 2", "the error 'ERR ...'".
  std::string describe() const;
};

// Converts an error reply to an Error; `subject` is the name of the server. Codes:
//   OOM                             kCapacity
//   "unknown command"               kUnsupported: the server is too old or lacks a module; ours is named
//   LOADING, CLUSTERDOWN, READONLY, TRYAGAIN, MASTERDOWN, BUSY, MISCONF, NOREPLICAS, MOVED, ASK
//                                   kIo, the state of the server
//   all others                      kInvalidArgument
// Precondition: reply.is_error().
Error error_of(const Reply& reply, const std::string& subject);

}  // namespace bloomery::redis
