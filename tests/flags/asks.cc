#include "asks.h"

namespace bloomery {
namespace {

std::vector<bool> may_contain(const BlockedBloomFilter& filter, std::span<const std::uint64_t> keys) {
  std::vector<bool> answers;
  for (const std::uint64_t key : keys) {
    answers.push_back(filter.may_contain(key));
    answers.push_back(filter.may_contain(Hash128{.low = key, .high = 0}));
    answers.push_back(filter.of<std::uint64_t>().may_contain(key));
  }
  return answers;
}

void insert(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys) {
  for (const std::uint64_t key : keys) {
    filter.insert(key);
  }
}

std::vector<bool> test_and_insert(BlockedBloomFilter& filter, std::span<const std::uint64_t> keys) {
  std::vector<bool> answers;
  for (const std::uint64_t key : keys) {
    answers.push_back(filter.test_and_insert(key).is_new);
  }
  return answers;
}

#if defined(BLOOMERY_INLINE_WINDOW)
#define BLOOMERY_TEXT_OF(name) #name
#define BLOOMERY_TEXT(name) BLOOMERY_TEXT_OF(name)
constexpr const char* kWindow = BLOOMERY_TEXT(BLOOMERY_INLINE_WINDOW);
#else
constexpr const char* kWindow = "none";
#endif

}  // namespace

const Asks BLOOMERY_ASKS = {
    .window = kWindow, .may_contain = may_contain, .insert = insert, .test_and_insert = test_and_insert};

}  // namespace bloomery
