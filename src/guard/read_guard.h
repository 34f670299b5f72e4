// A guard of a leased file for the bindings to other languages: each read brings along the load of its key.
//
// The load runs in the thread of its read, so it is passed to the guard's loader in a thread-local variable.
// Values are as long fresh as they are kept, so the guard refreshes none in its own threads, which would have
// no load.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/guard/guard.h"
#include "bloomery/hash/hash_secret.h"

namespace bloomery::guard {

// Loads the key of the read that it belongs to. It may read other keys.
using ReadLoad = std::function<Result<Loaded>()>;

// `secret` may be null. Sets the times of values and the copies in `options`, and leaves the rest. Errors:
// those of LeasedSource::open() and Guard::make().
Result<std::unique_ptr<Guard>> make_read_guard(const std::string& path, const HashSecret* secret,
                                               std::uint64_t cache_bytes, std::chrono::milliseconds keep,
                                               GuardOptions options);

// Answers as Guard::get(). Precondition: make_read_guard() made the guard.
Result<Answer> read(Guard& guard, std::string_view key, const ReadLoad& load);

}  // namespace bloomery::guard
