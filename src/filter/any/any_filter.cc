#include "bloomery/filter/any_filter.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "bloomery/filter/membership_filter.h"
#include "filter/any/plan_shapes.h"
#include "filter/native/native_access.h"
#include "filter/native/native_file.h"
#include "filter/quotient/quotient_slots.h"

namespace bloomery {

static_assert(DynamicFilter<BloomFilter> && !RemovingFilter<BloomFilter>);
static_assert(DynamicFilter<BlockedBloomFilter> && !RemovingFilter<BlockedBloomFilter>);
static_assert(MembershipFilter<RibbonFilter> && !DynamicFilter<RibbonFilter>);
static_assert(MembershipFilter<FuseFilter> && !DynamicFilter<FuseFilter>);
static_assert(RemovingFilter<CountingBloomFilter>);
static_assert(RemovingFilter<QuotientFilter>);
static_assert(DynamicFilter<ScalableFilter> && !RemovingFilter<ScalableFilter>);
static_assert(DynamicFilter<WindowedFilter> && !RemovingFilter<WindowedFilter>);
static_assert(RemovingFilter<ExactSet>);
static_assert(RemovingFilter<AnyFilter>);

namespace {

// The value at which a counting filter's counters saturate.
constexpr std::uint64_t kMostOfCounter = 15;

// Opens a filter with `open`, a generic callable that gets the filter class as a tag.
template <typename Open>
Result<AnyFilter> open_as(FilterType type, Open open) {
  const auto any = [](auto filter) -> Result<AnyFilter> {
    if (!filter) {
      return filter.error();
    }
    return AnyFilter(std::move(*filter));
  };
  switch (type) {
    case FilterType::kBloom:
      return any(open(std::type_identity<BloomFilter>()));
    case FilterType::kBlocked:
      return any(open(std::type_identity<BlockedBloomFilter>()));
    case FilterType::kRibbon:
      return any(open(std::type_identity<RibbonFilter>()));
    case FilterType::kCounting:
      return any(open(std::type_identity<CountingBloomFilter>()));
    case FilterType::kQuotient:
      return any(open(std::type_identity<QuotientFilter>()));
    case FilterType::kScalable:
      return any(open(std::type_identity<ScalableFilter>()));
    case FilterType::kWindowed:
      return any(open(std::type_identity<WindowedFilter>()));
    case FilterType::kExact:
      return any(open(std::type_identity<ExactSet>()));
    case FilterType::kFuse:
      return any(open(std::type_identity<FuseFilter>()));
  }
  return Error::unsupported("native header", 16, "filter type: expected a known one");
}

}  // namespace

// Reads the type from the header, and opens the file as that type. If a file of another type has replaced it
// in between, opening fails and is tried again with the new type.
Result<AnyFilter> AnyFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(NativeHeader header, native_file_header(FileSystem::real(), path));
  for (;;) {
    Result<AnyFilter> opened = open_as(header.type, [&]<typename Filter>(std::type_identity<Filter>) {
      return Filter::open(path, options);
    });
    if (opened) {
      return opened;
    }
    const FilterType before = header.type;
    BLOOMERY_ASSIGN_OR_RETURN(header, native_file_header(FileSystem::real(), path));
    if (header.type == before) {
      return opened;
    }
  }
}

Result<AnyFilter> AnyFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(
      const NativeHeader header,
      parse_native_header(bytes.first(std::min(bytes.size(), kNativeHeaderBytes)), bytes.size()));
  return open_as(header.type,
                 [&]<typename Filter>(std::type_identity<Filter>) { return Filter::view(bytes, options); });
}

NativeFilter& AnyFilter::native() {
  return std::visit([](NativeFilter& filter) -> NativeFilter& { return filter; }, filter_);
}

const NativeFilter& AnyFilter::native() const {
  return std::visit([](const NativeFilter& filter) -> const NativeFilter& { return filter; }, filter_);
}

std::string AnyFilter::type_name() const {
  if (const auto* const fuse = std::get_if<FuseFilter>(&filter_)) {
    return filter_type_name(type(), fuse->shape().setting);
  }
  const auto* const blocked = std::get_if<BlockedBloomFilter>(&filter_);
  return filter_type_name(type(), blocked == nullptr ? BlockedSetting::kFast : blocked->shape().setting);
}

std::uint64_t AnyFilter::bits() const {
  if (const auto* const counting = std::get_if<CountingBloomFilter>(&filter_)) {
    return counting->shape().bits * 4;
  }
  const auto* const bloom = std::get_if<BloomFilter>(&filter_);
  return bloom != nullptr ? bloom->shape().bits : native().byte_size() * 8;
}

std::uint32_t AnyFilter::hash_count() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (std::is_same_v<Filter, RibbonFilter>) {
          return filter.columns();
        } else if constexpr (std::is_same_v<Filter, FuseFilter>) {
          return filter.shape().bits;
        } else if constexpr (std::is_same_v<Filter, QuotientFilter>) {
          return filter.shape().remainder_bits;
        } else if constexpr (std::is_same_v<Filter, ExactSet>) {
          return 0U;
        } else {
          return filter.shape().hash_count;
        }
      },
      filter_);
}

bool AnyFilter::is_static() const {
  return std::holds_alternative<RibbonFilter>(filter_) || std::holds_alternative<FuseFilter>(filter_);
}

bool AnyFilter::can_remove() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (std::is_same_v<Filter, ExactSet>) {
          return filter.can_remove();
        } else {
          return requires(Filter & removing) {
            removing.remove(Hash128());
          };
        }
      },
      filter_);
}

bool AnyFilter::updates_in_place() const {
  return !is_static() && !native().may_grow();
}

std::uint64_t AnyFilter::room() const {
  if (std::holds_alternative<ScalableFilter>(filter_)) {
    return ~std::uint64_t{0};
  }
  std::uint64_t taken = native().inserted();
  if (const auto* const windowed = std::get_if<WindowedFilter>(&filter_)) {
    if (windowed->window().kind == WindowKind::kCount) {
      return ~std::uint64_t{0};
    }
    taken = 0;
    for (const WindowGeneration& generation : windowed->generations()) {
      taken += generation.keys;
    }
  }
  return native().capacity() - std::min(native().capacity(), taken);
}

bool AnyFilter::insert(const Hash128& hash) {
  return insert_batch({&hash, 1}) == 0;
}

TestedInsert AnyFilter::test_and_insert(const Hash128& hash) {
  std::uint64_t is_new = 0;
  const bool refused = test_and_insert_batch({&hash, 1}, {&is_new, 1}) != 0;
  return {.is_new = is_new != 0, .refused = refused};
}

bool AnyFilter::remove(const Hash128& hash) {
  std::uint64_t removed = 0;
  return remove_batch({&hash, 1}, {&removed, 1}) == 0;
}

std::optional<std::uint64_t> AnyFilter::count_at_most(const Hash128& hash) const {
  NativeAccess::require(can_remove(), "a filter that does not remove keys does not count them either");
  return std::visit(
      [&]<typename Filter>(const Filter& filter) -> std::optional<std::uint64_t> {
        if constexpr (RemovingFilter<Filter>) {
          return filter.count_at_most(hash);
        } else {
          return std::nullopt;
        }
      },
      filter_);
}

std::uint64_t AnyFilter::remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  NativeAccess::require(can_remove(), "keys cannot be removed from a filter of this type");
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> std::uint64_t {
        if constexpr (RemovingFilter<Filter>) {
          return filter.remove_batch(hashes, answers);
        } else {
          return hashes.size();
        }
      },
      filter_);
}

std::uint64_t AnyFilter::insert_batch(std::span<const Hash128> hashes, Sharing sharing) {
  if (auto* const exact = std::get_if<ExactSet>(&filter_)) {
    const std::span<const Hash128> rest = hashes.subspan(exact->insert_front(hashes));
    if (rest.empty()) {
      return 0;
    }
    // If memory for the filter is lacking, the set stays a set and accepts only keys that are in already.
    return outgrow(*exact) ? insert_batch(rest, sharing) : exact->insert_batch(rest);
  }
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> std::uint64_t {
        if constexpr (DynamicFilter<Filter>) {
          return filter.insert_batch(hashes, sharing);
        } else {
          return hashes.size();
        }
      },
      filter_);
}

std::uint64_t AnyFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                               std::span<std::uint64_t> answers, Sharing sharing) {
  NativeAccess::require_room(answers, hashes.size());
  if (auto* const exact = std::get_if<ExactSet>(&filter_);
      exact != nullptr && exact->size() + hashes.size() > exact->plan().exact_below) {
    return test_and_insert_outgrowing(hashes, answers, sharing);
  }
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> std::uint64_t {
        if constexpr (DynamicFilter<Filter>) {
          return filter.test_and_insert_batch(hashes, answers, sharing);
        } else {  // a static filter accepts no keys, and can only tell which are certainly absent
          filter.may_contain_batch(hashes, answers);
          for (std::size_t i = 0; i < hashes.size(); ++i) {
            answers[i / 64] ^= std::uint64_t{1} << (i % 64);
          }
          return hashes.size();
        }
      },
      filter_);
}

// Implements test_and_insert_batch() for an exact set that may outgrow its threshold with these keys. Works
// key by key, since the set may become a filter at any of them.
std::uint64_t AnyFilter::test_and_insert_outgrowing(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers, Sharing sharing) {
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    const bool is_new = !may_contain(hashes[i]);
    refused += insert_batch(hashes.subspan(i, 1), sharing);
    answers[i / 64] |= std::uint64_t{is_new} << (i % 64);
  }
  return refused;
}

void AnyFilter::may_contain_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::visit([&](const auto& filter) { filter.may_contain_batch(hashes, answers); }, filter_);
}

void AnyFilter::needs_exception_batch(std::span<const Hash128> hashes,
                                      std::span<std::uint64_t> answers) const {
  may_contain_batch(hashes, answers);
  if (std::holds_alternative<ExactSet>(filter_)) {
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      answers[i / 64] ^= std::uint64_t{1} << (i % 64);
    }
  }
}

bool AnyFilter::may_contain(const Hash128& hash) const {
  return std::visit([&](const auto& filter) { return filter.may_contain(hash); }, filter_);
}

Status AnyFilter::clear() {
  if (is_static()) {
    return Error::invalid_argument(
        "clear", "expected a filter that takes keys, found a static one, a ribbon or a fuse filter");
  }
  NativeAccess::clear(native());
  return {};
}

Status AnyFilter::outgrow(const ExactSet& set) {
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter grown, outgrown(set));
  become(std::move(grown));
  return {};
}

void AnyFilter::become(AnyFilter grown) {
  NativeAccess::move_files(grown.native(), native());
  *this = std::move(grown);
}

Status AnyFilter::merge_exact(const AnyFilter& other) {
  auto* const mine = std::get_if<ExactSet>(&filter_);
  const auto* const others = std::get_if<ExactSet>(&other.filter_);
  if (mine != nullptr && others != nullptr) {
    Status merged = mine->merge(*others);
    if (merged || merged.error().code() != ErrorCode::kCapacity || mine->has_room_for(*others)) {
      return merged;
    }
  }
  if (mine == nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter theirs, outgrown(*others));
    return merge(theirs);
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter grown, outgrown(*mine));
  BLOOMERY_RETURN_IF_ERROR(grown.merge(other));
  become(std::move(grown));
  return {};
}

Status AnyFilter::merge(const AnyFilter& other) {
  if (std::holds_alternative<ExactSet>(filter_) || std::holds_alternative<ExactSet>(other.filter_)) {
    return merge_exact(other);
  }
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> Status {
        const auto* const same = std::get_if<Filter>(&other.filter_);
        if (same == nullptr) {
          return Error::invalid_argument("merge", "expected filters of one plan, found different type (" +
                                                      type_name() + " and " + other.type_name() + ")");
        }
        if constexpr (requires { Filter::concatenate({}); }) {
          const std::array<const Filter*, 2> parts = {&filter, same};
          BLOOMERY_ASSIGN_OR_RETURN(Filter joined, Filter::concatenate(parts));
          NativeAccess::move_files(joined, filter);
          filter = std::move(joined);
          return {};
        } else if constexpr (std::is_same_v<Filter, ExactSet>) {
          return merge_exact(other);
        } else {
          return filter.merge(*same);
        }
      },
      filter_);
}

bool AnyFilter::has_exceptions() const {
  const auto* const ribbon = std::get_if<RibbonFilter>(&filter_);
  return native().exception_count() != 0 || (ribbon != nullptr && ribbon->column_bytes() != 0);
}

Status AnyFilter::status() const {
  BLOOMERY_RETURN_IF_ERROR(native().file_status());
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (requires { filter.verify(); }) {
          return filter.status();
        } else {
          return Status();
        }
      },
      filter_);
}

Status AnyFilter::verify() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (requires { filter.verify(); }) {
          return filter.verify();
        } else {
          return Status();
        }
      },
      filter_);
}

double AnyFilter::fill_ratio() const {
  return std::visit([](const auto& filter) { return filter.fill_ratio(); }, filter_);
}

double AnyFilter::current_fpp() const {
  return std::visit([](const auto& filter) { return filter.current_fpp(); }, filter_);
}

double AnyFilter::estimated_count() const {
  return std::visit([](const auto& filter) { return filter.estimated_count(); }, filter_);
}

bool AnyFilter::over_capacity() const {
  return std::visit([](const auto& filter) { return filter.over_capacity(); }, filter_);
}

namespace {

template <typename Filter>
Result<AnyFilter> any(Result<Filter> filter) {
  if (!filter) {
    return filter.error();
  }
  return AnyFilter(std::move(*filter));
}

// Inserts all keys of a set, and returns how many were refused. A key is inserted at most as often as the
// filter can count, since the set's count may be any number.
std::uint64_t insert_exact_set(AnyFilter& filter, const ExactSet& set) {
  if (auto* const quotient = std::get_if<QuotientFilter>(&filter.variant())) {
    std::uint64_t refused = 0;
    set.for_each([&](const Hash128& hash, std::uint64_t count) {
      refused += quotient->insert(hash, std::min(count, kMaxQuotientCount)) ? 0U : 1U;
    });
    return refused;
  }
  std::vector<Hash128> hashes;
  hashes.reserve(set.size());
  set.for_each([&](const Hash128& hash, std::uint64_t count) {
    hashes.insert(hashes.end(), std::min(count, kMostOfCounter), hash);
  });
  return filter.insert_batch(hashes);
}

}  // namespace

Result<AnyFilter> make_filter(const FilterPlan& plan) {
  BLOOMERY_RETURN_IF_ERROR(check_rate(rate_of(plan)));
  if (plan.exact_below != 0) {
    return any(ExactSet::for_plan(plan));
  }
  switch (plan.type) {
    case FilterType::kBloom: {
      if (plan.fpp) {
        return any(BloomFilter::for_capacity(plan.capacity, *plan.fpp, plan.options));
      }
      BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, bloom_shape(rate_of(plan)));
      return any(BloomFilter::for_shape(shape, plan.capacity, plan.options));
    }
    case FilterType::kCounting: {
      if (plan.fpp) {
        return any(CountingBloomFilter::for_capacity(plan.capacity, *plan.fpp, plan.options));
      }
      BLOOMERY_ASSIGN_OR_RETURN(const BloomShape shape, counting_shape(rate_of(plan)));
      return any(CountingBloomFilter::for_shape(shape, plan.capacity, plan.options));
    }
    case FilterType::kBlocked: {
      if (plan.fpp) {
        return any(BlockedBloomFilter::for_capacity(plan.capacity, *plan.fpp, plan.options));
      }
      BLOOMERY_ASSIGN_OR_RETURN(const BlockedShape shape, blocked_shape(rate_of(plan), plan.options.setting));
      return any(BlockedBloomFilter::for_shape(shape, plan.capacity, plan.options));
    }
    case FilterType::kQuotient: {
      BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
      return any(QuotientFilter::for_capacity(plan.capacity, fpp, plan.options));
    }
    case FilterType::kScalable: {
      BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
      return any(ScalableFilter::for_capacity(plan.capacity, fpp, plan.options));
    }
    case FilterType::kWindowed: {
      BLOOMERY_ASSIGN_OR_RETURN(const double fpp, planned_fpp(plan));
      return any(WindowedFilter::for_capacity(plan.capacity, fpp, plan.options));
    }
    case FilterType::kRibbon:
    case FilterType::kFuse:
    case FilterType::kExact:
      break;
  }
  return Error::invalid_argument(
      "filter plan", std::string("expected a type that takes keys, found ") + filter_type_name(plan.type));
}

Result<AnyFilter> outgrown(const ExactSet& set) {
  FilterPlan grown = set.plan();
  grown.exact_below = 0;
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, make_filter(grown));
  if (insert_exact_set(filter, set) != 0) {
    return Error::capacity("exact set",
                           "expected the filter that it becomes to take its keys, found it full");
  }
  NativeAccess::copy_state(filter.native(), set);
  const std::vector<Hash128> kept = set.exceptions();
  if (!kept.empty()) {
    BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(kept));
  }
  return filter;
}

}  // namespace bloomery
