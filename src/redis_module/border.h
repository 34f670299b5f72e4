// The border of a command: no exception leaves it. A command that lacks memory before it has answered says so.
#pragma once

#include <exception>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

template <CommandFunction kCommand>
int guarded(Context* context, String** words, int count) noexcept {
  try {
    return kCommand(context, words, count);
  } catch (const std::exception& failure) {
    server.Log(context, "warning", "a command failed: %s", failure.what());
    return server.ReplyWithError(context, "ERR Insufficient memory");
  }
}

}  // namespace bloomery::redis_module
