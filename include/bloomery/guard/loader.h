// A program passes these functions to a guard: one loads a key from the database, and one runs work
// elsewhere.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"

namespace bloomery::guard {

// The bytes of a row, or empty if the database has no such row.
using Loaded = std::optional<std::string>;

struct LoadContext {
  // After this time nobody waits for the answer. A loader passes the limit to its database (a statement
  // timeout), because a blocked thread cannot be interrupted.
  std::chrono::steady_clock::time_point deadline;
};

// Loads one key. It reads data that is committed when it is called, or later: from the primary, or from a
// replica that has caught up with the caller's own writes. The guard passes an error on to all who wait,
// and caches nothing. Called by many threads at once, up to the limits of the guard.
using Loader = std::function<Result<Loaded>(std::string_view key, const LoadContext& context)>;

// Runs a task on another thread at some later time, never before the call returns. A task may wait for a
// cache and for a database. The executor's threads must not call Guard::get() without a callback, which
// would wait for another one of them.
using Executor = std::function<void(std::function<void()> work)>;

}  // namespace bloomery::guard
