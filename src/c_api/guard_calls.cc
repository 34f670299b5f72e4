// Guards of leased files: reads with a load by callback, writes, metrics.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/guard/guard.h"
#include "bloomery/hash/hash_secret.h"
#include "c_api/call.h"
#include "c_api/handle_pool.h"
#include "guard/read_guard.h"

// The place for the row of one load.
struct bloomery_row {
  bloomery::guard::Loaded loaded;
};

namespace bloomery::c_api {
namespace {

using Guards = HandlePool<std::unique_ptr<guard::Guard>, 0x9a4d0f1e5>;
using Writes = HandlePool<guard::Write, 0x9a4d3417e>;

static_assert(static_cast<int>(guard::GuardMode::kEnforce) == BLOOMERY_GUARD_ENFORCE &&
              static_cast<int>(guard::GuardMode::kShadow) == BLOOMERY_GUARD_SHADOW &&
              static_cast<int>(guard::GuardMode::kOff) == BLOOMERY_GUARD_OFF);

Result<guard::GuardMode> guard_mode_of(std::uint32_t mode) {
  return mode <= BLOOMERY_GUARD_OFF
             ? Result<guard::GuardMode>(static_cast<guard::GuardMode>(mode))
             : Error::invalid_argument("mode", "expected a mode of 0 to 2, found " + std::to_string(mode));
}

// Returns the time, at most a million seconds, which no clock overflows by.
std::chrono::milliseconds milliseconds_of(std::uint64_t count) {
  return std::chrono::milliseconds(std::min<std::uint64_t>(count, 1'000'000'000));
}

int not_open(const char* type) {
  return failed(BLOOMERY_CAPACITY, "memory",
                std::string("expected room for a handle of ") + type + ", found none");
}

int open_guard(const char* path, const bloomery_guard_options* options, bloomery_guard** opened) {
  bloomery_guard_options read = BLOOMERY_GUARD_OPTIONS_INIT;
  if (const Status status = read_struct(read, options, "bloomery_guard_options", IfNull::kDefault); !status) {
    return failed(status.error());
  }
  const Result<guard::GuardMode> mode = guard_mode_of(read.mode);
  if (!mode) {
    return failed(mode.error());
  }
  HashSecret secret;
  if (read.secret != nullptr) {
    std::copy_n(read.secret, secret.bytes.size(), secret.bytes.begin());
  }
  guard::GuardOptions chosen;
  chosen.mode = *mode;
  chosen.bound.time = milliseconds_of(read.bound_ms);
  chosen.negative.bytes = read.absent_bytes;
  chosen.negative.keep = milliseconds_of(read.keep_absent_ms);
  chosen.load_deadline = milliseconds_of(read.load_deadline_ms);
  chosen.loads_at_once = read.loads_at_once;
  Result<std::unique_ptr<guard::Guard>> made =
      guard::make_read_guard(path, read.secret == nullptr ? nullptr : &secret, read.cache_bytes,
                             milliseconds_of(read.keep_ms), chosen);
  if (!made) {
    return failed(made.error());
  }
  void* handle = Guards::open(std::move(*made));
  if (handle == nullptr) {
    return not_open("a guard");
  }
  *opened = static_cast<bloomery_guard*>(handle);
  return BLOOMERY_OK;
}

Result<guard::Loaded> loaded_by(bloomery_load load, void* context, std::string_view key) {
  bloomery_row row;
  const int result = load(context, key.data(), key.size(), &row);
  if (result != BLOOMERY_OK) {
    return Error(ErrorCode::kIo, "guard",
                 "expected the row of a key, found that its load returned " + std::to_string(result));
  }
  return std::move(row.loaded);
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_guard_open(const char* path, const bloomery_guard_options* options, bloomery_guard** guard) {
  if (path == nullptr || guard == nullptr) {
    return failed_argument("bloomery_guard", "expected a path and a place for the handle, found null");
  }
  *guard = nullptr;
  return guarded([&] { return open_guard(path, options, guard); });
}

int bloomery_row_set(bloomery_row* row, const void* bytes, size_t length) {
  if (row == nullptr || !is_key(bytes, length)) {
    return failed_argument("bloomery_row", "expected a row and its bytes, found null");
  }
  return guarded([&] {
    row->loaded.emplace(view_of(bytes, length));
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_guard_read(bloomery_guard* guard, const void* key, size_t length, bloomery_load load,
                        void* context, void** row, size_t* row_length) {
  const auto* found = Guards::find(guard);
  if (found == nullptr) {
    return failed_handle("bloomery_guard");
  }
  if (!is_key(key, length) || load == nullptr || row == nullptr || row_length == nullptr) {
    return failed_argument("bloomery_guard", "expected a key, a load and places for the row, found null");
  }
  *row = nullptr;
  *row_length = 0;
  return guarded([&]() -> int {
    const std::string_view text = view_of(key, length);
    const Result<guard::Answer> answer =
        guard::read(**found, text, [&] { return loaded_by(load, context, text); });
    if (!answer) {
      return failed(answer.error());
    }
    if (!answer->value) {
      return 0;
    }
    const Status given = give_bytes(*answer->value, row, row_length);
    return given ? 1 : failed(given.error());
  });
}

int bloomery_guard_write_begin(bloomery_guard* guard, const void* key, size_t length, int erases,
                               bloomery_guard_write** write) {
  const auto* found = Guards::find(guard);
  if (found == nullptr) {
    return failed_handle("bloomery_guard");
  }
  if (!is_key(key, length) || write == nullptr) {
    return failed_argument("bloomery_guard", "expected a key and a place for the handle, found null");
  }
  *write = nullptr;
  return guarded([&]() -> int {
    const std::string_view text = view_of(key, length);
    void* handle = Writes::open(erases != 0 ? (*found)->erase(text) : (*found)->write(text));
    if (handle == nullptr) {
      return not_open("a write");
    }
    *write = static_cast<bloomery_guard_write*>(handle);
    return BLOOMERY_OK;
  });
}

int bloomery_guard_write_end(bloomery_guard_write* write) {
  guard::Write* open = Writes::find(write);
  if (open == nullptr) {
    return failed_handle("bloomery_guard_write");
  }
  const int result = guarded([&] { return result_of(open->end()); });
  Writes::close(write);
  return result;
}

int bloomery_guard_set_mode(bloomery_guard* guard, uint32_t mode) {
  const auto* found = Guards::find(guard);
  if (found == nullptr) {
    return failed_handle("bloomery_guard");
  }
  return guarded([&]() -> int {
    const Result<guard::GuardMode> wanted = guard_mode_of(mode);
    if (!wanted) {
      return failed(wanted.error());
    }
    (*found)->set_mode(*wanted);
    return BLOOMERY_OK;
  });
}

int bloomery_guard_metrics(const bloomery_guard* guard, const char* labels, char** text) {
  const auto* found = Guards::find(guard);
  if (found == nullptr) {
    return failed_handle("bloomery_guard");
  }
  if (text == nullptr) {
    return failed_argument("text", "expected a place for the text, found null");
  }
  *text = nullptr;
  return guarded([&] {
    const std::string lines =
        guard::prometheus_text((*found)->metrics(), labels == nullptr ? std::string() : labels);
    void* bytes = nullptr;
    std::size_t count = 0;
    const Status given = give_bytes({lines.c_str(), lines.size() + 1}, &bytes, &count);
    *text = static_cast<char*>(bytes);
    return result_of(given);
  });
}

int bloomery_guard_close(bloomery_guard* guard) {
  return guard == nullptr || Guards::close(guard) ? static_cast<int>(BLOOMERY_OK)
                                                  : failed_handle("bloomery_guard");
}

}  // extern "C"
