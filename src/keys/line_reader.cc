#include "keys/line_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "base/memory.h"

namespace bloomery {
namespace {

// Two such buffers, the lines' hashes and the answers fit into a second-level cache of 512 KiB.
constexpr std::size_t kReadBytes = std::size_t{128} << 10;
// After this much of one line, each read is kLongReadBytes, so that a line of a gigabyte needs fewer reads.
constexpr std::size_t kLongLineBytes = std::size_t{4} << 20;
constexpr std::size_t kLongReadBytes = std::size_t{1} << 20;
// A batch that has grown above this size releases its memory before the next batch.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

}  // namespace

void LineBatch::drop(std::span<const std::uint32_t> dropped) {
  if (dropped.empty()) {
    return;
  }
  last_is_terminated = last_is_terminated || dropped.back() + 1 == lines.size();
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < lines.size(); ++i) {
    if (!dropped.empty() && dropped.front() == i) {
      dropped = dropped.subspan(1);
      continue;
    }
    lines[kept++] = lines[i];
    places.push_back(i);
  }
  lines.resize(kept);
}

std::size_t LineBatch::unbroken_end(std::size_t begin, std::size_t end) const {
  if (places.empty()) {
    return end;
  }
  std::size_t next = begin + 1;
  while (next < end && places[next] == places[next - 1] + 1) {
    ++next;
  }
  return next;
}

LineReader::LineReader(std::unique_ptr<ByteSource> source, char delimiter)
    : source_(std::move(source)), delimiter_(delimiter), most_line_bytes_(memory_limit_bytes() / 4 * 3) {}

Result<bool> LineReader::next(LineBatch& batch) {
  batch.lines.clear();
  batch.last_is_terminated = true;
  batch.places.clear();
  batch.header.reset();
  if (failed_) {
    return *failed_;
  }
  Result<bool> filled = fill_batch(batch);
  if (!filled) {
    failed_ = filled.error();
  }
  return filled;
}

Result<bool> LineReader::fill_batch(LineBatch& batch) {
  BLOOMERY_RETURN_IF_ERROR(begin_with_rest(batch.bytes));
  for (;;) {
    cut(batch);
    if (!batch.lines.empty()) {
      return true;
    }
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, read_more(batch.bytes));
    if (!more) {
      break;
    }
  }
  const std::size_t left = std::exchange(end_, 0);
  searched_ = 0;
  if (left == 0) {
    return false;
  }
  batch.lines.emplace_back(batch.bytes.data(), left);
  batch.last_is_terminated = false;
  ++lines_given_;
  return true;
}

Status LineReader::begin_with_rest(GrowingBuffer& buffer) {
  const std::size_t size = rest_.size() + kReadBytes;
  if (buffer.size() < size || buffer.size() > std::max(size, kKeptBytes)) {
    if (!buffer.resize(size)) {
      return too_long("memory has room for");
    }
  }
  std::ranges::copy(rest_, buffer.data());
  end_ = rest_.size();
  rest_.clear();
  return {};
}

void LineReader::cut(LineBatch& batch) {
  const char* const data = batch.bytes.data();
  std::size_t begin = 0;
  const void* found = nullptr;
  while (batch.lines.size() < LineBatch::kMostLines &&
         (found = std::memchr(data + searched_, delimiter_, end_ - searched_)) != nullptr) {
    const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - data);
    batch.lines.emplace_back(data + begin, at - begin);
    begin = searched_ = at + 1;
  }
  if (batch.lines.empty()) {
    searched_ = end_;
    return;
  }
  lines_given_ += batch.lines.size();
  rest_.assign(data + begin, data + end_);
  searched_ = batch.lines.size() < LineBatch::kMostLines ? rest_.size() : 0;
  end_ = 0;
}

Result<bool> LineReader::read_more(GrowingBuffer& buffer) {
  if (at_end_) {
    return false;
  }
  if (end_ > most_line_bytes_) {
    return too_long("is allowed");
  }
  const std::size_t wanted = end_ < kLongLineBytes ? kReadBytes : kLongReadBytes;
  if (buffer.size() - end_ < wanted &&
      !buffer.resize(std::max(end_ + wanted, buffer.size() + buffer.size() / 2))) {
    return too_long("memory has room for");
  }
  const std::span<char> room(buffer.data() + end_, wanted);
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, source_->read(std::as_writable_bytes(room)));
  end_ += count;
  at_end_ = count == 0;
  return !at_end_;
}

Error LineReader::too_long(const char* than) const {
  return Error::capacity("line " + std::to_string(lines_given_ + 1),
                         "has more than " + std::to_string(end_) + " bytes, more than " + than +
                             " (at most " + std::to_string(most_line_bytes_) + ")");
}

}  // namespace bloomery
