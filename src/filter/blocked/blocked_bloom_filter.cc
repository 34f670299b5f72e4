#include "bloomery/filter/blocked_bloom_filter.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <mutex>
#include <type_traits>
#include <utility>

#include "base/atomic_word.h"
#include "bloomery/filter/sizing.h"
#include "filter/blocked/blocked_fill.h"
#include "filter/blocked/blocked_header.h"
#include "filter/blocked/blocked_kernel.h"
#include "filter/native/filter_body.h"

namespace bloomery {
namespace {

// test_and_insert_batch prefetches the cache line of the key that is this many keys ahead.
constexpr std::size_t kBlockedTestAhead = 32;

// Counts a key. The count saturates. Precondition: no other thread changes it.
void count_one(std::uint64_t& inserted) {
  const std::uint64_t before = relaxed_load(inserted);
  relaxed_store(inserted, before + (before == ~std::uint64_t{0} ? 0 : 1));
}

}  // namespace

BlockedBloomFilter::BlockedBloomFilter(const BlockedShape& shape, std::unique_ptr<FilterBody> body)
    : NativeFilter(std::move(body)),
      shape_(shape),
      table_(blocked_table(words(), shape)),
      calls_(chosen_blocked_kernel().one) {}

Result<BlockedBloomFilter> BlockedBloomFilter::empty(const BlockedShape& shape, std::uint64_t capacity,
                                                     double fpp, const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body,
                            new_body(FilterType::kBlocked, shape.words * 8, capacity, fpp, options));
  body->header.bits = shape.bits();
  body->header.hash_count = shape.hash_count;
  body->header.stride_bytes = static_cast<std::uint16_t>(shape.setting);
  return BlockedBloomFilter(shape, std::move(body));
}

Result<BlockedBloomFilter> BlockedBloomFilter::for_capacity(std::uint64_t capacity, double fpp,
                                                            const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape_for_fpp(capacity, fpp, options.setting));
  return empty(shape, capacity, fpp, options);
}

Result<BlockedBloomFilter> BlockedBloomFilter::for_bytes(std::uint64_t byte_limit, double fpp,
                                                         const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape,
                            blocked_shape_for_bytes(byte_limit, fpp, options.setting));
  return empty(shape, capacity_at(shape, fpp), fpp, options);
}

Result<BlockedBloomFilter> BlockedBloomFilter::for_shape(const BlockedShape& shape, std::uint64_t capacity,
                                                         const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_blocked_shape(shape));
  const double fpp = std::max(predicted_fpp(shape, std::max<std::uint64_t>(capacity, 1)), DBL_MIN);
  return empty(shape, capacity, fpp, options);
}

Result<BlockedBloomFilter> BlockedBloomFilter::from_body(std::unique_ptr<FilterBody> body) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kBlocked, header.bits / 64 * 8));
  BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape_of(header));
  return BlockedBloomFilter(shape, std::move(body));
}

Result<BlockedBloomFilter> BlockedBloomFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<BlockedBloomFilter> BlockedBloomFilter::view(std::span<const std::byte> bytes,
                                                    const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

bool BlockedBloomFilter::insert_shared(Hash128 hash) {
  require_writable();
  calls_.insert(table_, hash.low);
  withdraw_exception(hash);
  count_inserted(1);
  return true;
}

TestedInsert BlockedBloomFilter::test_and_insert_shared(Hash128 hash) {
  require_writable();
  const std::lock_guard lock(body().locks.of(hash.low));
  count_inserted(1);
  const bool is_new = calls_.insert(table_, hash.low);
  return {.is_new = withdraw_exception(hash) || is_new};
}

bool BlockedBloomFilter::matches_and_is_no_exception(Hash128 hash) const {
  return calls_.may_contain(table_, hash.low) && !is_exception(hash);
}

bool BlockedBloomFilter::may_contain_integer(std::uint64_t value, std::size_t size) const {
  return may_contain(hash_little_endian(value, size, hash_spec()));
}

bool BlockedBloomFilter::insert_integer(std::uint64_t value, std::size_t size) {
  return insert(hash_little_endian(value, size, hash_spec()));
}

TestedInsert BlockedBloomFilter::test_and_insert_integer(std::uint64_t value, std::size_t size) {
  return test_and_insert(hash_little_endian(value, size, hash_spec()));
}

std::uint64_t BlockedBloomFilter::insert_batch(std::span<const Hash128> hashes, Sharing sharing) {
  require_writable();
  if (hashes.size() == 1 && sharing == Sharing::kExclusive && !has_exceptions()) {
    blocked_inline::insert_alone(table_, calls_, hashes.front().low);
    count_one(body().inserted);
    return 0;
  }
  if (!hashes.empty()) {
    chosen_blocked_kernel().insert_batch(table_, hashes, inserts_alone() ? Sharing::kExclusive : sharing);
    withdraw_exceptions(hashes);
    count_inserted(hashes.size());
  }
  return 0;
}

void BlockedBloomFilter::may_contain_batch(std::span<const Hash128> hashes,
                                           std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  if (!hashes.empty()) {
    chosen_blocked_kernel().may_contain_batch(table_, hashes, answers.data());
    clear_exceptions(hashes, answers);
  }
}

std::uint64_t BlockedBloomFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                        std::span<std::uint64_t> answers, Sharing sharing) {
  require_writable();
  require_room(answers, hashes.size());
  if (hashes.size() == 1 && sharing == Sharing::kExclusive && !has_exceptions()) {
    answers[0] = blocked_inline::test_and_insert_alone(table_, calls_, hashes.front().low) ? 1 : 0;
    count_one(body().inserted);
    return 0;
  }
  const BlockedKernel& kernel = chosen_blocked_kernel();
  if (inserts_alone() || (sharing == Sharing::kExclusive && !has_exceptions())) {
    if (!hashes.empty()) {
      kernel.test_and_insert_batch(table_, hashes, answers.data());
      count_inserted(hashes.size());
    }
    return 0;
  }
  test_and_insert_locked(hashes, answers);
  return 0;
}

std::uint64_t BlockedBloomFilter::insert_batch(std::span<const Hash64> hashes, Sharing sharing) {
  require_writable();
  require_no_exceptions();
  chosen_blocked_kernel().insert_low(table_, hashes, inserts_alone() ? Sharing::kExclusive : sharing);
  count_inserted(hashes.size());
  return 0;
}

void BlockedBloomFilter::may_contain_batch(std::span<const Hash64> hashes,
                                           std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  require_no_exceptions();
  chosen_blocked_kernel().may_contain_low(table_, hashes, answers.data());
}

std::uint64_t BlockedBloomFilter::test_and_insert_batch(std::span<const Hash64> hashes,
                                                        std::span<std::uint64_t> answers, Sharing sharing) {
  require_writable();
  require_room(answers, hashes.size());
  require_no_exceptions();
  if (!inserts_alone() && sharing == Sharing::kShared) {
    test_and_insert_locked(hashes, answers);
    return 0;
  }
  chosen_blocked_kernel().test_and_insert_low(table_, hashes, answers.data());
  count_inserted(hashes.size());
  return 0;
}

template <typename Hash>
void BlockedBloomFilter::test_and_insert_locked(std::span<const Hash> hashes,
                                                std::span<std::uint64_t> answers) {
  const std::size_t ahead = prefetches(table_) ? kBlockedTestAhead : hashes.size();
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      prefetch_window(place_of(table_, hashes[i + ahead].low));
    }
    const std::lock_guard lock(body().locks.of(hashes[i].low));
    bool is_new = calls_.insert(table_, hashes[i].low);
    if constexpr (std::is_same_v<Hash, Hash128>) {
      is_new = withdraw_exception(hashes[i]) || is_new;
    }
    answers[i / 64] |= std::uint64_t{is_new} << (i % 64);
  }
  count_inserted(hashes.size());
}

Status BlockedBloomFilter::merge(const BlockedBloomFilter& other) {
  return merge_bits(other, common_exceptions(*this, other));
}

double BlockedBloomFilter::fill_ratio() const {
  return static_cast<double>(set_bit_count()) / static_cast<double>(shape_.bits());
}

double BlockedBloomFilter::current_fpp() const {
  return predicted_fpp(shape_, static_cast<std::uint64_t>(std::llround(estimated_count())));
}

double BlockedBloomFilter::fpp_of_bits() const {
  return bloomery::fpp_of_bits(table_);
}

double BlockedBloomFilter::estimated_count() const {
  return estimated_key_count(shape_, set_bit_count());
}

bool BlockedBloomFilter::over_capacity() const {
  return inserted() > capacity() && clearly_exceeds(estimated_count(), capacity());
}

}  // namespace bloomery
