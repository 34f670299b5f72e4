#include "keys/key_hasher.h"

namespace bloomery {

Status KeyHasher::hash(std::span<const std::string_view> lines, std::uint64_t first_line,
                       std::vector<Hash128>& hashes) {
  left_out_.clear();
  hashes.resize(lines.size());
  if (maker_.line_is_key()) {
    hash_batch(lines, hash_, hashes);
    return {};
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    writer_.clear();
    const Result<bool> appended = maker_.append(writer_, lines[i]);
    if (!appended) {
      hashes.resize(count);
      return KeyMaker::of_line(appended.error(), first_line + i);
    }
    if (*appended) {
      hashes[count++] = hash_bytes(writer_.bytes(), hash_);
    } else {
      left_out_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  hashes.resize(count);
  return {};
}

Status KeyHasher::hash(LineBatch& batch, std::uint64_t first_line, std::vector<Hash128>& hashes) {
  if (batch.header) {
    if (const Status begun = begin_file(*batch.header); !begun) {
      hashes.clear();
      return KeyMaker::of_line(begun.error(), 1);
    }
  }
  const Status hashed = hash(batch.lines, first_line, hashes);
  batch.drop(left_out_);
  return hashed;
}

}  // namespace bloomery
