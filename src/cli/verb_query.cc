// bloomery query: prints the lines whose key may be in one of the filters, like grep.
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/bit_count.h"
#include "base/file.h"
#include "bloomery/filter/native_filter.h"
#include "cli/exit_status.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/open_key_filter.h"
#include "cli/query_hints.h"
#include "cli/query_options.h"
#include "cli/query_printer.h"
#include "cli/query_which.h"
#include "cli/redis_keys.h"
#include "cli/standard_streams.h"
#include "cli/verbs.h"
#include "query/any_of.h"

namespace bloomery::cli {
namespace {

constexpr const char* kQueryDescription =
    R"(Print the lines whose key may be in the filter: grep for sets that fit nowhere else.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 1e-4 --force; seq 990 2000 | bloomery query thousand.bloom
  seq 990 2000 | bloomery query -v thousand.bloom | wc -l      # certainly not in it
  bloomery query -q thousand.bloom /etc/passwd || echo none of them
  bloomery query --dialect guava users.bf names.txt          # a filter that Guava wrote
  bloomery query --dialect parquet:id --which *.parquet < ids.txt  # the row groups that may hold each id
  bloomery query --redis redis://host:6379 blacklist names.txt   # a filter that a Redis server has
  bloomery query thousand.bloom -e 990 -e 1001 --answers     # 1, then 0; as a coprocess it answers line by line
  seq 1001 1500 > white.txt; seq 990 2000 | bloomery query --allow white.txt thousand.bloom)";

// Reads --allow: keys that are known to be absent, whatever the filters answer.
Status read_allowed(const QueryOptions& options, AnyOf& filters) {
  if (options.allowed_files.empty()) {
    return {};
  }
  InputFiles input(options.allowed_files, options.keys.input_shape());
  std::vector<Hash128> all;
  const Status read = read_line_batches("query", input, [&](LineBatch& batch) -> Result<bool> {
    BLOOMERY_RETURN_IF_ERROR(
        in_file(filters.append_identities(batch, input.first_line(), all), input.current_name()));
    return true;
  });
  if (!options.quiet) {
    tell_of_input("query", input.notes());
  }
  if (read) {
    filters.allow(std::move(all));
  }
  return read;
}

Result<AnyOf> open_filters(const QueryOptions& options) {
  AnyOf filters(options.keys.place());
  const std::vector<std::string> names = options.filter_names();
  if (options.asks_server()) {
    BLOOMERY_ASSIGN_OR_RETURN(auto opened,
                              open_redis_keys(options.server, names, options.keys, filters.keys()));
    for (std::size_t i = 0; i < names.size(); ++i) {
      filters.add(names[i], std::move(opened[i]));
    }
  } else {
    for (const std::string& name : names) {
      BLOOMERY_ASSIGN_OR_RETURN(std::unique_ptr<KeyFilter> filter,
                                open_key_filter("query", name, options.dialect, options.keys,
                                                options.access_to(name), filters.keys()));
      filters.add(name, std::move(filter));
    }
  }
  BLOOMERY_RETURN_IF_ERROR(read_allowed(options, filters));
  return filters;
}

struct QueryCounts {
  std::uint64_t keys = 0;
  std::uint64_t maybe = 0;
};

// Queries the inputs batch by batch, and passes the answers to the printer.
class QueryRun {
 public:
  QueryRun(const QueryOptions& options, AnyOf& filters, QueryPrinter& printer)
      : options_(options), filters_(filters), printer_(printer) {}

  // Queries all inputs. notes() then describes their files.
  Status ask_all() {
    const std::vector<std::string> inputs = options_.inputs();
    BLOOMERY_RETURN_IF_ERROR(ask_given_keys());
    if (!options_.one_by_one()) {
      return ask_files(inputs);
    }
    for (const std::string& name : inputs) {
      BLOOMERY_RETURN_IF_ERROR(ask_files({name}));
    }
    return {};
  }

  const QueryCounts& counts() const { return counts_; }
  const InputNotes& notes() const { return notes_; }
  // Returns the letter case of the first keys if they are digests and letter case may explain why nothing
  // matched.
  std::optional<DigestCase> digests() const { return digests_; }
  // Returns the first 100 lines, or fewer, if keys are entire lines.
  std::span<const std::string> first_lines() const { return first_lines_; }

 private:
  // Queries the keys of -e as if they were lines of a file.
  Status ask_given_keys() {
    if (options_.given_keys.empty() || !printer_.wants_more()) {
      return {};
    }
    const std::string name = "-e";
    LineBatch batch;
    BLOOMERY_RETURN_IF_ERROR(fill_with_lines(options_.given_keys, options_.keys.line_delimiter(), batch));
    const Result<bool> asked = ask(batch, {.batch = batch, .name = name, .read_from = name, .first_line = 1});
    return asked ? printer_.end_input(name) : Status(asked.error());
  }

  Status ask_files(const std::vector<std::string>& files) {
    if (files.empty() || !printer_.wants_more()) {
      return {};
    }
    InputFiles input(files, options_.keys.input_shape());
    const std::string name = files.front() == "-" ? "(standard input)" : files.front();
    const Status read = read_line_batches("query", input, [&](LineBatch& batch) -> Result<bool> {
      return ask(batch, {.batch = batch,
                         .name = name,
                         .read_from = input.current_name(),
                         .first_line = input.first_line()});
    });
    notes_.add(input.notes());
    return read ? printer_.end_input(name) : read;
  }

  // Queries a batch and prints the results. `lines` refers to `batch`, from which skipped lines are dropped.
  Result<bool> ask(LineBatch& batch, const AskedLines& lines) {
    const Result<std::optional<Error>> bad =
        filters_.answer_up_to_bad_line(batch, lines.first_line, answers_);
    if (!bad) {
      return bad.error().in_file(lines.read_from);
    }
    BLOOMERY_RETURN_IF_ERROR(filters_.file_status());
    if (counts_.keys == 0 && filters_.are_plain_text()) {
      digests_ = digest_case(batch, options_.keys.place());
    }
    if (counts_.keys == 0 && !options_.keys.place().has_fields()) {
      constexpr std::size_t kMostFirstLines = 100;
      const std::size_t count = std::min(batch.lines.size(), kMostFirstLines);
      first_lines_.assign(batch.lines.begin(), batch.lines.begin() + static_cast<std::ptrdiff_t>(count));
    }
    counts_.keys += batch.lines.size();
    counts_.maybe += count_set_bits(answers_);
    BLOOMERY_ASSIGN_OR_RETURN(const bool more, printer_.print(lines, answers_));
    return more && *bad ? Result<bool>((*bad)->in_file(lines.read_from)) : more;
  }

  const QueryOptions& options_;
  AnyOf& filters_;
  QueryPrinter& printer_;
  QueryCounts counts_;
  InputNotes notes_;
  std::optional<DigestCase> digests_;
  std::vector<std::string> first_lines_;
  std::vector<std::uint64_t> answers_;
};

// Returns ", of one question F; Q questions a line, at most M" for a block list; empty for other filters.
std::string questions_of(const AnyOf& filters) {
  std::string text;
  for (const KeyFilter::QuestionFacts& facts : filters.questions()) {
    text += fmt::format(", of one question {}; {:.3g} questions a line, at most {}",
                        show_probability(facts.fpp_of_one), facts.mean, facts.most);
  }
  return text;
}

// Returns the part of the summary about write-ahead logs.
std::string log_keys_of(const AnyOf& filters) {
  const std::uint64_t keys = filters.log_keys();
  return keys == 0 ? std::string() : fmt::format("; keys in write-ahead logs: {}", show_count(keys));
}

void summarize_query(const AnyOf& filters, const QueryCounts& counts) {
  if (const std::string servers = filters.asked_servers(); !servers.empty()) {
    warn("query", fmt::format("{}, {} may be in, {} are not; asked {}", show_count_of(counts.keys, "key"),
                              show_count(counts.maybe), show_count(counts.keys - counts.maybe), servers));
    return;
  }
  const double fpp = filters.current_fpp();
  const auto absent = static_cast<double>(counts.keys - counts.maybe);
  const double wrong = fpp < 1 ? std::min(absent * fpp / (1 - fpp), static_cast<double>(counts.maybe))
                               : static_cast<double>(counts.maybe);
  warn("query",
       fmt::format("{}, {} may be in{}, {} are not; expected false positives: {}{:.3g} (fpp {}{}){}",
                   show_count_of(counts.keys, "key"), show_count(counts.maybe),
                   filters.forces_maybes()
                       ? fmt::format(" ({} of them forced)", show_count(filters.forced_maybes()))
                       : std::string(),
                   show_count(counts.keys - counts.maybe), filters.have_exceptions() ? "at most " : "", wrong,
                   show_probability(fpp), questions_of(filters), log_keys_of(filters)));
}

// Prints the probable reason if no line matched.
void tell_why_nothing(const QueryRun& run) {
  if (run.counts().maybe != 0 || run.counts().keys == 0) {
    return;
  }
  if (run.notes().keys_have_cr) {
    warn("query", "nothing matched; the keys of the filter may have no CR at their end (--crlf)");
  }
  if (run.digests()) {
    warn("query", digest_hint(*run.digests()));
  }
}

// If no line matched, prints which field of the lines does. It queries the filters again, so the counts must
// be printed before.
void tell_of_field(const QueryOptions& options, const QueryRun& run, AnyOf& filters) {
  if (run.counts().maybe != 0 || run.first_lines().empty() || options.asks_server()) {
    return;
  }
  std::vector<std::uint64_t> answers;
  const auto count_maybes = [&](LineBatch& batch) -> Result<std::uint64_t> {
    BLOOMERY_RETURN_IF_ERROR(filters.answer(batch, 1, answers));
    return count_set_bits(answers);
  };
  if (const auto hint = field_hint(
          run.first_lines(), [&] { return filters.current_fpp(); }, count_maybes)) {
    warn("query", *hint);
  }
}

Result<int> query(QueryOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.parse());
  if (options.which) {
    return query_which(options);
  }
  BLOOMERY_ASSIGN_OR_RETURN(AnyOf filters, open_filters(options));
  BLOOMERY_ASSIGN_OR_RETURN(QueryPrinter printer, QueryPrinter::open(options));
  QueryRun run(options, filters, printer);
  const Status asked = run.ask_all();
  if (!options.quiet) {
    tell_of_input("query", run.notes());
  }
  if (!asked) {
    (void)printer.flush();  // writes earlier answers; of two errors the first one is reported
    return asked.error();
  }
  BLOOMERY_RETURN_IF_ERROR(printer.finish());
  if (!options.quiet && options.summary.wanted()) {
    summarize_query(filters, run.counts());
  }
  if (!options.quiet && !options.summary.declined()) {
    tell_why_nothing(run);
  }
  if (!options.quiet) {
    tell_of_keys("query", filters.tally(), options.keys.place(), telling(options.summary.declined()));
  }
  BLOOMERY_RETURN_IF_ERROR(filters.status());
  if (!options.quiet && !options.summary.declined()) {
    tell_of_field(options, run, filters);
  }
  return static_cast<int>(printer.selected() > 0 ? kDone : kNothing);
}

}  // namespace

void add_query_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("query", kQueryDescription);
  const auto options = std::make_shared<QueryOptions>();
  options->add_to(*verb);
  verb->callback([options, &exit_status] {
    if (options->silent) {
      silence_standard_error();
    }
    const Result<int> status = query(*options);
    exit_status = status ? *status : report("query", status.error());
  });
}

}  // namespace bloomery::cli
