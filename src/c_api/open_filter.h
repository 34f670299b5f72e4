// OpenFilter is the object of a bloomery_filter handle: a filter of any type, and the first checks
// of its calls.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "bloomery.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/block_list.h"
#include "c_api/handle_pool.h"

namespace bloomery::c_api {

class OpenFilter {
 public:
  explicit OpenFilter(AnyFilter filter)
      : can_hash_(knows_its_secret(filter.native())),
        is_writable_(filter.is_writable() && !filter.is_static()) {
    const KeyForm form = filter.key_treatment().form;
    if (can_hash_ && (form == KeyForm::kCidr || form == KeyForm::kDomainSuffix)) {
      list_ = std::make_unique<BlockList>(*BlockList::of(std::move(filter)));
      filter_ = &list_->filter();
    } else {
      own_ = std::make_unique<AnyFilter>(std::move(filter));
      filter_ = own_.get();
    }
  }

  const AnyFilter& filter() const { return *filter_; }
  AnyFilter& filter() { return *filter_; }
  // Returns null unless the keys are entries of a block list.
  const BlockList* list() const { return list_.get(); }
  BlockList* list() { return list_.get(); }

  // Returns true if keys can be hashed: not for filters of ready hashes, nor without the secret.
  bool can_hash() const { return can_hash_; }
  bool is_writable() const { return is_writable_; }

  // Between begin_update() and end_update(), the filter changes its file.
  void begin_update() { is_updating_ = true; }
  bool is_updating() const { return is_updating_; }
  void end_update() { is_updating_ = is_writable_ = false; }

  // Call it after inserts by bytes or hashes: these may include level keys of a block list.
  void keys_came() {
    if (list_ != nullptr) [[unlikely]] {
      list_->read_levels();
    }
  }

 private:
  std::unique_ptr<AnyFilter> own_;
  std::unique_ptr<BlockList> list_;
  AnyFilter* filter_;  // points into own_ or list_
  bool can_hash_;
  bool is_writable_;
  bool is_updating_ = false;
};

using Filters = HandlePool<OpenFilter, 0x8100f117e2>;

// Makes a handle for a filter, or returns the error of the result.
int give_filter(Result<AnyFilter> filter, bloomery_filter** out);

// Returns the treatment of a caller's keys and texts; see bloomery_key_rule. A rule of size 0 is
// the default rule.
Result<KeyTreatment> treatment_of(const bloomery_key_rule& rule);
bloomery_key_rule rule_of(const KeyTreatment& treatment);

// Returns the hash that the options select. Errors: kInvalidArgument for an unknown hash.
Result<HashSpec> hash_of(std::uint32_t hash, std::uint64_t seed, const std::uint8_t* secret);

}  // namespace bloomery::c_api
