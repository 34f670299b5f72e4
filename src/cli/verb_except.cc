// bloomery except, bloomery report: make keys exceptions, to which a filter always answers no.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/exceptions.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/given_keys.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/lock_wait.h"
#include "cli/numbers.h"
#include "cli/secret_file.h"
#include "cli/stop_signal.h"
#include "cli/summary.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kExceptDescription =
    R"(Make keys that are not in the filter, and that it would answer maybe to, exceptions: answered no.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 0.01 --force
  seq 1001 99999 | bloomery except thousand.bloom; seq 1001 99999 | bloomery query -c thousand.bloom

Each one that matches takes 16 bytes; the others nothing. None may be a key of the filter, which it cannot
check: build --exceptions does. -- Keys added later may match keys given here: give them again then.
The filter is written anew, as a whole.)";

constexpr const char* kReportDescription =
    R"help(Make false positives that were found exceptions: answered no from now on.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 0.01 --force
  bloomery report thousand.bloom "$(seq 1001 9999 | bloomery query -m 1 thousand.bloom)"

A key of the filter must not be reported; it would be denied. For many keys at once there is except.)help";

struct ExceptOptions {
  std::string filter;
  LockWait wait;
  SummaryChoice summary;
  DialectChoice dialect;
  KeyOptions keys;
  GivenKeys given;
  std::vector<std::string> arguments;  // files or keys
};

// A filter and the lock of its file, which prevents changes until the file is replaced.
struct Locked {
  FileLock lock;
  AnyFilter filter;
};

Result<Locked> open_to_replace(const char* verb, ExceptOptions& options, const std::atomic<bool>& stop) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(options.dialect.refuse(
      options.filter,
      "it can have no exceptions, since its format keeps none and the system that reads it heeds none"));
  BLOOMERY_ASSIGN_OR_RETURN(FileLock lock, options.wait.take(verb, options.filter, &stop));
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, open_filter(options.filter, options.keys.key_file(),
                                                          {.access = Access::kMapLocked, .lock = &lock}));
  BLOOMERY_RETURN_IF_ERROR(options.keys.check_agrees_with(filter.native()));
  BLOOMERY_RETURN_IF_ERROR(KeyOptions::refuse_block_list(
      filter.native().key_treatment().form, options.filter,
      "an exception is one key, and a text asks for several; build it again without the entries"));
  BLOOMERY_RETURN_IF_ERROR(check_whole(filter, options.filter));
  return Locked{.lock = std::move(lock), .filter = std::move(filter)};
}

KeyHasher hasher_for(const ExceptOptions& options, const AnyFilter& filter) {
  return KeyHasher(filter.native().hash_spec(), filter.native().key_treatment(), options.keys.place());
}

int stopped_unchanged(const char* verb) {
  warn(verb, "stopped; nothing was changed");
  return kInterrupted;
}

struct ExceptedKeys {
  std::uint64_t keys;
  KeyTally tally;
};

// Adds keys to which the filter answers maybe as exceptions, and saves the filter over its file.
Result<int> add_and_save(const char* verb, const ExceptOptions& options, AnyFilter& filter,
                         const ExceptedKeys& given, const std::vector<Hash128>& matching,
                         const std::atomic<bool>& stop) {
  if (stop) {
    return stopped_unchanged(verb);
  }
  BLOOMERY_RETURN_IF_ERROR(in_file(filter.status(), options.filter));
  const std::uint64_t before = filter.native().exception_count();
  if (!matching.empty()) {
    BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(matching));
    const Status saved = filter.native().save(options.filter, {.replace = true, .cancelled = &stop});
    if (!saved) {
      return stop ? stopped_unchanged(verb) : Result<int>(saved.error());
    }
  }
  if (options.summary.wanted_or_amiss(given.tally.bad)) {
    const std::uint64_t now = filter.native().exception_count();
    warn(verb, fmt::format("{} given, {} would have matched and are exceptions now; {} in all",
                           show_count_of(given.keys, "key"), show_count(now - before), show_count(now)));
  }
  tell_of_keys(verb, given.tally, options.keys.place(), telling(options.summary.declined()));
  return static_cast<int>(kDone);
}

Result<int> except(ExceptOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_not_swapped(options.filter, options.arguments));
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.filter, options.given.inputs(options.arguments)));
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(Locked locked, open_to_replace("except", options, stop));
  AnyFilter& filter = locked.filter;
  BLOOMERY_RETURN_IF_ERROR(options.given.check(options.keys));
  InputFiles input(options.arguments, options.given.shape(options.keys), &stop);
  KeyHasher hasher = hasher_for(options, filter);
  std::uint64_t given = 0;
  std::vector<Hash128> matching;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_key_batch("except", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
        append_matching(filter, batch.hashes, matching);
        given += batch.hashes.size();
        return true;
      }));
  return add_and_save("except", options, filter, {.keys = given, .tally = hasher.tally()}, matching, stop);
}

Result<int> report_keys(ExceptOptions& options) {
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_ASSIGN_OR_RETURN(Locked locked, open_to_replace("report", options, stop));
  AnyFilter& filter = locked.filter;
  if (options.keys.place().has_header() || options.keys.place().may_skip()) {
    return Error::invalid_argument("--header, --missing skip, --skip-bad-lines, --comments",
                                   "expected none of them: every KEY is wanted, and none is a header");
  }
  const std::vector<std::string_view> keys(options.arguments.begin(), options.arguments.end());
  std::vector<Hash128> hashes;
  KeyHasher hasher = hasher_for(options, filter);
  if (const Status hashed = hasher.hash(keys, 1, hashes); !hashed) {
    return hashed.error().in_file("KEY");
  }
  std::vector<Hash128> matching;
  append_matching(filter, hashes, matching);
  return add_and_save("report", options, filter, {.keys = keys.size(), .tally = hasher.tally()}, matching,
                      stop);
}

std::shared_ptr<ExceptOptions> add_common(CLI::App& verb) {
  auto options = std::make_shared<ExceptOptions>();
  verb.add_option("FILTER", options->filter, "the filter to correct")->required();
  options->wait.add_to(verb);
  options->summary.add_to(verb);
  options->dialect.add_to(verb);
  options->keys.add_to(verb);
  return options;
}

}  // namespace

void add_except_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("except", kExceptDescription);
  const auto options = add_common(*verb);
  options->given.add_to(*verb, "except");
  verb->add_option("FILE", options->arguments, "keys, one a line; none or - is standard input");
  verb->callback([options, &exit_status] {
    const Result<int> status = except(*options);
    exit_status = status ? *status : report("except", or_a_key(status.error(), options->arguments));
  });
}

void add_report_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("report", kReportDescription);
  const auto options = add_common(*verb);
  verb->add_option("KEY", options->arguments, "a key that is not in it, as a line would have it")->required();
  verb->callback([options, &exit_status] {
    const Result<int> status = report_keys(*options);
    exit_status = status ? *status : report("report", status.error());
  });
}

}  // namespace bloomery::cli
