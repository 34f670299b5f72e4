#include "cli/open_key_filter.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/core.h>

#include "bloomery/dialects/database.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/block_list.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/byte_keys.h"
#include "cli/cassandra_keys.h"
#include "cli/dialect_keys.h"
#include "cli/exit_status.h"
#include "cli/hashed_keys.h"
#include "cli/leased_keys.h"
#include "cli/secret_file.h"

namespace bloomery::cli {
namespace {

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

  Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
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
      BLOOMERY_RETURN_IF_ERROR(answer(batch, lines_));
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

class DialectKeys final : public ByteKeys {
 public:
  DialectKeys(std::unique_ptr<DialectFilter> filter, const DialectKeyMaking& making, BatchKeys& batch)
      : ByteKeys(making, batch), filter_(std::move(filter)) {}

  bool forces_maybes() const override { return filter_->forces_maybes(); }
  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, keys_of(batch));
    filter_->filters_say(keys, answers);
    return {};
  }
  Status force(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, keys_of(batch));
    filter_->force_maybes(keys, answers);
    return {};
  }
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
  void ask(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    filter_->may_contain_batch(keys, answers);
  }
  void ask_each_part(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const override {
    filter_->ask_parts(keys, words);
  }

  std::unique_ptr<DialectFilter> filter_;
};

// A database. If some file could not be queried, its maybes are forced.
class DatabaseKeys final : public ByteKeys {
 public:
  DatabaseKeys(Database database, const DialectKeyMaking& making, BatchKeys& batch)
      : ByteKeys(making, batch), database_(std::move(database)) {}

  double current_fpp(const BatchKeys&) const override { return database_.current_fpp(); }
  bool is_static() const override { return true; }
  std::optional<double> target_fpp() const override { return std::nullopt; }
  std::optional<std::uint64_t> capacity() const override { return std::nullopt; }
  // Keys outside the ranges of all files are answered no without a filter, so fewer maybes are wrong.
  bool has_exceptions() const override { return true; }
  bool forces_maybes() const override { return database_.forces_maybes(); }
  Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, keys_of(batch));
    std::ranges::fill(answers, 0);
    set_bits(keys, answers, [](DatabaseAnswer answer) { return answer == DatabaseAnswer::kMaybe; });
    return {};
  }
  Status force(BatchKeys& batch, std::span<std::uint64_t> answers) const override {
    BLOOMERY_ASSIGN_OR_RETURN(const std::span<const std::string_view> keys, keys_of(batch));
    set_bits(keys, answers, [](DatabaseAnswer answer) { return answer == DatabaseAnswer::kForced; });
    return {};
  }
  std::uint64_t log_keys() const override { return database_.log_keys(); }
  Status file_status() const override { return database_.file_status(); }

 private:
  void ask(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const override {
    std::ranges::fill(answers, 0);
    set_bits(keys, answers, [](DatabaseAnswer answer) { return answer != DatabaseAnswer::kNo; });
  }

  // Sets the bits of the keys whose answer is `wanted`.
  template <typename Wanted>
  void set_bits(std::span<const std::string_view> keys, std::span<std::uint64_t> answers,
                Wanted wanted) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      answers[i / 64] |= std::uint64_t{wanted(database_.ask(keys[i]))} << (i % 64);
    }
  }

  Database database_;
};

void warn_of_database(std::string_view verb, const Database& database, const std::string& name) {
  constexpr std::uint64_t kMostFiles = 3;
  std::uint64_t files = 0;
  for (const DatabaseFamily& family : database.families()) {
    for (const DatabaseFile& file : family.files) {
      if (file.filter == nullptr && ++files <= kMostFiles) {
        warn(verb, fmt::format("warning: {}/{} may hold every key in its range: {}", name, file.name,
                               file.trouble));
      }
    }
  }
  if (files > kMostFiles) {
    warn(verb, fmt::format("warning: {}: the same holds for {} more files", name, files - kMostFiles));
  }
  for (const DatabaseLog& log : database.logs()) {
    if (log.is_torn) {
      warn(verb,
           fmt::format("warning: {}/{} ends within a write, as after a crash: what stood behind is not asked",
                       name, log.name));
    }
  }
  if (database.logs().empty()) {
    warn(verb, fmt::format("warning: {} has no write-ahead log: what was written last may be in none of its "
                           "files, and a no is not of it",
                           name));
  }
}

void warn_of_missing_filters(std::string_view verb, const DialectFilter& filter, const std::string& name) {
  if (const std::size_t missing = filter.parts_without_filter(); missing > 0) {
    warn(verb,
         fmt::format("warning: {}: {} of {} row groups may hold every key: they have no filter for {}, or it "
                     "cannot be read",
                     name, missing, filter.part_count(), filter.dialect()));
  }
  if (const std::size_t ranges = filter.parts_by_range(); ranges > 0) {
    warn(verb,
         fmt::format(
             "warning: {}: {} of {} row groups have no filter for {}, and deny only keys outside of their "
             "least and greatest values",
             name, ranges, filter.part_count(), filter.dialect()));
  }
}

Result<std::unique_ptr<KeyFilter>> open_database(std::string_view verb, const std::string& name,
                                                 const DialectChoice& dialect, const KeyOptions& keys,
                                                 BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_database(keys));
  BLOOMERY_ASSIGN_OR_RETURN(const DatabaseOptions options, dialect.for_database(name));
  BLOOMERY_ASSIGN_OR_RETURN(Database database, Database::open(name, options));
  warn_of_database(verb, database, name);
  std::unique_ptr<KeyFilter> opened = std::make_unique<DatabaseKeys>(std::move(database), making, batch);
  return opened;
}

}  // namespace

Result<std::unique_ptr<KeyFilter>> open_key_filter(std::string_view verb, const std::string& name,
                                                   const DialectChoice& dialect, const KeyOptions& keys,
                                                   const OpenOptions& options, BatchKeys& batch) {
  std::error_code unknown;
  if (std::filesystem::is_directory(name, unknown)) {
    return is_cassandra_directory(name, dialect) ? open_cassandra_directory(verb, name, dialect, keys, batch)
                                                 : open_database(verb, name, dialect, keys, batch);
  }
  if (LeasedFilter::is_one(name)) {
    return open_leased_keys(verb, name, keys, batch);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> foreign, dialect.of_file(name));
  if (foreign) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, dialect.memory());
    BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<DialectFilter> filter,
                              open_dialect(name, *foreign, memory, MissingFilters::kAnyKey));
    BLOOMERY_ASSIGN_OR_RETURN(const DialectKeyMaking making, keys_of_filter(keys, *filter, name));
    warn_of_missing_filters(verb, *filter, name);
    std::unique_ptr<KeyFilter> opened = std::make_unique<DialectKeys>(std::move(filter), making, batch);
    return opened;
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, open_filter(name, keys.key_file(), options));
  if (const Status agrees = keys.check_agrees_with(filter.native()); !agrees) {
    return agrees.error().in_file(name);
  }
  BLOOMERY_RETURN_IF_ERROR(check_whole(filter, name));
  std::unique_ptr<KeyFilter> opened;
  if (is_block_list(filter.key_treatment().form)) {
    opened = std::make_unique<BlockListFilter>(std::move(filter), batch);
  } else {
    opened = std::make_unique<NativeKeys>(std::move(filter), batch);
  }
  return opened;
}

}  // namespace bloomery::cli
