// Bytes that consist of consecutive parts.
//
//   PartReader   copies a range of them, part by part
//   fill_up()    collects one part from bytes that come in pieces of any size
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bloomery {

class PartReader {
 public:
  // Copies the bytes from `offset` on, as many as `out` has.
  PartReader(std::uint64_t offset, std::span<std::byte> out) : offset_(offset), out_(out) {}

  bool is_done() const { return out_.empty(); }
  // The next part has `size` bytes. Calls read(offset in the part, to) if the range has some of them.
  template <typename Read>
  void part(std::uint64_t size, Read read) {
    if (offset_ < size && !out_.empty()) {
      const auto to = out_.first(std::min<std::uint64_t>(out_.size(), size - offset_));
      read(offset_, to);
      out_ = out_.subspan(to.size());
      offset_ += to.size();
    }
    offset_ -= std::min(offset_, size);
  }
  // The next part is these bytes.
  void bytes(std::span<const std::byte> from) {
    part(from.size(), [&](std::uint64_t offset, std::span<std::byte> to) {
      std::ranges::copy(from.subspan(offset, to.size()), to.begin());
    });
  }

 private:
  std::uint64_t offset_;  // from the begin of the next part
  std::span<std::byte> out_;
};

// Moves bytes from the begin of `bytes` to the end of `to`, until it has `size`. Returns true if it has.
// Precondition: to.size() <= size.
inline bool fill_up(std::vector<std::byte>& to, std::uint64_t size, std::span<const std::byte>& bytes) {
  const auto part = bytes.first(std::min<std::uint64_t>(bytes.size(), size - to.size()));
  to.insert(to.end(), part.begin(), part.end());
  bytes = bytes.subspan(part.size());
  return to.size() == size;
}

}  // namespace bloomery
