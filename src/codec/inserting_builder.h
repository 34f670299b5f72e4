// The builder for dialects whose filters are sized by a capacity: it inserts keys into an empty filter.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "bloomery/base/result.h"
#include "bloomery/codec/dialect_filter.h"

namespace bloomery {

class InsertingBuilder final : public DialectBuilder {
 public:
  explicit InsertingBuilder(std::unique_ptr<DialectFilter> filter) : filter_(std::move(filter)) {}

  Status add(std::span<const std::string_view> keys) override {
    BLOOMERY_RETURN_IF_ERROR(filter_->insert_batch(keys));
    return {};
  }
  Result<std::unique_ptr<DialectFilter>> finish() override { return std::move(filter_); }

 private:
  std::unique_ptr<DialectFilter> filter_;
};

inline Result<std::unique_ptr<DialectBuilder>> inserting_builder(std::unique_ptr<DialectFilter> empty) {
  std::unique_ptr<DialectBuilder> builder = std::make_unique<InsertingBuilder>(std::move(empty));
  return builder;
}

}  // namespace bloomery
