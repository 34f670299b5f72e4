// A source that hands out what it was given, chunk by chunk: a pipe whose writer a test decides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_source.h"
#include "test_bytes.h"

namespace bloomery {

using Chunks = std::vector<std::string>;

// `bytes` in chunks of `size`, the last one smaller.
inline Chunks chunks_of(std::string_view bytes, std::size_t size) {
  Chunks chunks;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(size, bytes.size()))) {
    chunks.emplace_back(bytes.substr(0, size));
  }
  return chunks;
}

// `bytes` in chunks of 1 to `size_max` bytes.
inline Chunks random_chunks(std::string_view bytes, std::size_t size_max, std::mt19937_64& random) {
  Chunks chunks;
  while (!bytes.empty()) {
    chunks.emplace_back(bytes.substr(0, 1 + random() % size_max));
    bytes.remove_prefix(chunks.back().size());
  }
  return chunks;
}

// One read gives at most one chunk. Behind the last one is the end, or else an error: the place of a read
// that would wait for ever, or of a disk that fails.
class ChunkedSource final : public ByteSource {
 public:
  explicit ChunkedSource(Chunks chunks) : chunks_(std::move(chunks)) {}
  ChunkedSource(Chunks chunks, Error then) : chunks_(std::move(chunks)), then_(std::move(then)) {}

  Result<std::size_t> read(std::span<std::byte> out) override {
    while (next_ < chunks_.size() && given_ == chunks_[next_].size()) {
      ++next_;
      given_ = 0;
    }
    if (next_ == chunks_.size()) {
      if (then_) {
        return *then_;
      }
      return std::size_t{0};
    }
    const std::span<const std::byte> left = bytes_of(chunks_[next_]).subspan(given_);
    const std::size_t count = std::min(out.size(), left.size());
    std::copy_n(left.begin(), count, out.begin());
    given_ += count;
    return count;
  }

 private:
  Chunks chunks_;
  std::optional<Error> then_;
  std::size_t next_ = 0;   // the chunk being given
  std::size_t given_ = 0;  // bytes of it
};

inline Error no_more_reads() {
  return Error::io("test", "read that nobody should have asked for", 0);
}

// All that a source gives, and the error that ended it if there was one.
struct Drained {
  std::string text;
  std::optional<Error> error;
};

// Reads to the end, `room` bytes at most at a time.
inline Drained drain(ByteSource& source, std::size_t room = std::size_t{1} << 16) {
  Drained drained;
  Bytes out(room);
  for (;;) {
    const Result<std::size_t> count = source.read(out);
    if (!count) {
      drained.error = count.error();
      return drained;
    }
    if (*count == 0) {
      return drained;
    }
    drained.text += text_of(std::span(out).first(*count));
  }
}

}  // namespace bloomery
