// A filter whose noes are not believed: every answer is maybe.
#include <algorithm>
#include <utility>

#include "query/key_filters.h"

namespace bloomery {
namespace {

class UnprovenKeys final : public KeyFilter {
 public:
  explicit UnprovenKeys(std::unique_ptr<KeyFilter> filter) : filter_(std::move(filter)) {}

  bool forces_maybes() const override { return true; }
  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    return filter_->say(batch, answers);
  }
  Status force(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return {};
  }
  std::size_t part_count() const override { return filter_->part_count(); }
  bool part_has_filter(std::size_t) const override { return false; }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    const std::size_t lines = std::min<std::size_t>(batch.size() - first, 64);
    std::ranges::fill(words, ~std::uint64_t{0} >> (64 - lines));
    return {};
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override {
    return filter_->identities(batch);
  }
  double current_fpp(const BatchKeys&) const override { return 1; }
  bool is_static() const override { return filter_->is_static(); }
  std::optional<double> target_fpp() const override { return filter_->target_fpp(); }
  std::optional<std::uint64_t> capacity() const override { return filter_->capacity(); }
  Status file_status() const override { return filter_->file_status(); }

 private:
  std::unique_ptr<KeyFilter> filter_;
};

}  // namespace

std::unique_ptr<KeyFilter> make_unproven_filter(std::unique_ptr<KeyFilter> filter) {
  return std::make_unique<UnprovenKeys>(std::move(filter));
}

}  // namespace bloomery
