#include "bloomery/filter/counting_bloom_filter.h"

#include <algorithm>
#include <cfloat>
#include <mutex>
#include <utility>

#include "base/atomic_word.h"
#include "filter/bloom/bloom_cells.h"
#include "filter/bloom/bloom_header.h"
#include "filter/bloom/counting_kernel.h"
#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"

namespace bloomery {
namespace {

// A batch of removes releases the lock after this many keys. Their answers fill complete words.
constexpr std::size_t kRemovesALock = 1024;

std::span<std::uint64_t> words_of(const FilterBody& body) {
  return {reinterpret_cast<std::uint64_t*>(body.storage.raw().data()), body.storage.bytes().size() / 8};
}

CountingTable counting_table(std::uint64_t* words, const BloomShape& shape) {
  return {.words = words, .counters = shape.bits, .hash_count = shape.hash_count};
}

// Saturates all counters of a filter whose update was interrupted. Its counters may be too low, and a remove
// could then make a member absent.
Status pin(FilterBody& body) {
  if (!body.storage.is_writable() || body.copies_on_write()) {  // a mapping would copy every page
    BLOOMERY_RETURN_IF_ERROR(move_to_memory(body));
  }
  counting_kernel::saturate(words_of(body));
  return {};
}

}  // namespace

CountingBloomFilter::CountingBloomFilter(const BloomShape& shape, std::unique_ptr<FilterBody> body)
    : NativeFilter(std::move(body)), shape_(shape), words_(words()) {}

Result<CountingBloomFilter> CountingBloomFilter::empty(const BloomShape& shape, std::uint64_t capacity,
                                                       double fpp, const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(
      auto body, new_body(FilterType::kCounting, counting_payload_bytes(shape.bits), capacity, fpp, options));
  body->header.bits = shape.bits;
  body->header.hash_count = shape.hash_count;
  return CountingBloomFilter(shape, std::move(body));
}

Result<CountingBloomFilter> CountingBloomFilter::for_capacity(std::uint64_t capacity, double fpp,
                                                              const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_fpp(capacity, fpp));
  return empty(shape, capacity, fpp, options);
}

Result<CountingBloomFilter> CountingBloomFilter::for_bytes(std::uint64_t byte_limit, double fpp,
                                                           const FilterOptions& options) {
  if (byte_limit < 8 || byte_limit > kMaxBloomBits * kCounterBits / 8) {
    return Error::invalid_argument("bytes", "expected 8 to 2^55, found " + std::to_string(byte_limit));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, shape_for_bits(byte_limit / 8 * kCountersPerWord, fpp));
  return empty(shape, capacity_at(shape, fpp), fpp, options);
}

Result<CountingBloomFilter> CountingBloomFilter::for_shape(const BloomShape& shape, std::uint64_t capacity,
                                                           const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_shape(shape));
  const double fpp = std::max(predicted_fpp(shape, std::max<std::uint64_t>(capacity, 1)), DBL_MIN);
  return empty(shape, capacity, fpp, options);
}

Result<CountingBloomFilter> CountingBloomFilter::from_body(std::unique_ptr<FilterBody> body) {
  BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape_of(body->header));
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kCounting, counting_payload_bytes(shape.bits)));
  BLOOMERY_RETURN_IF_ERROR(check_counters_behind_last(shape, relaxed_load(words_of(*body).back())));
  if (body->header.dirty) {
    BLOOMERY_RETURN_IF_ERROR(pin(*body));
  }
  return CountingBloomFilter(shape, std::move(body));
}

Result<CountingBloomFilter> CountingBloomFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<CountingBloomFilter> CountingBloomFilter::view(std::span<const std::byte> bytes,
                                                      const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

// The counters are incremented first: a thread that finds the exception withdrawn must find the key.
bool CountingBloomFilter::insert(const Hash128& hash) {
  require_writable();
  counting_kernel::insert(counting_table(words_, shape_), hash.low);
  withdraw_exception(hash);
  count_inserted(1);
  return true;
}

bool CountingBloomFilter::may_contain(const Hash128& hash) const {
  return counting_kernel::may_contain(counting_table(words_, shape_), hash.low) && !is_exception(hash);
}

TestedInsert CountingBloomFilter::test_and_insert(const Hash128& hash) {
  require_writable();
  const std::lock_guard lock(body().locks.of(hash.low));
  const bool is_new = counting_kernel::insert(counting_table(words_, shape_), hash.low);
  count_inserted(1);
  return {.is_new = withdraw_exception(hash) || is_new};
}

bool CountingBloomFilter::remove(const Hash128& hash) {
  std::uint64_t answer = 0;
  return remove_batch({&hash, 1}, {&answer, 1}) == 0;
}

std::optional<std::uint64_t> CountingBloomFilter::count_at_most(const Hash128& hash) const {
  return is_exception(hash) ? 0 : counting_kernel::count_at_most(counting_table(words_, shape_), hash.low);
}

// Increments counters as in a shared filter, whatever Sharing says.
std::uint64_t CountingBloomFilter::insert_batch(std::span<const Hash128> hashes, Sharing) {
  require_writable();
  counting_kernel::insert_batch(counting_table(words_, shape_), hashes);
  withdraw_exceptions(hashes);
  count_inserted(hashes.size());
  return 0;
}

void CountingBloomFilter::may_contain_batch(std::span<const Hash128> hashes,
                                            std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  counting_kernel::may_contain_batch(counting_table(words_, shape_), hashes, answers.data());
  clear_exceptions(hashes, answers);
}

std::uint64_t CountingBloomFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                         std::span<std::uint64_t> answers, Sharing) {
  require_writable();
  require_room(answers, hashes.size());
  const CountingTable table = counting_table(words_, shape_);
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  bloom_cells::update_batch(table, hashes, [&](std::size_t i) {
    const std::lock_guard lock(body().locks.of(hashes[i].low));
    const bool is_new = counting_kernel::insert(table, hashes[i].low);
    answers[i / 64] |= static_cast<std::uint64_t>(withdraw_exception(hashes[i]) || is_new) << (i % 64);
  });
  count_inserted(hashes.size());
  return 0;
}

std::uint64_t CountingBloomFilter::remove_batch(std::span<const Hash128> hashes,
                                                std::span<std::uint64_t> answers) {
  require_writable();
  require_room(answers, hashes.size());
  const CountingTable table = counting_table(words_, shape_);
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t removed = 0;
  for (std::size_t start = 0; start < hashes.size(); start += kRemovesALock) {
    const auto piece = hashes.subspan(start, std::min(kRemovesALock, hashes.size() - start));
    const std::lock_guard lock(body().removes);
    bloom_cells::update_batch(table, piece, [&](std::size_t i) {
      const bool taken = !is_exception(piece[i]) && counting_kernel::remove(table, piece[i].low);
      answers[(start + i) / 64] |= std::uint64_t{taken} << (i % 64);
      removed += taken ? 1 : 0;
    });
  }
  count_removed(removed);
  return hashes.size() - removed;
}

Status CountingBloomFilter::merge(const CountingBloomFilter& other) {
  BLOOMERY_RETURN_IF_ERROR(merge_plan(other, common_exceptions(*this, other)));
  counting_kernel::add(words_of(body()), words_of(other.body()));
  return {};
}

std::uint64_t CountingBloomFilter::non_zero_count() const {
  return counting_kernel::count_non_zero(words_of(body()));
}

std::uint64_t CountingBloomFilter::saturated_count() const {
  return counting_kernel::count_saturated(words_of(body()));
}

double CountingBloomFilter::fill_ratio() const {
  return static_cast<double>(non_zero_count()) / static_cast<double>(shape_.bits);
}

double CountingBloomFilter::current_fpp() const {
  return fpp_at_fill(fill_ratio(), shape_.hash_count);
}

double CountingBloomFilter::estimated_count() const {
  return estimated_key_count(shape_, non_zero_count());
}

bool CountingBloomFilter::over_capacity() const {
  return inserted() > capacity() && clearly_exceeds(estimated_count(), capacity());
}

}  // namespace bloomery
