#include "bloomery/hash/key_writer.h"

#include "base/varint.h"

namespace bloomery {

void KeyWriter::append_raw(std::span<const std::byte> bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

void KeyWriter::end_part(std::size_t start) {
  std::byte length[kMaxVarintBytes];
  const std::size_t size = write_varint(length, bytes_.size() - start);
  bytes_.insert(bytes_.begin() + static_cast<std::ptrdiff_t>(start), length, length + size);
}

}  // namespace bloomery
