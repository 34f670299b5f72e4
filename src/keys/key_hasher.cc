#include "keys/key_hasher.h"

namespace bloomery {

Status KeyHasher::hash(std::span<const std::string_view> lines, std::uint64_t first_line,
                       std::vector<Hash128>& hashes) {
  left_out_.clear();
  hashes.resize(lines.size());
  if (maker_.line_is_key()) {
    hash_batch(lines, hash_, hashes);
    maker_.count_taken(lines.size());
    return {};
  }
  std::vector<Hash128> new_levels;
  std::size_t count = 0;
  Status hashed;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    writer_.clear();
    const Result<bool> appended = maker_.append(writer_, lines[i]);
    if (!appended) {
      hashed = KeyMaker::of_line(appended.error(), first_line + i);
      bad_line_ = i;
      break;
    }
    if (*appended) {
      if (has_levels_) {
        note_level(writer_.bytes(), new_levels);
      }
      hashes[count++] = hash_bytes(writer_.bytes(), hash_);
    } else {
      left_out_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  hashes.resize(count);
  hashes.insert(hashes.begin(), new_levels.begin(), new_levels.end());
  return hashed;
}

void KeyHasher::note_level(std::span<const std::byte> key, std::vector<Hash128>& new_levels) {
  const std::optional<std::size_t> level = KeyLevels::of_key(form_, key);
  if (level && !levels_.has(*level)) {
    levels_.add(*level);
    new_levels.push_back(level_hash(form_, *level, hash_));
  }
}

Status KeyHasher::ask(std::span<const std::string_view> lines, std::uint64_t first_line,
                      HashedQuestions& questions) {
  left_out_.clear();
  questions.hashes.clear();
  questions.lines.clear();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    writer_.clear();
    const Result<bool> appended = maker_.append(writer_, lines[i]);
    if (!appended) {
      bad_line_ = i;
      return KeyMaker::of_line(appended.error(), first_line + i);
    }
    if (!*appended) {
      left_out_.push_back(static_cast<std::uint32_t>(i));
      continue;
    }
    const auto first = static_cast<std::uint32_t>(questions.hashes.size());
    std::size_t begin = 0;
    for (const std::size_t end : maker_.question_ends()) {
      questions.hashes.push_back(hash_bytes(writer_.bytes().subspan(begin, end - begin), hash_));
      begin = end;
    }
    questions.lines.push_back({first, static_cast<std::uint32_t>(questions.hashes.size())});
  }
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
