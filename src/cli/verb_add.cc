// bloomery add: adds keys to an existing filter.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/file.h"
#include "bloomery/filter/any_filter.h"
#include "cli/add_dialect.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_update.h"
#include "cli/given_keys.h"
#include "cli/input_rules.h"
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

constexpr const char* kAddDescription =
    R"(Add keys to a filter that exists.

It is changed in place; one that may grow (quotient, scalable, still exact) is written anew as a whole, and so
is a filter of another system (--dialect), as that system would have left it.

  seq 1000 | bloomery build -o some.bloom -n 1e6 -p 1e-3 --force; seq 1001 2000 | bloomery add some.bloom
  bloomery add --strict some.bloom /etc/passwd

While it runs, others may query the filter, and other adds wait for their turn. A copy that is taken meanwhile
is of no use unless --atomic is given.

Ctrl-C ends the input early: what was read is in the filter, which stays whole. Power that fails
in the middle leaves the file marked dirty; --after-crash with the same input again mends it.)";

struct AddOptions {
  std::string filter;
  bool strict = false;
  UpdateChoice update;
  SummaryChoice summary;
  DialectChoice dialect;
  KeyOptions keys;
  InputRules rules;
  GivenKeys given;
  std::vector<std::string> files;
};

Status check_takes_keys(const AnyFilter& filter, const std::string& name) {
  if (filter.is_static()) {
    return Error::invalid_argument(
        name,
        fmt::format(
            "expected a filter that takes keys, found a {0}, which is static: build it again from all "
            "its keys (bloomery build -t {1} --force), or build a blocked one",
            filter.native().type() == FilterType::kRibbon ? "ribbon" : "fuse filter", filter.type_name()));
  }
  return {};
}

struct Added {
  std::uint64_t given = 0;
  std::uint64_t refused = 0;  // keys that a full filter that cannot grow refused
  KeyTally tally = {};
};

int finish(const AddOptions& options, FilterUpdate& update, const Added& added, const Status& read,
           bool stopped) {
  if (const Status finished = update.finish(); !finished) {
    return report("add", finished.error());
  }
  const AnyFilter& filter = update.filter();
  if (options.summary.wanted_or_amiss(InputRules::amiss(added.tally, options.keys)) || stopped || !read) {
    warn("add",
         fmt::format("{}{} added to {}, fpp {}", stopped ? "stopped early: " : "",
                     show_count_of(added.given - added.refused, "key"), options.filter, show_fpp(filter)));
  }
  tell_of_keys("add", added.tally, options.keys.place(), telling(options.summary.declined()));
  if (const std::uint64_t taken_back = filter.native().withdrawn_exceptions(); taken_back != 0) {
    warn("add",
         fmt::format("conflict: {} of the keys were exceptions, and are in now", show_count(taken_back)));
  }
  warn_over_capacity("add", filter);
  if (!read) {
    return report("add", or_a_key(read.error(), options.files));
  }
  if (added.refused != 0) {
    return report("add",
                  Error::capacity(options.filter, "expected room for every key, found it full: the last " +
                                                      show_count(added.refused) + " are not in"));
  }
  return stopped ? static_cast<int>(kInterrupted) : static_cast<int>(kDone);
}

// Adds the keys of an input.   Calls: add_all
//
// Keys are inserted while they are read, unless the input may still be refused (--strict, input_rules.h).
// Then their hashes are buffered, in memory or on disk, and the filter is opened for writing only when they
// are inserted.
class NativeAddition {
 public:
  NativeAddition(const AddOptions& options, FilterUpdate& update, const std::atomic<bool>& stop)
      : options_(options),
        update_(update),
        stop_(stop),
        room_(options.strict ? update.found().room() : ~std::uint64_t{0}),
        hasher_(update.found().native().hash_spec(), update.found().native().key_treatment(),
                options.keys.place(), KeyPurpose::kInsert),
        waiting_(log_of_waiting_hashes()) {}

  // Returns the exit status.
  Result<int> add_all() {
    if (!waits()) {
      BLOOMERY_RETURN_IF_ERROR(open());
    }
    InputFiles input(options_.files, options_.given.shape(options_.keys), &stop_);
    bool fits = true;
    const Status read = for_each_key_batch("add", input, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
      fits = !options_.strict || batch.hashes.size() <= room_ - waiting_.size();
      if (fits) {
        BLOOMERY_RETURN_IF_ERROR(take(batch.hashes));
      }
      return fits;
    });
    if (!fits || (options_.strict && (stop_ || !read))) {
      return read ? refuse(fits) : Result<int>(read.error());
    }
    const Status sound = options_.rules.check(hasher_.tally(), options_.keys);
    // The rules apply to complete inputs, so they are not checked if the input was interrupted or ended with
    // an error.
    if (!sound && read && !stop_ && !(hasher_.tally().taken == 0 && options_.update.accept_dirty)) {
      if (is_open_) {  // the file is marked as being updated, although nothing was inserted
        BLOOMERY_RETURN_IF_ERROR(update_.finish());
      }
      return sound.error();
    }
    if (sound) {
      BLOOMERY_RETURN_IF_ERROR(take_waiting());
    }
    BLOOMERY_RETURN_IF_ERROR(open());
    added_.tally = hasher_.tally();
    return finish(options_, update_, added_, read, stop_);
  }

 private:
  bool waits() const {
    return options_.strict || options_.rules.may_yet_refuse(hasher_.tally(), options_.keys);
  }

  Status open() {
    if (!is_open_) {
      BLOOMERY_RETURN_IF_ERROR(update_.open(FilterUpdate::Way::kInPlace));
      is_open_ = true;
    }
    return {};
  }

  Status take(std::span<const Hash128> hashes) {
    if (waits()) {
      return waiting_.append(hashes);
    }
    BLOOMERY_RETURN_IF_ERROR(take_waiting());
    return insert(hashes);
  }

  Status take_waiting() {
    if (std::exchange(waiting_are_taken_, true)) {
      return {};
    }
    return waiting_.for_each([this](std::span<const Hash128> hashes) { return insert(hashes); });
  }

  Status insert(std::span<const Hash128> hashes) {
    BLOOMERY_RETURN_IF_ERROR(open());
    added_.given += hashes.size();
    added_.refused += update_.filter().insert_batch(hashes);
    return {};
  }

  // Reports why --strict changed nothing.
  Result<int> refuse(bool fits) const {
    if (fits) {
      warn("add", "stopped; nothing was changed");
      return static_cast<int>(kInterrupted);
    }
    warn("add",
         fmt::format("refused: more keys than the {} for which {} has room (--strict); nothing was changed",
                     show_count(room_), options_.filter));
    return static_cast<int>(kRefused);
  }

  const AddOptions& options_;
  FilterUpdate& update_;
  const std::atomic<bool>& stop_;
  std::uint64_t room_;
  KeyHasher hasher_;
  HashLog waiting_;
  bool waiting_are_taken_ = false;
  bool is_open_ = false;
  Added added_;
};

Result<int> add(AddOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.rules.parse(options.keys));
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(options.given.check(options.keys));
  BLOOMERY_RETURN_IF_ERROR(check_not_swapped(options.filter, options.files));
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.filter, options.given.inputs(options.files)));
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> dialect,
                            options.dialect.of_file(options.filter));
  if (dialect) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.dialect.memory());
    return add_to_dialect({.path = options.filter,
                           .dialect = *dialect,
                           .memory = memory,
                           .strict = options.strict,
                           .wait = options.update.wait,
                           .summary = options.summary},
                          options.keys, options.rules, options.given, options.files);
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(FilterUpdate update,
                            FilterUpdate::begin("add", options.filter, options.keys, options.update, stop));
  BLOOMERY_RETURN_IF_ERROR(check_takes_keys(update.found(), options.filter));
  NativeAddition addition(options, update, stop);
  return addition.add_all();
}

}  // namespace

void add_add_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("add", kAddDescription);
  const auto options = std::make_shared<AddOptions>();
  verb->add_option("FILTER", options->filter, "the filter to add to")->required();
  verb->add_flag("--strict", options->strict,
                 "change nothing if the keys given exceed its capacity (exit 4)");
  options->update.add_to(*verb);
  verb->add_flag("--after-crash", options->update.accept_dirty,
                 "accept a filter that an interrupted add left dirty");
  options->given.add_to(*verb, "add");
  options->rules.add_to(*verb);
  options->summary.add_to(*verb);
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  options->keys.add_to(*verb);
  options->keys.add_cassandra_to(*verb);
  verb->add_option("FILE", options->files, "keys, one a line; none or - is standard input");
  verb->callback([options, &exit_status] {
    const Result<int> status = add(*options);
    exit_status = status ? *status : report("add", or_a_key(status.error(), options->files));
  });
}

}  // namespace bloomery::cli
