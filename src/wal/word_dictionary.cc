#include "wal/word_dictionary.h"

#include <cstring>
#include <utility>

namespace bloomery::wal {

Status WordDictionary::charge(std::size_t bytes) {
  held_bytes_ += bytes + sizeof(Word);
  if (held_bytes_ > memory_.bytes()) {
    BLOOMERY_RETURN_IF_ERROR(memory_.add("dictionary of a log", held_bytes_ - memory_.bytes()));
  }
  return {};
}

Status WordDictionary::add(std::string_view word) {
  if (word.empty()) {
    return {};
  }
  BLOOMERY_RETURN_IF_ERROR(charge(word.size()));
  auto bytes = std::make_unique_for_overwrite<char[]>(word.size());
  std::memcpy(bytes.get(), word.data(), word.size());
  std::size_t index = words_.size();
  if (index < capacity_) {
    words_.emplace_back();
  } else {
    index = oldest_;
    unlink(index);
    replaced_bytes_ += words_[index].size + sizeof(Word);
    replaced_.push_back(std::move(words_[index].bytes));
  }
  words_[index].bytes = std::move(bytes);
  words_[index].size = static_cast<std::uint32_t>(word.size());
  link_as_newest(index);
  return {};
}

std::optional<std::string_view> WordDictionary::find(std::size_t index) {
  if (index >= words_.size()) {
    return std::nullopt;
  }
  use(index);
  return std::string_view(words_[index].bytes.get(), words_[index].size);
}

void WordDictionary::forget_replaced() {
  if (!replaced_.empty()) {
    replaced_.clear();
    held_bytes_ -= std::exchange(replaced_bytes_, 0);
  }
}

void WordDictionary::use(std::size_t index) {
  if (index != newest_) {
    unlink(index);
    link_as_newest(index);
  }
}

// The neighbours of the first and the last word are themselves.
void WordDictionary::unlink(std::size_t index) {
  Word& word = words_[index];
  if (index == newest_) {
    newest_ = word.older;
  } else {
    words_[word.newer].older = index == oldest_ ? word.newer : word.older;
  }
  if (index == oldest_) {
    oldest_ = word.newer;
  } else {
    words_[word.older].newer = word.newer == index ? word.older : word.newer;
  }
}

void WordDictionary::link_as_newest(std::size_t index) {
  Word& word = words_[index];
  const bool is_only = words_.size() == 1;
  word.older = static_cast<std::uint16_t>(is_only ? index : newest_);
  word.newer = static_cast<std::uint16_t>(index);
  if (is_only) {
    oldest_ = index;
  } else {
    words_[newest_].newer = static_cast<std::uint16_t>(index);
  }
  newest_ = index;
}

}  // namespace bloomery::wal
