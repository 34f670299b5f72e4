// Filters of ours: one key for each line, a block list, and a leased file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "bloomery/filter/block_list.h"
#include "query/byte_keys.h"
#include "query/key_filters.h"

namespace bloomery {
namespace {

// The base of KeyFilters that query one filter by the hash of each line.
//
// `Filter` has hash_spec(), key_treatment() and may_contain_batch() of hashes. Derived classes add the
// facts of the filter.
template <typename Filter>
class HashedKeys : public KeyFilter {
 public:
  HashedKeys(Filter filter, BatchKeys& batch)
      : filter_(std::move(filter)), slot_(batch.want_hashes(filter_.hash_spec(), filter_.key_treatment())) {}

  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes, batch.hashes(slot_));
    filter_.may_contain_batch(hashes, answers);
    return {};
  }
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const Hash128> hashes, batch.hashes(slot_));
    filter_.may_contain_batch(group_of(hashes, first), words);
    return {};
  }
  Result<std::span<const Hash128>> identities(BatchKeys& batch) const override { return batch.hashes(slot_); }

 protected:
  const Filter& filter() const { return filter_; }

 private:
  Filter filter_;
  std::size_t slot_;
};

class NativeKeys final : public HashedKeys<AnyFilter> {
 public:
  using HashedKeys::HashedKeys;

  double current_fpp(const BatchKeys&) const override { return filter().current_fpp(); }
  bool is_static() const override { return filter().is_static(); }
  std::optional<double> target_fpp() const override { return filter().target_fpp(); }
  std::optional<std::uint64_t> capacity() const override { return filter().capacity(); }
  bool has_exceptions() const override { return filter().has_exceptions(); }
  Status status() const override { return filter().status(); }
  Status file_status() const override { return filter().native().file_status(); }
};

// A block list. A line may be in it if any of the line's questions may be.
class BlockListFilter final : public KeyFilter {
 public:
  BlockListFilter(AnyFilter filter, BatchKeys& batch)
      : filter_(std::move(filter)),
        levels_(levels_of(filter_)),
        slot_(batch.want_questions(filter_.native().hash_spec(), filter_.native().key_treatment(), levels_)) {
  }

  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const HashedQuestions* const questions, batch.questions(slot_));
    answered_.resize(answer_words(questions->hashes.size()));
    filter_.may_contain_batch(questions->hashes, answered_);
    std::ranges::fill(answers, 0);
    for (std::size_t line = 0; line < questions->lines.size(); ++line) {
      const auto [begin, end] = questions->lines[line];
      bool any = false;
      for (std::size_t i = begin; i < end; ++i) {
        any = any || ((answered_[i / 64] >> (i % 64)) & 1) != 0;
      }
      answers[line / 64] |= std::uint64_t{any} << (line % 64);
    }
    return {};
  }
  // The call for the first lines of a batch answers all its lines.
  Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const override {
    if (first == 0) {
      lines_.resize(answer_words(batch.size()));
      BLOOMERY_RETURN_IF_ERROR(say(batch, lines_));
    }
    words[0] = lines_[first / 64];
    return {};
  }
  Result<std::span<const Hash128>> identities(BatchKeys&) const override {
    return Error::invalid_argument("--allow",
                                   "expected a filter with one key for a line, found a block list: build it "
                                   "without the entries that are allowed");
  }

  double current_fpp(const BatchKeys& batch) const override {
    return joint_fpp(filter_.current_fpp(), questions_of(batch).mean);
  }
  std::optional<QuestionFacts> questions(const BatchKeys& batch) const override {
    return questions_of(batch);
  }
  bool is_static() const override { return filter_.is_static(); }
  std::optional<double> target_fpp() const override {
    return joint_fpp(filter_.native().target_fpp(), static_cast<double>(most()));
  }
  std::optional<std::uint64_t> capacity() const override { return filter_.native().capacity(); }
  bool has_exceptions() const override { return filter_.has_exceptions(); }
  Status status() const override { return filter_.status(); }
  Status file_status() const override { return filter_.native().file_status(); }

 private:
  std::size_t most() const { return most_questions(filter_.native().key_treatment().form, levels_); }
  QuestionFacts questions_of(const BatchKeys& batch) const {
    return {.mean = batch.mean_questions(slot_).value_or(static_cast<double>(most())),
            .most = most(),
            .fpp_of_one = filter_.current_fpp()};
  }

  AnyFilter filter_;
  KeyLevels levels_;
  std::size_t slot_;
  mutable std::vector<std::uint64_t> answered_;  // the answers to all questions; kept to reuse its memory
  mutable std::vector<std::uint64_t> lines_;     // the answers of the batch, for ask_parts()
};

class LeasedKeys final : public HashedKeys<LeasedFilter> {
 public:
  using HashedKeys::HashedKeys;

  double current_fpp(const BatchKeys&) const override {
    return filter().state().holds ? filter().current_fpp() : 1;
  }
  bool is_static() const override { return false; }
  std::optional<double> target_fpp() const override { return filter().target_fpp(); }
  std::optional<std::uint64_t> capacity() const override { return filter().capacity(); }
  // The filter checks its file itself, and answers maybe if that fails.
  Status file_status() const override { return {}; }
};

}  // namespace

std::unique_ptr<KeyFilter> make_key_filter(AnyFilter filter, BatchKeys& batch) {
  if (is_block_list(filter.key_treatment().form)) {
    return std::make_unique<BlockListFilter>(std::move(filter), batch);
  }
  return std::make_unique<NativeKeys>(std::move(filter), batch);
}

std::unique_ptr<KeyFilter> make_key_filter(LeasedFilter filter, BatchKeys& batch) {
  return std::make_unique<LeasedKeys>(std::move(filter), batch);
}

}  // namespace bloomery
