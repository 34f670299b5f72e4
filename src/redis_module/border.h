// The border of a command: it has as many words as it must, and no exception leaves it. A command that lacks
// memory before it has answered says so.
#pragma once

#include <exception>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// Errors of several commands.
inline constexpr const char* kWrongType = "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr const char* kNoMemory = "ERR Insufficient memory";
inline constexpr const char* kNotFound = "ERR not found";
inline constexpr const char* kItemExists = "ERR item exists";
inline constexpr const char* kIsBeingLoaded = "ERR filter is being loaded";
inline constexpr const char* kTooLarge = "ERR operation exceeds bloom object memory limit";

// Answers with an error. Its text begins with a word in capitals where clients look at one.
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
