// bloomery fpp: measures a filter's false positive rate with keys that are known to be absent.
#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/key_input.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/open_key_filter.h"
#include "cli/verbs.h"
#include "query/batch_keys.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFppDescription =
    R"(Measure the false-positive rate over keys that are known to be absent.

  seq 1e6 > present; seq 2e6 4e6 > absent; bloomery build -o present.bloom -p 1e-3 present; bloomery fpp present.bloom --absent absent)";

struct FppOptions {
  std::string filter;
  std::vector<std::string> absent;
  DialectChoice dialect;
  KeyOptions keys;
  bool json = false;
};

struct ConfidenceInterval {
  double low;
  double high;
};

// Returns Wilson's 99.9 % score interval for `hits` in `trials` (Wilson 1927).
ConfidenceInterval confidence_interval(double hits, double trials) {
  constexpr double kZ = 3.290526731491894;  // quantile of the normal distribution for two-sided 99.9 %
  const double rate = hits / trials;
  const double shrink = 1 + kZ * kZ / trials;
  const double centre = (rate + kZ * kZ / (2 * trials)) / shrink;
  const double half = kZ / shrink * std::sqrt(rate * (1 - rate) / trials + kZ * kZ / (4 * trials * trials));
  // With no hit the lower end is exactly 0, with only hits the upper end is exactly 1. Rounding errors would
  // leave 1e-21.
  return {.low = hits == 0 ? 0.0 : std::max(centre - half, 0.0),
          .high = hits == trials ? 1.0 : std::min(centre + half, 1.0)};
}

struct Measured {
  std::uint64_t keys = 0;
  std::uint64_t hits = 0;

  double fpp() const { return static_cast<double>(hits) / static_cast<double>(keys); }
  ConfidenceInterval interval() const {
    return confidence_interval(static_cast<double>(hits), static_cast<double>(keys));
  }
};

void print_measured_text(const Measured& measured, const KeyFilter& filter, const BatchKeys& keys) {
  const auto [low, high] = measured.interval();
  fmt::print("absent keys      {}\n", show_count(measured.keys));
  fmt::print("false positives  {}\n", show_count(measured.hits));
  fmt::print("measured fpp     {}\n", show_probability(measured.fpp()));
  fmt::print("99.9 % interval  {} to {}\n", show_probability(low), show_probability(high));
  fmt::print("predicted fpp    {} ({})\n", show_probability(filter.current_fpp(keys)),
             filter.is_static() ? "as it was built" : "from the fill");
  if (filter.target_fpp() && filter.capacity()) {
    fmt::print("target fpp       {} (at {} keys)\n", show_probability(*filter.target_fpp()),
               show_count(*filter.capacity()));
  }
  if (const std::optional<KeyFilter::QuestionFacts> facts = filter.questions(keys)) {
    fmt::print("questions        {:.3g} a line, at most {}\n", facts->mean, facts->most);
    fmt::print("fpp of one       {}\n", show_probability(facts->fpp_of_one));
  }
}

void print_measured_json(const Measured& measured, const KeyFilter& filter, const BatchKeys& keys) {
  const auto [low, high] = measured.interval();
  nlohmann::ordered_json object = {{"absent_keys", measured.keys},
                                   {"false_positives", measured.hits},
                                   {"measured_fpp", measured.fpp()},
                                   {"interval_999", {low, high}},
                                   {"predicted_fpp", filter.current_fpp(keys)}};
  if (filter.target_fpp() && filter.capacity()) {
    object["target_fpp"] = *filter.target_fpp();
    object["capacity"] = *filter.capacity();
  }
  if (const std::optional<KeyFilter::QuestionFacts> facts = filter.questions(keys)) {
    object["questions"] = facts->mean;
    object["most_questions"] = facts->most;
    object["fpp_of_one"] = facts->fpp_of_one;
  }
  fmt::print("{}\n", object.dump(2));
}

Status measure(FppOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BatchKeys batch_keys(options.keys.place());
  BLOOMERY_ASSIGN_OR_RETURN(
      const std::unique_ptr<KeyFilter> filter,
      open_key_filter("fpp", options.filter, options.dialect, options.keys, {}, batch_keys));
  InputFiles input(options.absent, options.keys.input_shape());
  std::uint64_t keys = 0;
  std::uint64_t hits = 0;
  std::vector<std::uint64_t> answers;
  BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("fpp", input, [&](LineBatch& batch) -> Result<bool> {
    if (const Status begun = batch_keys.begin(batch, input.first_line()); !begun) {
      return begun.error().in_file(input.current_name());
    }
    answers.resize(answer_words(batch.lines.size()));
    if (const Status asked = filter->answer(batch_keys, answers); !asked) {
      return asked.error().in_file(input.current_name());
    }
    for (const std::uint64_t word : answers) {
      hits += static_cast<std::uint64_t>(std::popcount(word));
    }
    keys += batch.lines.size();
    return true;
  }));
  if (const Status whole = filter->file_status(); !whole) {
    return whole.error().in_file(options.filter);
  }
  if (const Status sound = filter->status(); !sound) {
    return sound.error().in_file(options.filter);
  }
  if (keys == 0) {
    return Error::invalid_argument("--absent", "expected at least one key, found none");
  }
  tell_of_keys("fpp", batch_keys.tally(), options.keys.place(), Telling::kAll);
  (options.json ? print_measured_json : print_measured_text)({.keys = keys, .hits = hits}, *filter,
                                                             batch_keys);
  return {};
}

}  // namespace

void add_fpp_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("fpp", kFppDescription);
  const auto options = std::make_shared<FppOptions>();
  verb->add_option("FILTER", options->filter, "the filter to measure")->required();
  verb->add_option("--absent", options->absent,
                   "one file of keys that are not in it, may be given again; - is standard input")
      ->type_name("FILE")
      ->required()
      ->allow_extra_args(false);
  verb->add_flag("--json", options->json, "print one JSON object");
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  options->dialect.add_database_to(*verb);
  options->keys.add_to(*verb);
  options->keys.add_cassandra_to(*verb);
  verb->callback([options, &exit_status] {
    const Status status = measure(*options);
    exit_status = status ? static_cast<int>(kDone) : report("fpp", status.error());
  });
}

}  // namespace bloomery::cli
