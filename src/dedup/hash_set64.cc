#include "dedup/hash_set64.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "bloomery/filter/native_filter.h"
#include "dedup/memory_bound.h"

namespace bloomery {
namespace {

// How many hashes ahead a hash's home is prefetched.
constexpr std::size_t kAhead = 24;

}  // namespace

Status HashSet64::test_and_insert_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  assert(answers.size() >= answer_words(hashes.size()));
  BLOOMERY_RETURN_IF_ERROR(
      check_memory_for(table_.growth_for(hashes.size()), "the hashes of the lines so far"));
  if (!table_.reserve(hashes.size())) {
    return no_memory("the hashes of the lines so far");
  }
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + kAhead < hashes.size()) {
      table_.prefetch(hashes[i + kAhead].low);
    }
    const std::uint64_t value = hashes[i].low;
    bool is_new = false;
    if (value == 0) {
      is_new = !std::exchange(has_zero_, true);
    } else if (Entry* const place = table_.lower_bound(value); place->value != value) {
      if (!table_.insert_at(place, {value})) {
        return no_memory("the hashes of the lines so far");
      }
      is_new = true;
    }
    answers[i / 64] |= static_cast<std::uint64_t>(is_new) << (i % 64);
  }
  return {};
}

}  // namespace bloomery
