// Asks a filter about all keys that are added, in batches, and counts those that it denies.
//
// Each key is copied, so that it may be a view of a block that is gone when the batch is asked.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/codec/dialect_filter.h"
#include "verify/proof.h"

namespace bloomery {

class AskedKeys {
 public:
  // Both must live as long as this object.
  AskedKeys(const DialectFilter& filter, Proof& proof) : filter_(filter), proof_(proof) {}

  void add(std::string_view key) {
    if (ends_.size() == kBatch || text_.size() + key.size() > kBatchBytes) {
      ask();
    }
    text_.append(key);
    ends_.push_back(text_.size());
  }

  // Asks about the keys of the last batch. Call it after the last key.
  void ask() {
    keys_.clear();
    std::size_t begin = 0;
    for (const std::size_t end : ends_) {
      keys_.push_back(std::string_view(text_).substr(begin, end - begin));
      begin = end;
    }
    filter_.may_contain_batch(keys_, std::span(answers_).first((keys_.size() + 63) / 64));
    proof_.see_answers(keys_, answers_);
    text_.clear();
    ends_.clear();
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  static constexpr std::size_t kBatchBytes = 1 << 18;

  const DialectFilter& filter_;
  Proof& proof_;
  std::string text_;  // the keys of the batch, without gaps
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> keys_;
  std::array<std::uint64_t, kBatch / 64> answers_ = {};
};

}  // namespace bloomery
