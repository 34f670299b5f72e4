#include "keys/line_reader.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <utility>

namespace bloomery {
namespace {

// Two of these, the lines' hashes and the answers stay in a second-level cache of 512 KiB.
constexpr std::size_t kReadBytes = std::size_t{128} << 10;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, char delimiter)
    : source_(std::move(source)), delimiter_(delimiter) {}

Result<bool> LineReader::next(LineBatch& batch) {
  batch.lines.clear();
  batch.last_is_terminated = true;
  while (batch.lines.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool filled, fill());
    const char* const data = buffer_.data();
    while (const void* found = std::memchr(data + scanned_, delimiter_, end_ - scanned_)) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - data);
      batch.lines.emplace_back(data + begin_, at - begin_);
      begin_ = scanned_ = at + 1;
    }
    scanned_ = end_;
    if (!filled && batch.lines.empty()) {
      if (begin_ == end_) {
        return false;
      }
      batch.lines.emplace_back(data + begin_, end_ - begin_);
      batch.last_is_terminated = false;
      begin_ = end_;
    }
  }
  return true;
}

Result<bool> LineReader::fill() {
  if (at_end_) {
    return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kReadBytes) {
    try {
      buffer_.resize(std::max(end_ + kReadBytes, buffer_.size() + buffer_.size() / 2));
    } catch (const std::bad_alloc&) {
      return Error::capacity("line",
                             "of more than " + std::to_string(end_) + " bytes, more than memory holds");
    }
  }
  const auto room = std::as_writable_bytes(std::span(buffer_)).subspan(end_);
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count,
                            source_->read(room.first(std::max(kReadBytes, room.size() / 2))));
  end_ += count;
  at_end_ = count == 0;
  return !at_end_;
}

}  // namespace bloomery
