// bloomery remove: removes keys from a filter that counts them.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_update.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kRemoveDescription =
    R"(Take keys out of a filter that can forget them: one of type counting or quotient.

  seq 1000 | bloomery build -t quotient -o some.quotient -n 1000 -p 1e-3 --force
  seq 1 500 | bloomery remove some.quotient; seq 1000 | bloomery query -c some.quotient
  seq 400 600 | bloomery remove --strict some.quotient    # some are out already: exit 4, nothing changed

Remove only what was added, once for each time it was. A key that is certainly absent is left alone and
counted. But one that was never added may look as if it was (at the filter's fpp): then the counts of
other keys are taken, which may be answered no although they are in. No filter of this size can tell.

Ctrl-C ends the input early: what was read is out of the filter, which stays whole. A kill in
the middle leaves a counting filter marked dirty: 'bloomery add --after-crash FILTER /dev/null' mends it.
What was being removed may then be in or out, and what is in cannot be removed any more.)";

struct RemoveOptions {
  std::string filter;
  bool strict = false;
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
  std::uint64_t refused = 0;  // keys that are certainly absent
};

// Removes the keys that it reads, and counts them.
Status remove_all(const RemoveOptions& options, InputFiles& input, KeyHasher& hasher, AnyFilter& filter,
                  Removal& removal) {
  std::vector<std::uint64_t> answers;
  return for_each_key_batch("remove", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
    answers.resize(answer_words(batch.hashes.size()));
    removal.given += batch.hashes.size();
    removal.refused += filter.remove_batch(batch.hashes, answers);
    return !options.strict || removal.refused == 0;
  });
}

void summarize_removal(const RemoveOptions& options, const AnyFilter& filter, const Removal& removal,
                       bool stopped) {
  const std::string fpp =
      is_block_list(filter.key_treatment().form) ? show_fpp(filter) : show_probability(filter.current_fpp());
  warn("remove",
       fmt::format("{}{} keys removed from {}, {} were certainly absent; {} are left, fpp {}",
                   stopped ? "stopped early: " : "", show_count(removal.given - removal.refused),
                   options.filter, show_count(removal.refused), show_count(filter.native().inserted()), fpp));
}

Result<int> remove(RemoveOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.filter, or_standard_input(options.files)));
  BLOOMERY_RETURN_IF_ERROR(options.dialect.refuse(
      options.filter, "no key can be removed, since its bits do not tell how many keys set them"));
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(
      FilterUpdate update, FilterUpdate::begin("remove", options.filter, options.keys, options.update, stop));
  BLOOMERY_RETURN_IF_ERROR(check_removes(update.found(), options.filter));
  InputFiles input(options.files, options.keys.input_shape(), &stop);
  // Under --strict the file must not change until the last key has been checked.
  BLOOMERY_RETURN_IF_ERROR(
      update.open(options.strict ? FilterUpdate::Way::kInMemory : FilterUpdate::Way::kInPlace));
  Removal removal;
  const NativeFilter& native = update.filter().native();
  KeyHasher hasher(native.hash_spec(), native.key_treatment(), options.keys.place());
  const Status read = remove_all(options, input, hasher, update.filter(), removal);
  if (options.strict) {
    if (!read) {
      return read.error();
    }
    if (removal.refused != 0) {
      warn("remove", fmt::format("refused: at least {} of the keys are certainly absent from {} (--strict); "
                                 "nothing was changed",
                                 show_count(removal.refused), options.filter));
      return static_cast<int>(kRefused);
    }
    if (stop) {
      warn("remove", "stopped; nothing was changed");
      return static_cast<int>(kInterrupted);
    }
  }
  BLOOMERY_RETURN_IF_ERROR(update.finish());
  if (options.summary.wanted_or_amiss(removal.refused) || stop || !read) {
    summarize_removal(options, update.filter(), removal, stop);
  }
  tell_of_keys("remove", hasher.tally(), options.keys.place(), telling(options.summary.declined()));
  if (!read) {
    return report("remove", read.error());
  }
  return static_cast<int>(stop ? kInterrupted : kDone);
}

}  // namespace

void add_remove_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("remove", kRemoveDescription);
  const auto options = std::make_shared<RemoveOptions>();
  verb->add_option("FILTER", options->filter, "the filter to remove from")->required();
  verb->add_flag("--strict", options->strict,
                 "change nothing if one of the keys is certainly absent (exit 4)");
  options->update.add_to(*verb);
  options->summary.add_to(*verb);
  options->dialect.add_to(*verb);
  options->keys.add_to(*verb);
  verb->add_option("FILE", options->files, "keys, one a line; none or - is standard input");
  verb->callback([options, &exit_status] {
    const Result<int> status = remove(*options);
    exit_status = status ? *status : report("remove", status.error());
  });
}

}  // namespace bloomery::cli
