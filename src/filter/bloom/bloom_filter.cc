#include "bloomery/filter/bloom_filter.h"

#include <algorithm>
#include <cfloat>
#include <mutex>
#include <utility>

#include "base/atomic_word.h"
#include "filter/bloom/bloom_header.h"
#include "filter/bloom/bloom_kernel.h"
#include "filter/native/filter_body.h"

namespace bloomery {
namespace {

// test_and_insert_batch prefetches the cache lines of the key that is this many keys ahead.
constexpr std::size_t kBloomTestAhead = 8;

}  // namespace

BloomFilter::BloomFilter(const BloomShape& shape, std::unique_ptr<FilterBody> body)
    : NativeFilter(std::move(body)), shape_(shape), words_(words()) {}

Result<BloomFilter> BloomFilter::empty(const BloomShape& shape, std::uint64_t capacity, double fpp,
                                       const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(
      auto body, new_body(FilterType::kBloom, bloom_payload_bytes(shape.bits), capacity, fpp, options));
  body->header.bits = shape.bits;
  body->header.hash_count = shape.hash_count;
  return BloomFilter(shape, std::move(body));
}

Result<BloomFilter> BloomFilter::for_capacity(std::uint64_t capacity, double fpp,
                                              const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_fpp(capacity, fpp));
  return empty(shape, capacity, fpp, options);
}

Result<BloomFilter> BloomFilter::for_bytes(std::uint64_t byte_limit, double fpp,
                                           const FilterOptions& options) {
  if (byte_limit < 8 || byte_limit > kMaxBloomBits / 8) {
    return Error::invalid_argument("bytes", "expected 8 to 2^53, found " + std::to_string(byte_limit));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_bits(byte_limit / 8 * 64, fpp));
  return empty(shape, capacity_at(shape, fpp), fpp, options);
}

Result<BloomFilter> BloomFilter::for_shape(const BloomShape& shape, std::uint64_t capacity,
                                           const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_shape(shape));
  const double fpp = std::max(predicted_fpp(shape, std::max<std::uint64_t>(capacity, 1)), DBL_MIN);
  return empty(shape, capacity, fpp, options);
}

Result<BloomFilter> BloomFilter::from_body(std::unique_ptr<FilterBody> body) {
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kBloom, bloom_payload_bytes(body->header.bits)));
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape_of(body->header));
  BloomFilter filter(shape, std::move(body));
  BLOOMERY_RETURN_IF_ERROR(
      check_bits_behind_last(shape, relaxed_load(filter.words_[filter.byte_size() / 8 - 1])));
  return filter;
}

Result<BloomFilter> BloomFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<BloomFilter> BloomFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

bool BloomFilter::insert(const Hash128& hash) {
  if (inserts_alone()) {
    return insert_alone(hash.low);
  }
  require_writable();
  bloom_kernel::insert({words_, shape_.bits, shape_.hash_count}, hash.low);
  withdraw_exception(hash);
  count_inserted(1);
  return true;
}

bool BloomFilter::insert_alone(std::uint64_t low) {
  bloom_kernel::insert_alone({words_, shape_.bits, shape_.hash_count}, low);
  count_inserted_alone();
  return true;
}

bool BloomFilter::may_contain(const Hash128& hash) const {
  return matches(hash.low) && !is_exception(hash);
}

bool BloomFilter::matches(std::uint64_t low) const {
  return bloom_kernel::may_contain({words_, shape_.bits, shape_.hash_count}, low);
}

TestedInsert BloomFilter::test_and_insert(const Hash128& hash) {
  require_writable();
  const std::lock_guard lock(body().locks.of(hash.low));
  count_inserted(1);
  const bool is_new = bloom_kernel::insert({words_, shape_.bits, shape_.hash_count}, hash.low);
  return {.is_new = withdraw_exception(hash) || is_new};
}

// Always sets bits as in a shared filter. An exclusive form was measured to save only a tenth.
std::uint64_t BloomFilter::insert_batch(std::span<const Hash128> hashes, Sharing) {
  require_writable();
  bloom_kernel::insert_batch({words_, shape_.bits, shape_.hash_count}, hashes);
  withdraw_exceptions(hashes);
  count_inserted(hashes.size());
  return 0;
}

void BloomFilter::may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  bloom_kernel::may_contain_batch({words_, shape_.bits, shape_.hash_count}, hashes, answers.data());
  clear_exceptions(hashes, answers);
}

std::uint64_t BloomFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                 std::span<std::uint64_t> answers, Sharing) {
  require_writable();
  require_room(answers, hashes.size());
  const BloomTable table{words_, shape_.bits, shape_.hash_count};
  const std::size_t ahead = bloom_kernel::prefetches(table) ? kBloomTestAhead : hashes.size();
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (i + ahead < hashes.size()) {
      bloom_kernel::prefetch_for_insert(table, hashes[i + ahead].low);
    }
    const std::lock_guard lock(body().locks.of(hashes[i].low));
    const bool is_new = bloom_kernel::insert(table, hashes[i].low);
    answers[i / 64] |= static_cast<std::uint64_t>(withdraw_exception(hashes[i]) || is_new) << (i % 64);
  }
  count_inserted(hashes.size());
  return 0;
}

Status BloomFilter::merge(const BloomFilter& other) {
  return merge_bits(other, common_exceptions(*this, other));
}

double BloomFilter::fill_ratio() const {
  return static_cast<double>(set_bit_count()) / static_cast<double>(shape_.bits);
}

double BloomFilter::current_fpp() const {
  return fpp_at_fill(fill_ratio(), shape_.hash_count);
}

double BloomFilter::estimated_count() const {
  return estimated_key_count(shape_, set_bit_count());
}

bool BloomFilter::over_capacity() const {
  return inserted() > capacity() && clearly_exceeds(estimated_count(), capacity());
}

}  // namespace bloomery
