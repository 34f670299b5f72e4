// A string that the server reads from an RDB stream. It is empty if the stream ends.
#pragma once

#include <cstddef>
#include <span>

#include "redis_module/module_api.h"

namespace bloomery::redis_module {

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
  std::size_t size_ = 0;  // before text_, whose making sets it
  char* text_;
};

}  // namespace bloomery::redis_module
