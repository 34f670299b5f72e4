#include "bloomery/hash/key_writer.h"

#include <algorithm>

#include "base/varint.h"

namespace bloomery {

void KeyWriter::move_to_heap(std::size_t count) {
  std::vector<std::byte> larger(std::max(size_ + count, 2 * capacity()));
  std::ranges::copy(bytes(), larger.begin());
  heap_ = std::move(larger);
}

void KeyWriter::end_part(std::size_t start) {
  std::byte length[kMaxVarintBytes];
  const std::size_t part = size_ - start;
  const std::size_t length_bytes = write_varint(length, part);
  room_for(length_bytes);
  std::byte* const at = data() + start;
  std::memmove(at + length_bytes, at, part);
  std::memcpy(at, length, length_bytes);
}

}  // namespace bloomery
