// A filter of another system.
#include <utility>

#include "query/byte_keys.h"
#include "query/key_filters.h"

namespace bloomery {
namespace {

class DialectFilterKeys final : public ByteKeys {
 public:
  DialectFilterKeys(std::unique_ptr<DialectFilter> filter, const DialectKeyMaking& making, BatchKeys& batch)
      : ByteKeys(making, batch), filter_(std::move(filter)) {}

  bool forces_maybes() const override { return filter_->forces_maybes(); }
  // Keys outside the value ranges of parts without a filter are answered no, so fewer maybes are wrong.
  bool has_exceptions() const override { return filter_->parts_by_range() > 0; }
  std::size_t part_count() const override { return filter_->part_count(); }
  bool part_has_filter(std::size_t part) const override { return filter_->part_has_filter(part); }

  double current_fpp(const BatchKeys&) const override { return filter_->current_fpp(); }
  bool is_static() const override { return filter_->is_static(); }
  std::optional<double> target_fpp() const override { return filter_->facts().target_fpp; }
  std::optional<std::uint64_t> capacity() const override { return filter_->facts().capacity; }
  Status file_status() const override { return filter_->file_status(); }

 private:
  Status ask_filters(std::span<const std::string_view> keys,
                     std::span<std::uint64_t> answers) const override {
    filter_->filters_say(keys, answers);
    return {};
  }
  void force_keys(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    filter_->force_maybes(keys, answers);
  }
  Status ask_each_part(std::span<const std::string_view> keys,
                       std::span<std::uint64_t> words) const override {
    filter_->ask_parts(keys, words);
    return {};
  }

  std::unique_ptr<DialectFilter> filter_;
};

}  // namespace

std::unique_ptr<KeyFilter> make_key_filter(std::unique_ptr<DialectFilter> filter,
                                           const DialectKeyMaking& making, BatchKeys& batch) {
  return std::make_unique<DialectFilterKeys>(std::move(filter), making, batch);
}

}  // namespace bloomery
