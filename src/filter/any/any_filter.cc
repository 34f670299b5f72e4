#include "bloomery/filter/any_filter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <type_traits>

#include "filter/native/filter_body.h"
#include "filter/native/native_file.h"

namespace bloomery {
namespace {

// Opens with `open`, a generic callable that is given the filter class as a tag.
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
  }
  return Error::unsupported("native header", 16, "filter type: expected a known one");
}

}  // namespace

Result<AnyFilter> AnyFilter::open(const std::string& path, const OpenOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const NativeHeader header, native_file_header(FileSystem::real(), path));
  return open_as(header.type,
                 [&]<typename Filter>(std::type_identity<Filter>) { return Filter::open(path, options); });
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
  const std::string name = filter_type_name(native().type());
  const auto* const blocked = std::get_if<BlockedBloomFilter>(&filter_);
  return blocked == nullptr ? name
                            : name + (blocked->shape().setting == BlockedSetting::kFast ? ":fast" : ":dense");
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
  return std::holds_alternative<RibbonFilter>(filter_);
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

std::uint64_t AnyFilter::remove_batch(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
  assert(can_remove());
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> std::uint64_t {
        if constexpr (requires { filter.remove_batch(hashes, answers); }) {
          return filter.remove_batch(hashes, answers);
        } else {
          return hashes.size();
        }
      },
      filter_);
}

std::uint64_t AnyFilter::insert_batch(std::span<const Hash128> hashes, Sharing sharing) {
  assert(!is_static());
  if (auto* const exact = std::get_if<ExactSet>(&filter_)) {
    const std::span<const Hash128> rest = hashes.subspan(exact->insert_front(hashes));
    if (rest.empty() || outgrow(*exact)) {
      return rest.empty() ? 0 : insert_batch(rest, sharing);
    }
    return static_cast<std::uint64_t>(  // those of keys that are in are taken still
        std::ranges::count_if(rest, [exact](const Hash128& hash) { return !exact->insert(hash); }));
  }
  return std::visit(
      [&]<typename Filter>(Filter& filter) -> std::uint64_t {
        if constexpr (std::is_same_v<Filter, QuotientFilter> || std::is_same_v<Filter, ScalableFilter>) {
          return filter.insert_batch(hashes);
        } else if constexpr (!std::is_same_v<Filter, RibbonFilter> && !std::is_same_v<Filter, ExactSet>) {
          filter.insert_batch(hashes, sharing);
        }
        return 0;
      },
      filter_);
}

bool AnyFilter::insert(const Hash128& hash) {
  return insert_batch({&hash, 1}) == 0;
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

Status AnyFilter::outgrow(const ExactSet& set) {
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter grown, set.outgrown());
  become(std::move(grown));
  return {};
}

void AnyFilter::become(AnyFilter grown) {
  grown.native().take_lock(native());
  *this = std::move(grown);
}

Status AnyFilter::merge_exact(const AnyFilter& other) {
  auto* const mine = std::get_if<ExactSet>(&filter_);
  const auto* const others = std::get_if<ExactSet>(&other.filter_);
  if (mine != nullptr && others != nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool merged, mine->merge(*others));
    if (merged) {
      return {};
    }
  }
  if (mine == nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter theirs, others->outgrown());
    return merge(theirs);
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter grown, mine->outgrown());
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
        if constexpr (std::is_same_v<Filter, RibbonFilter>) {
          const std::array<const RibbonFilter*, 2> parts = {&filter, same};
          BLOOMERY_ASSIGN_OR_RETURN(filter, RibbonFilter::concatenate(parts));
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
  const auto* const ribbon = std::get_if<RibbonFilter>(&filter_);
  return ribbon == nullptr ? Status() : ribbon->status();
}

Status AnyFilter::verify() const {
  const auto* const ribbon = std::get_if<RibbonFilter>(&filter_);
  return ribbon == nullptr ? Status() : ribbon->verify();
}

double AnyFilter::fill_ratio() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (std::is_same_v<Filter, RibbonFilter>) {
          return 1.0;
        } else if constexpr (std::is_same_v<Filter, QuotientFilter>) {
          return filter.load();
        } else {
          return filter.fill_ratio();
        }
      },
      filter_);
}

double AnyFilter::current_fpp() const {
  return std::visit([](const auto& filter) { return filter.current_fpp(); }, filter_);
}

double AnyFilter::estimated_count() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (std::is_same_v<Filter, RibbonFilter>) {
          return static_cast<double>(filter.inserted());
        } else {
          return filter.estimated_count();
        }
      },
      filter_);
}

bool AnyFilter::over_capacity() const {
  return std::visit(
      []<typename Filter>(const Filter& filter) {
        if constexpr (std::is_same_v<Filter, RibbonFilter>) {
          return false;  // its fpp does not depend on how many keys there are
        } else {
          return filter.over_capacity();
        }
      },
      filter_);
}

}  // namespace bloomery
