#include "keys/text_source.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/spread_magic.h"
#include "keys/file_beginnings.h"

namespace bloomery {
namespace {

constexpr std::string_view kMark8 = "\xef\xbb\xbf";
constexpr std::string_view kMark16Little = "\xff\xfe";
constexpr std::string_view kMark16Big = "\xfe\xff";

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

Result<std::size_t> TextSource::read(std::span<std::byte> out) {
  if (head_size_ == kHeadBytes) {
    return source_->read(out);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, has_begun_ ? source_->read(out) : read_begin(out));
  BLOOMERY_RETURN_IF_ERROR(check(out.first(count)));
  return count;
}

// Reads until it is known whether the file begins with a byte-order mark.
Result<std::size_t> TextSource::read_begin(std::span<std::byte> out) {
  has_begun_ = true;
  std::size_t size = 0;
  for (;;) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::size_t count, source_->read(out.subspan(size)));
    size += count;
    if (const std::string_view hint = spread_file_hint(text_of(out.first(size))); !hint.empty()) {
      return Error::invalid_argument(name_, "expected lines, found " + std::string(hint));
    }
    if (const std::string_view kind = kind_by_beginning(text_of(out.first(size))); !kind.empty()) {
      return Error::invalid_argument(name_, "expected lines of keys, found " + std::string(kind));
    }
    const std::string_view front = text_of(out.first(std::min(size, kMark8.size())));
    if (front.starts_with(kMark16Little) || front.starts_with(kMark16Big)) {
      return Error::invalid_argument(name_,
                                     "expected text in UTF-8 or another one-byte form, found UTF-16 (a "
                                     "byte-order mark): convert it with "
                                     "iconv -f UTF-16 -t UTF-8");
    }
    if (front == kMark8) {
      std::copy(out.begin() + kMark8.size(), out.begin() + static_cast<std::ptrdiff_t>(size), out.begin());
      size -= kMark8.size();
      dropped_mark_ = true;
      return size == 0 ? source_->read(out) : Result<std::size_t>(size);
    }
    const bool may_be_mark =
        !front.empty() &&
        (kMark8.starts_with(front) || kMark16Little.starts_with(front) || kMark16Big.starts_with(front));
    if (count == 0 || !may_be_mark || size == out.size()) {
      return size;
    }
  }
}

// Keeps the first kHeadBytes bytes, and refuses a tar archive when they are complete. No line of an archive
// was read before, since its head contains no line end.
Status TextSource::check(std::span<const std::byte> bytes) {
  const std::size_t count = std::min(bytes.size(), kHeadBytes - head_size_);
  std::copy_n(bytes.begin(), count, head_.begin() + static_cast<std::ptrdiff_t>(head_size_));
  head_size_ += count;
  if (head_size_ == kHeadBytes && text_of(head_).substr(kTarMagicAt) == "ustar") {
    return Error::invalid_argument(
        name_, "expected lines, found a tar archive: give the lines of its files, as tar -xOf prints them");
  }
  return {};
}

}  // namespace bloomery
