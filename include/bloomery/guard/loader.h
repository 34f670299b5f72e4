// A program hands these to a guard: a function that loads a key from the database, and one that runs work elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::guard {

// The bytes of a row, or nothing if the database has no such row.
using Loaded = std::optional<std::string>;

struct LoadContext {
  // When nobody waits for the answer any more. A loader gives its database this limit (a statement timeout), because
  // a thread that waits cannot be called back.
  std::chrono::steady_clock::time_point deadline;
};

// Loads one key. It reads what is committed when it is called, or later: from the primary, or from a replica that has
// caught up with the caller's own writes. An error is passed on to everybody who waits and is kept nowhere. Called by
// many threads at once, up to the limits of the guard.
using Loader = std::function<Result<Loaded>(std::string_view key, const LoadContext& context)>;

// Runs a piece of work on some other thread, some time. It must not run it before it returns. Work may wait for a cache
// and for a database. Its threads must not call Guard::get() without a callback, which waits for another one of them.
using Executor = std::function<void(std::function<void()> work)>;

}  // namespace bloomery::guard
