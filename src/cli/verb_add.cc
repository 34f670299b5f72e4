// bloomery add: adds keys to an existing filter.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "cli/add_dialect.h"
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
  std::vector<std::string> files;
};

Status check_takes_keys(const AnyFilter& filter, const std::string& name) {
  if (filter.is_static()) {
    return Error::invalid_argument(
        name,
        "expected a filter that takes keys, found a ribbon, which is static: build it again from "
        "all its keys (bloomery build -t ribbon --force), or build a blocked one");
  }
  return {};
}

// For --strict: gathers all hashes before the first is inserted. Returns nothing if there are more than
// `room`.
Result<std::optional<std::vector<Hash128>>> gather(InputFiles& input, KeyHasher& hasher, std::uint64_t room) {
  std::vector<Hash128> all;
  bool fits = true;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_key_batch("add", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
        fits = batch.hashes.size() <= room - all.size();
        if (fits) {
          all.insert(all.end(), batch.hashes.begin(), batch.hashes.end());
        }
        return fits;
      }));
  return fits ? std::optional(std::move(all)) : std::nullopt;
}

struct Added {
  std::uint64_t given = 0;
  std::uint64_t refused = 0;  // keys that a filter refused because it is full and cannot grow
  KeyTally tally = {};
};

int finish(const AddOptions& options, FilterUpdate& update, const Added& added, const Status& read,
           bool stopped) {
  if (const Status finished = update.finish(); !finished) {
    return report("add", finished.error());
  }
  const AnyFilter& filter = update.filter();
  if (options.summary.wanted() || stopped || !read) {
    warn("add", fmt::format("{}{} keys added to {}, fpp {}", stopped ? "stopped early: " : "",
                            show_count(added.given - added.refused), options.filter, show_fpp(filter)));
  }
  tell_of_keys("add", added.tally, options.keys.place(), telling(options.summary.declined()));
  if (const std::uint64_t taken_back = filter.native().withdrawn_exceptions(); taken_back != 0) {
    warn("add",
         fmt::format("conflict: {} of the keys were exceptions, and are in now", show_count(taken_back)));
  }
  warn_over_capacity("add", filter);
  if (!read) {
    return report("add", read.error());
  }
  if (added.refused != 0) {
    return report("add",
                  Error::capacity(options.filter, "expected room for every key, found it full: the last " +
                                                      show_count(added.refused) + " are not in"));
  }
  return stopped ? static_cast<int>(kInterrupted) : static_cast<int>(kDone);
}

Result<int> add(AddOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.filter, or_standard_input(options.files)));
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
                          options.keys, options.files);
  }
  const std::atomic<bool>& stop = catch_stop_signals();
  InputFiles input(options.files, options.keys.input_shape(), &stop);
  std::optional<std::vector<Hash128>> gathered;
  BLOOMERY_ASSIGN_OR_RETURN(FilterUpdate update,
                            FilterUpdate::begin("add", options.filter, options.keys, options.update, stop));
  const NativeFilter& found = update.found().native();
  BLOOMERY_RETURN_IF_ERROR(check_takes_keys(update.found(), options.filter));
  KeyHasher hasher(found.hash_spec(), found.key_treatment(), options.keys.place(), KeyPurpose::kInsert);
  if (options.strict) {
    const std::uint64_t room = update.found().room();
    BLOOMERY_ASSIGN_OR_RETURN(gathered, gather(input, hasher, room));
    if (!gathered) {
      warn("add",
           fmt::format("refused: more keys than the {} for which {} has room (--strict); nothing was changed",
                       show_count(room), options.filter));
      return static_cast<int>(kRefused);
    }
    if (stop) {
      warn("add", "stopped; nothing was changed");
      return static_cast<int>(kInterrupted);
    }
  }
  BLOOMERY_RETURN_IF_ERROR(update.open(FilterUpdate::Way::kInPlace));
  Added added;
  const auto insert = [&](std::span<const Hash128> hashes) {
    added.given += hashes.size();
    added.refused += update.filter().insert_batch(hashes);
  };
  Status read;
  if (gathered) {
    insert(*gathered);
  } else {
    read = for_each_key_batch("add", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
      insert(batch.hashes);
      return true;
    });
  }
  added.tally = hasher.tally();
  return finish(options, update, added, read, stop);
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
  options->summary.add_to(*verb);
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  options->keys.add_to(*verb);
  options->keys.add_cassandra_to(*verb);
  verb->add_option("FILE", options->files, "keys, one a line; none or - is standard input");
  verb->callback([options, &exit_status] {
    const Result<int> status = add(*options);
    exit_status = status ? *status : report("add", status.error());
  });
}

}  // namespace bloomery::cli
