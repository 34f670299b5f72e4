#include "dedup/event_window.h"

#include <algorithm>
#include <cassert>

namespace bloomery {

Status SeenByEventTime::add(const KeyedBatch& batch, std::span<std::uint64_t> fresh) {
  const std::span<const Hash128> hashes(batch.hashes);
  assert(batch.times.size() == hashes.size());
  std::ranges::fill(fresh.first(answer_words(hashes.size())), 0);
  for (std::size_t begin = 0; begin < hashes.size();) {
    newest_ns_ = std::max(newest_ns_, batch.times[begin]);
    std::size_t end = begin;
    for (; end < hashes.size() && batch.times[end] <= newest_ns_; ++end) {
      if (batch.times[end] < newest_ns_) {
        ++backwards_;
        furthest_back_ns_ =
            std::max(furthest_back_ns_, static_cast<std::uint64_t>(newest_ns_ - batch.times[end]));
      }
    }
    clock_.set(std::max<std::int64_t>(newest_ns_, 1));
    answers_.assign(answer_words(end - begin), 0);
    seen_.add_to_window(hashes.subspan(begin, end - begin), answers_);
    for (std::size_t i = 0; i < end - begin; ++i) {
      const std::uint64_t bit = (answers_[i / 64] >> (i % 64)) & 1;
      fresh[(begin + i) / 64] |= bit << ((begin + i) % 64);
    }
    begin = end;
  }
  return {};
}

}  // namespace bloomery
