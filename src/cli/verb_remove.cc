// bloomery remove: removes keys from a filter that supports deletes.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/bit_count.h"
#include "base/file.h"
#include "bloomery/filter/any_filter.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_update.h"
#include "cli/given_keys.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"
#include "cli/waiting_hashes.h"
#include "filter/spool/hash_log.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRemoveDescription =
    R"(Take keys out of a filter that can forget them: one of type counting or quotient.

  seq 1000 | bloomery build -t quotient -o some.quotient -n 1000 -p 1e-3 --force
  seq 1 500 | bloomery remove some.quotient; seq 1000 | bloomery query -c some.quotient
  seq 400 600 | bloomery remove --strict some.quotient    # some are out already: exit 4, nothing changed

Remove only what was added, once for each time it was. A key that is certainly absent is left alone and
counted. But one that was never added may look as if it was (at the filter's fpp): then the counts of
other keys are taken, which may be answered no although they are in. No filter of this size can tell. So all
keys are read first, and if more than half of them are absent, none is removed (exit 4; --absent-ok).

Ctrl-C ends the input early: what was read is out of the filter, which stays whole. A kill in
the middle leaves a counting filter marked dirty: 'bloomery add --after-crash FILTER /dev/null' mends it.
What was being removed may then be in or out, and what is in cannot be removed any more.)";

struct RemoveOptions {
  std::string filter;
  bool strict = false;
  bool absent_ok = false;
  GivenKeys given;
  UpdateChoice update;
  SummaryChoice summary;
  DialectChoice dialect;
  KeyOptions keys;
  std::vector<std::string> files;
};

Status check_removes(const AnyFilter& filter, const std::string& name) {
  if (filter.can_remove()) {
    return {};
  }
  return Error::invalid_argument(
      name,
      "expected a filter that keys can be removed from (build -t counting or quotient), found one of type " +
          filter.type_name());
}

struct Removal {
  std::uint64_t given = 0;
  std::uint64_t refused = 0;  // keys that were certainly absent
  // How many absent keys matched, and so removed another key: expected from the fpp.
  double expected_wrong = 0;
};

// Removes keys from the filter, and counts them.
void remove_keys(std::span<const Hash128> hashes, AnyFilter& filter, Removal& removal) {
  std::vector<std::uint64_t> answers(answer_words(hashes.size()));
  removal.given += hashes.size();
  removal.refused += filter.remove_batch(hashes, answers);
}

void summarize_removal(const RemoveOptions& options, const AnyFilter& filter, const Removal& removal,
                       bool stopped) {
  const std::string fpp =
      is_block_list(filter.key_treatment().form) ? show_fpp(filter) : show_probability(filter.current_fpp());
  const std::string wrong =
      removal.refused == 0 || removal.refused == removal.given
          ? std::string()
          : fmt::format(" (expected removals of keys that were never added, and so of others: {:.2g})",
                        removal.expected_wrong);
  warn("remove",
       fmt::format("{}{} removed from {}, {} were certainly absent{}; {} are left, fpp {}",
                   stopped ? "stopped early: " : "", show_count_of(removal.given - removal.refused, "key"),
                   options.filter, show_count(removal.refused), wrong, show_count(filter.native().inserted()),
                   fpp));
}

// Removes the keys of an input.   Calls: remove_all
//
//   --strict       removes the keys in memory while reading; writes the file only if all keys were in it
//   --absent-ok    removes the keys in the file while reading
//   otherwise      buffers their hashes, in memory or on disk, and queries the filter for them first
class KeyRemoval {
 public:
  KeyRemoval(const RemoveOptions& options, FilterUpdate& update, const std::atomic<bool>& stop)
      : options_(options),
        update_(update),
        stop_(stop),
        hasher_(update.found().native().hash_spec(), update.found().native().key_treatment(),
                options.keys.place()),
        waiting_(log_of_waiting_hashes()) {}

  // Returns the exit status.
  Result<int> remove_all() {
    const bool asks_first = !options_.strict && !options_.absent_ok;
    if (!asks_first) {
      BLOOMERY_RETURN_IF_ERROR(
          update_.open(options_.strict ? FilterUpdate::Way::kInMemory : FilterUpdate::Way::kInPlace));
      note_fpp();
    }
    InputFiles input(options_.files, options_.given.shape(options_.keys), &stop_);
    const Status read =
        for_each_key_batch("remove", input, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
          if (asks_first) {
            BLOOMERY_RETURN_IF_ERROR(waiting_.append(batch.hashes));
            return true;
          }
          remove_keys(batch.hashes, update_.filter(), removal_);
          return !options_.strict || removal_.refused == 0;
        });
    if (options_.strict && (!read || removal_.refused != 0 || stop_)) {
      return read ? Result<int>(refuse_strictly()) : Result<int>(read.error());
    }
    if (asks_first) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool wanted, ask_and_remove());
      if (!wanted) {
        return static_cast<int>(kRefused);
      }
    }
    return finish(read);
  }

 private:
  void note_fpp() { fpp_ = update_.filter().current_fpp(); }

  // Removes the buffered keys. Returns false and removes nothing if more than half are absent but some match.
  Result<bool> ask_and_remove() {
    BLOOMERY_RETURN_IF_ERROR(update_.open(FilterUpdate::Way::kToAsk));
    note_fpp();
    std::uint64_t absent = 0;
    std::vector<std::uint64_t> answers;
    BLOOMERY_RETURN_IF_ERROR(waiting_.for_each([&](std::span<const Hash128> hashes) -> Status {
      answers.resize(answer_words(hashes.size()));
      update_.filter().may_contain_batch(hashes, answers);
      absent += hashes.size() - count_set_bits(answers);
      return {};
    }));
    BLOOMERY_RETURN_IF_ERROR(in_file(update_.filter().native().file_status(), options_.filter));
    // If no key matches, no key is removed, so there is nothing to refuse.
    if (absent > waiting_.size() / 2 && absent != waiting_.size()) {
      const std::uint64_t matching = waiting_.size() - absent;
      warn("remove",
           fmt::format(
               "refused: {} of the {} are certainly absent from {}, so that about {:.2g} of the {} that "
               "match were never added, and would take out other keys (--absent-ok); nothing was changed",
               show_count(absent), show_count_of(waiting_.size(), "key"), options_.filter,
               std::min(expected_wrong(absent), static_cast<double>(matching)), show_count(matching)));
      return false;
    }
    BLOOMERY_RETURN_IF_ERROR(update_.open(FilterUpdate::Way::kInPlace));
    BLOOMERY_RETURN_IF_ERROR(waiting_.for_each([&](std::span<const Hash128> hashes) -> Status {
      remove_keys(hashes, update_.filter(), removal_);
      return {};
    }));
    return true;
  }

  // Returns the expected number of false positives among the keys that were never added, given that `absent`
  // of these do not match.
  double expected_wrong(std::uint64_t absent) const {
    return fpp_ < 1 ? static_cast<double>(absent) * fpp_ / (1 - fpp_) : static_cast<double>(absent);
  }

  int refuse_strictly() const {
    if (removal_.refused == 0) {
      warn("remove", "stopped; nothing was changed");
      return kInterrupted;
    }
    warn("remove", fmt::format("refused: at least {} of the keys are certainly absent from {} (--strict); "
                               "nothing was changed",
                               show_count(removal_.refused), options_.filter));
    return kRefused;
  }

  Result<int> finish(const Status& read) {
    BLOOMERY_RETURN_IF_ERROR(update_.finish());
    removal_.expected_wrong = expected_wrong(removal_.refused);
    const std::uint64_t amiss = removal_.refused + hasher_.tally().bad;
    if (options_.summary.wanted_or_amiss(amiss) || stop_ || !read) {
      summarize_removal(options_, update_.filter(), removal_, stop_);
    }
    tell_of_keys("remove", hasher_.tally(), options_.keys.place(), telling(options_.summary.declined()));
    if (!read) {
      return report("remove", or_a_key(read.error(), options_.files));
    }
    return static_cast<int>(stop_ ? kInterrupted : kDone);
  }

  const RemoveOptions& options_;
  FilterUpdate& update_;
  const std::atomic<bool>& stop_;
  KeyHasher hasher_;
  HashLog waiting_;
  double fpp_ = 0;  // the fpp before the first removal
  Removal removal_;
};

Result<int> remove(RemoveOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(options.given.check(options.keys));
  if (options.strict && options.absent_ok) {
    return Error::invalid_argument("arguments", "expected either --strict or --absent-ok, found both");
  }
  BLOOMERY_RETURN_IF_ERROR(check_not_swapped(options.filter, options.files));
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.filter, options.given.inputs(options.files)));
  BLOOMERY_RETURN_IF_ERROR(options.dialect.refuse(
      options.filter, "no key can be removed, since its bits do not tell how many keys set them"));
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(
      FilterUpdate update, FilterUpdate::begin("remove", options.filter, options.keys, options.update, stop));
  BLOOMERY_RETURN_IF_ERROR(check_removes(update.found(), options.filter));
  KeyRemoval removal(options, update, stop);
  return removal.remove_all();
}

}  // namespace

void add_remove_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("remove", kRemoveDescription);
  const auto options = std::make_shared<RemoveOptions>();
  verb->add_option("FILTER", options->filter, "the filter to remove from")->required();
  verb->add_flag("--strict", options->strict,
                 "change nothing if one of the keys is certainly absent (exit 4)");
  verb->add_flag(
      "--absent-ok", options->absent_ok,
      "remove as the keys come, however many are certainly absent (default: refused with exit 4 if more "
      "than half are)");
  options->given.add_to(*verb, "remove");
  options->update.add_to(*verb);
  options->summary.add_to(*verb);
  options->dialect.add_to(*verb);
  options->keys.add_to(*verb);
  verb->add_option("FILE", options->files, "keys, one a line; none or - is standard input");
  verb->callback([options, &exit_status] {
    const Result<int> status = remove(*options);
    exit_status = status ? *status : report("remove", or_a_key(status.error(), options->files));
  });
}

}  // namespace bloomery::cli
