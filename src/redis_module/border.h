// Checks a command's number of words, and catches all exceptions, since none may reach the server. A command
// that runs out of memory before it has replied gets an error reply.
#pragma once

#include <exception>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Error replies that several commands use.
inline constexpr const char* kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr const char* kNoMemory = "ERR Insufficient memory";
inline constexpr const char* kNotFound = "ERR not found";
inline constexpr const char* kItemExists = "ERR item exists";
inline constexpr const char* kIsBeingLoaded = "ERR filter is being loaded";
inline constexpr const char* kTooLarge = "ERR operation exceeds bloom object memory limit";

// Replies with an error. Errors that clients distinguish begin with a word in capitals.
inline int fail(Context* context, const char* error) {
  return server.ReplyWithError(context, error);
}

template <CommandFunction kCommand, int kArity>
int guarded(Context* context, String** words, int count) noexcept {
  if (kArity < 0 ? count < -kArity : count != kArity) {
    return server.WrongArity(context);
  }
  try {
    return kCommand(context, words, count);
  } catch (const std::exception& failure) {
    server.Log(context, "warning", "a command failed: %s", failure.what());
    return server.ReplyWithError(context, "ERR Insufficient memory");
  }
}

}  // namespace bloomery::redis_module
