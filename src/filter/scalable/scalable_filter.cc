#include "bloomery/filter/scalable_filter.h"

#include <algorithm>
#include <utility>

#include "bloomery/filter/sizing.h"
#include "filter/native/filter_body.h"
#include "filter/scalable/blocked_layers.h"

namespace bloomery {
namespace {

// Returns the fpp of all layers together: 1 - prod (1 - fpp of a layer).
template <typename FppOf>
double fpp_of_all(const BlockedLayers& layers, FppOf fpp_of) {
  double denied = 1;
  for (std::size_t i = 0; i < layers.count(); ++i) {
    denied *= 1 - fpp_of(i);
  }
  return 1 - denied;
}

}  // namespace

ScalableFilter::ScalableFilter(std::unique_ptr<FilterBody> filter_body, std::unique_ptr<BlockedLayers> layers)
    : NativeFilter(std::move(filter_body)), layers_(layers.get()) {
  body().segmented = std::move(layers);
}

Result<ScalableFilter> ScalableFilter::for_capacity(std::uint64_t first_capacity, double fpp,
                                                    const FilterOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_fpp(fpp));
  BLOOMERY_ASSIGN_OR_RETURN(auto layers,
                            BlockedLayers::create({.capacity = std::max<std::uint64_t>(first_capacity, 1),
                                                   .fpp = fpp,
                                                   .expansion = expansion_of(options.setting),
                                                   .hash = {},
                                                   .setting = options.setting}));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, new_body(FilterType::kScalable, 0, first_capacity, fpp, options));
  const BlockedShape& first = (*layers)[0].size.shape;
  body->header.bits = first.bits();
  body->header.hash_count = first.hash_count;
  body->header.stride_bytes = static_cast<std::uint16_t>(first.setting);
  return ScalableFilter(std::move(body), std::move(layers));
}

Result<ScalableFilter> ScalableFilter::from_body(std::unique_ptr<FilterBody> body) {
  const NativeHeader& header = body->header;
  BLOOMERY_RETURN_IF_ERROR(check_body(*body, FilterType::kScalable, header.payload_bytes));
  const GrowingPlan plan = growing_plan_of(header);
  BLOOMERY_ASSIGN_OR_RETURN(auto layers, BlockedLayers::over(std::exchange(body->storage, Storage()), plan));
  BLOOMERY_RETURN_IF_ERROR(check_first_layer(header, (*layers)[0].size.shape));
  return ScalableFilter(std::move(body), std::move(layers));
}

Result<ScalableFilter> ScalableFilter::open(const std::string& path, const OpenOptions& options) {
  if (const Status access = check_not_in_place(FilterType::kScalable, options); !access) {
    return Error::invalid_argument(path, access.error().detail());
  }
  BLOOMERY_ASSIGN_OR_RETURN(auto body, open_body(path, options));
  return in_file(from_body(std::move(body)), path);
}

Result<ScalableFilter> ScalableFilter::view(std::span<const std::byte> bytes, const OpenOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_not_in_place(FilterType::kScalable, options));
  BLOOMERY_ASSIGN_OR_RETURN(auto body, view_body(bytes, options));
  return from_body(std::move(body));
}

bool ScalableFilter::insert(const Hash128& hash) {
  require_writable();
  bool is_in = false;
  layers_->insert(hash.low, [&](BlockedLayers::Outcome outcome) {
    is_in = outcome != BlockedLayers::Outcome::kRefused;
    if (is_in) {
      withdraw_exception(hash);
    }
  });
  count_inserted(is_in ? 1 : 0);
  return is_in;
}

bool ScalableFilter::may_contain(const Hash128& hash) const {
  return layers_->contains(hash.low) && !is_exception(hash);
}

TestedInsert ScalableFilter::test_and_insert(const Hash128& hash) {
  require_writable();
  TestedInsert tested;
  layers_->insert(hash.low, [&](BlockedLayers::Outcome outcome) {
    tested.refused = outcome == BlockedLayers::Outcome::kRefused;
    const bool withdrawn = !tested.refused && withdraw_exception(hash);
    tested.is_new = withdrawn || outcome != BlockedLayers::Outcome::kKnown;
  });
  count_inserted(tested.refused ? 0 : 1);
  return tested;
}

std::uint64_t ScalableFilter::insert_batch(std::span<const Hash128> hashes, Sharing) {
  require_writable();
  std::uint64_t refused = 0;
  layers_->insert_each(hashes, [&](std::size_t i, BlockedLayers::Outcome outcome) {
    if (outcome == BlockedLayers::Outcome::kRefused) {
      ++refused;
    } else {
      withdraw_exception(hashes[i]);
    }
  });
  count_inserted(hashes.size() - refused);
  return refused;
}

void ScalableFilter::may_contain_batch(std::span<const Hash128> hashes,
                                       std::span<std::uint64_t> answers) const {
  require_room(answers, hashes.size());
  layers_->contains_batch(hashes, answers);
  clear_exceptions(hashes, answers);
}

std::uint64_t ScalableFilter::test_and_insert_batch(std::span<const Hash128> hashes,
                                                    std::span<std::uint64_t> answers, Sharing) {
  require_writable();
  require_room(answers, hashes.size());
  std::fill_n(answers.begin(), answer_words(hashes.size()), 0);
  std::uint64_t refused = 0;
  layers_->insert_each(hashes, [&](std::size_t i, BlockedLayers::Outcome outcome) {
    const bool is_in = outcome != BlockedLayers::Outcome::kRefused;
    refused += is_in ? 0U : 1U;
    const bool withdrawn = is_in && withdraw_exception(hashes[i]);
    const bool is_new = outcome != BlockedLayers::Outcome::kKnown;
    answers[i / 64] |= std::uint64_t{withdrawn || is_new} << (i % 64);
  });
  count_inserted(hashes.size() - refused);
  return refused;
}

Status ScalableFilter::merge(const ScalableFilter& other) {
  require_writable();
  BLOOMERY_RETURN_IF_ERROR(check_same_plan(body().header, other.body().header));
  std::vector<Hash128> exceptions = common_exceptions(*this, other);
  BLOOMERY_RETURN_IF_ERROR(layers_->merge(*other.layers_));
  return merge_plan(other, std::move(exceptions));
}

const BlockedShape& ScalableFilter::shape() const {
  return (*layers_)[0].size.shape;
}
std::size_t ScalableFilter::layer_count() const {
  return layers_->count();
}

LayerFacts ScalableFilter::layer(std::size_t index) const {
  const BlockedLayers::Layer& layer = (*layers_)[index];
  return {.keys = layer.keys.load(std::memory_order_relaxed),
          .capacity = layer.size.capacity,
          .fpp = layer.size.fpp,
          .shape = layer.size.shape,
          .bytes = layers_->layer_bytes(index)};
}

double ScalableFilter::fill_ratio() const {
  std::uint64_t set = 0;
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < layer_count(); ++i) {
    const LayerContent content = layers_->content(i);
    set += content.set_bits;
    all += content.bits;
  }
  return static_cast<double>(set) / static_cast<double>(all);
}

double ScalableFilter::current_fpp() const {
  return fpp_of_all(*layers_, [&](std::size_t i) { return layers_->content(i).fpp; });
}

double ScalableFilter::estimated_count() const {
  double count = 0;
  for (std::size_t i = 0; i < layer_count(); ++i) {
    count += layers_->content(i).keys;
  }
  return count;
}

double ScalableFilter::predicted_fpp() const {
  return fpp_of_all(*layers_, [&](std::size_t i) { return layers_->predicted_fpp(i); });
}

bool ScalableFilter::over_capacity() const {
  return predicted_fpp() > target_fpp();
}

}  // namespace bloomery
