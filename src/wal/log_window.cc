#include "wal/log_window.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "base/message.h"
#include "wal/log_header.h"

namespace bloomery::wal {
namespace {

// The bytes of one read: a part of the processor's second-level cache.
constexpr std::size_t kReadBytes = std::size_t{256} << 10;
// The window is refilled when it has fewer bytes than this.
constexpr std::size_t kLowBytes = std::size_t{16} << 10;

}  // namespace

LogWindow::LogWindow(File file, std::uint64_t size, std::uint64_t most, std::shared_ptr<MemoryBudget> budget)
    : file_(std::move(file)), size_(size), most_(most), memory_(std::move(budget)) {}

Status LogWindow::reserve() {
  const std::uint64_t wanted = std::min(size_, most_ + 2 * kReadBytes);
  if (buffer_.size() < wanted && !buffer_.resize(static_cast<std::size_t>(wanted))) {
    return Error::capacity(kLogSubject, message("memory is lacking for a window of ", wanted, " bytes"));
  }
  return {};
}

Status LogWindow::move_to(std::uint64_t offset) {
  assert(offset <= size_);
  const std::uint64_t buffer_end = offset_ + end_;
  if (offset < offset_ || offset > buffer_end) {
    offset_ = offset;
    begin_ = end_ = 0;
  } else {
    begin_ = static_cast<std::size_t>(offset - offset_);
  }
  const bool is_low = end_ - begin_ < kLowBytes && offset_ + end_ < size_;
  if (!is_low && begin_ < kReadBytes) {
    return {};
  }
  if (begin_ > 0 && begin_ < end_) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  }
  offset_ += begin_;
  end_ -= begin_;
  begin_ = 0;
  return is_low ? read_more(kReadBytes) : Status();
}

Result<Extent> LogWindow::extend(std::size_t wanted) {
  if (wanted <= end_ - begin_) {
    return Extent::kHas;
  }
  const std::uint64_t left = size_ - offset_ - begin_;
  if (wanted > left) {
    return Extent::kCut;
  }
  if (wanted > most_) {
    return Extent::kTooLarge;
  }
  BLOOMERY_RETURN_IF_ERROR(read_more(std::max(begin_ + wanted, end_ + kReadBytes)));
  return Extent::kHas;
}

// Reads until the buffer has `end` bytes, or all that it has room for.
Status LogWindow::read_more(std::size_t end) {
  BLOOMERY_RETURN_IF_ERROR(reserve());
  end = static_cast<std::size_t>(std::min<std::uint64_t>({end, buffer_.size(), size_ - offset_}));
  if (end > memory_.bytes()) {
    BLOOMERY_RETURN_IF_ERROR(memory_.add("window of a log", end - memory_.bytes()));
  }
  if (end > end_) {
    const std::span<std::byte> to(reinterpret_cast<std::byte*>(buffer_.data()) + end_, end - end_);
    BLOOMERY_RETURN_IF_ERROR(file_.read_exactly_at(offset_ + end_, to));
    end_ = end;
  }
  return {};
}

}  // namespace bloomery::wal
