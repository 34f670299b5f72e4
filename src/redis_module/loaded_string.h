// Helpers to load values from RDB: a string of a stream, and a call that logs errors.
#pragma once

#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

// A string of an RDB stream, empty if the stream ends.
class LoadedString {
 public:
  explicit LoadedString(RdbStream* stream) : text_(server.LoadStringBuffer(stream, &size_)) {
    if (server.IsIOError(stream) != 0) {
      size_ = 0;
    }
  }
  LoadedString(const LoadedString&) = delete;
  LoadedString& operator=(const LoadedString&) = delete;
  ~LoadedString() {
    if (text_ != nullptr) {
      server.Free(text_);
    }
  }
  std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(text_, text_ == nullptr ? 0 : size_));
  }

 private:
  std::size_t size_ = 0;  // declared before text_, whose initializer sets it
  char* text_;
};

// Returns load()'s value, a Result of a unique pointer, to the server. On an error, logs it and returns null.
template <typename Load>
void* loaded_or_logged(RdbStream* stream, Load load) noexcept {
  try {
    auto value = load();
    if (value) {
      return std::move(value).value().release();
    }
    server.LogIOError(stream, "warning", "%s", value.error().to_string().c_str());
  } catch (const std::exception& failure) {
    server.LogIOError(stream, "warning", "%s", failure.what());
  }
  return nullptr;
}

}  // namespace bloomery::redis_module
