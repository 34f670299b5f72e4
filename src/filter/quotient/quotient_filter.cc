#include "bloomery/filter/quotient_filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/atomic_word.h"
#include "bloomery/filter/sizing.h"
#include "filter/native/filter_body.h"
#include "filter/quotient/quotient_front.h"
#include "filter/quotient/quotient_segments.h"

namespace bloomery {
namespace {

std::uint64_t planned_quotients(const QuotientShape& shape) {
  return shape.quotients << shape.depth;
}

}  // namespace

QuotientFilter::QuotientFilter(std::unique_ptr<FilterBody> filter_body,
                               std::unique_ptr<QuotientSegments> segments)
    : NativeFilter(std::move(filter_body)), segments_(segments.get()) {
  body().segmented = std::move(segments);
}

Result<QuotientFilter> QuotientFilter::for_capacity(std::uint64_t capacity, double fpp,
                                                    const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const QuotientShape shape,
                            quotient_shape_for_fpp(capacity, fpp, options.growth_doublings));
  return for_shape(shape, capacity, fpp, options);
}

Result<QuotientFilter> QuotientFilter::for_shape(const QuotientShape& shape, std::uint64_t capacity,
                                                 double fpp, const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  BLOOMERY_ASSIGN_OR_RETURN(auto segments, QuotientSegments::create(shape));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(FilterType::kQuotient, 0, capacity, fpp, options));
  body->header.bits = planned_quotients(shape);
  body->header.hash_count = shape.remainder_bits;
  return QuotientFilter(std::move(body), std::move(segments));
}

Result<QuotientFilter> QuotientFilter::from_body(std::unique_ptr<FilterBody> body) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kQuotient, header.payload_bytes));
  // Copies the exceptions, because the mapping that contains them is released when the last segment has moved
  // out of it.
  if (body->storage.mapping() != nullptr) {
    body->exceptions = ExceptionTable::of(body->exceptions.entries());
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto segments, QuotientSegments::over(std::exchange(body->storage, Storage())));
  BLOOMERY_RETURN_IF_ERROR(check_quotient_header(header, segments->shape(), segments->keys()));
  return QuotientFilter(std::move(body), std::move(segments));
}

Result<QuotientFilter> QuotientFilter::open(const std::string& path, const OpenOptions& options) {
  if (const Status access = check_not_in_place(FilterType::kQuotient, options); !access) {
    return Error::invalid_argument(path, access.error().detail());
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<QuotientFilter> QuotientFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_not_in_place(FilterType::kQuotient, options));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

void QuotientFilter::note_keys() {
  relaxed_store(body().inserted, segments_->keys());
}

bool QuotientFilter::insert_uncounted(const Hash128& hash, std::uint64_t times) {
  if (!segments_->insert(hash.low, times)) {
    return false;
  }
  withdraw_exception(hash);
  return true;
}

bool QuotientFilter::insert(const Hash128& hash, std::uint64_t times) {
  require_writable();
  const bool inserted = insert_uncounted(hash, times);
  note_keys();
  return inserted;
}

bool QuotientFilter::may_contain(const Hash128& hash) const {
  return segments_->contains(hash.low) && !is_exception(hash);
}

TestedInsert QuotientFilter::test_and_insert(const Hash128& hash) {
  const bool is_new = !may_contain(hash);
  return {.is_new = is_new, .refused = !insert(hash)};
}

bool QuotientFilter::remove(const Hash128& hash) {
  require_writable();
  const bool removed = !is_exception(hash) && segments_->erase(hash.low);
  note_keys();
  return removed;
}

std::optional<std::uint64_t> QuotientFilter::count_at_most(const Hash128& hash) const {
  return is_exception(hash) ? 0 : segments_->count(hash.low);
}

std::uint64_t QuotientFilter::insert_batch(std::span<const Hash128> hashes, Sharing) {
  require_writable();
  std::uint64_t refused = 0;
  segments_->for_each_ahead(hashes,
                            [&](std::size_t i) { refused += std::uint64_t{!insert_uncounted(hashes[i])}; });
  note_keys();
  return refused;
}

void QuotientFilter::may_contain_batch(std::span<const Hash128> hashes,
                                       std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  segments_->contains_batch(hashes, answers);
  clear_exceptions(hashes, answers);
}

std::uint64_t QuotientFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers, Sharing) {
  require_writable();
  require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  segments_->for_each_ahead(hashes, [&](std::size_t i) {
    answers[i / 64] |= std::uint64_t{!may_contain(hashes[i])} << (i % 64);
    refused += std::uint64_t{!insert_uncounted(hashes[i])};
  });
  note_keys();
  return refused;
}

std::uint64_t QuotientFilter::remove_batch(std::span<const Hash128> hashes,
                                           std::span<std::uint64_t> answers) {
  require_writable();
  require_room(answers, hashes.size());
  std::uint64_t refused = 0;
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  segments_->for_each_ahead(hashes, [&](std::size_t i) {
    const bool removed = !is_exception(hashes[i]) && segments_->erase(hashes[i].low);
    answers[i / 64] |= std::uint64_t{removed} << (i % 64);
    refused += removed ? 0U : 1U;
  });
  note_keys();
  return refused;
}

void QuotientFilter::for_each(const std::function<void(const QuotientRange&)>& use) const {
  segments_->for_each(use);
}

Status QuotientFilter::merge(const QuotientFilter& other) {
  require_writable();
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(body().header, other.body().header));
  std::vector<Hash128> exceptions = common_exceptions(*this, other);
  BLOOMERY_RETURN_IF_ERROR(segments_->merge(*other.segments_));
  join_digest_widths(body().header, other.body().header);
  body().exceptions = ExceptionTable::of(std::move(exceptions));
  exceptions_changed();
  note_keys();
  return {};
}

const QuotientShape& QuotientFilter::shape() const {
  return segments_->shape();
}
std::uint64_t QuotientFilter::segment_count() const {
  return segments_->segment_count();
}
double QuotientFilter::fill_ratio() const {
  return segments_->load();
}
double QuotientFilter::current_fpp() const {
  return segments_->fpp();
}
double QuotientFilter::estimated_count() const {
  return segments_->estimated_count();
}

bool QuotientFilter::over_capacity() const {
  const std::uint64_t most = ~std::uint64_t{0} >> shape().growth_doublings;
  const std::uint64_t kept = std::min(capacity(), most) << shape().growth_doublings;
  return inserted() > kept && clearly_exceeds(estimated_count(), kept);
}

}  // namespace bloomery
