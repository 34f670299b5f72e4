#include "keys/key_hasher.h"

namespace bloomery {

Status KeyHasher::hash(std::span<const std::string_view> lines, std::uint64_t first_line,
                       std::vector<Hash128>& hashes) {
  hashes.resize(lines.size());
  if (maker_.line_is_key()) {
    hash_batch(lines, hash_, hashes);
    return {};
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    writer_.clear();
    if (const Status status = maker_.append(writer_, lines[i]); !status) {
      hashes.resize(i);
      return KeyMaker::of_line(status.error(), first_line + i);
    }
    hashes[i] = hash_bytes(writer_.bytes(), hash_);
  }
  return {};
}

}  // namespace bloomery
