#include "cli/build_dialect.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "bloomery/dialects/dialects.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/stop_signal.h"
#include "keys/key_maker.h"

namespace bloomery::cli {
namespace {

Status check_no_options_of_ours(const BuildOptions& options) {
  const FilterWish& wish = options.wish;
  const std::array<std::pair<const char*, bool>, 13> given = {{
      {"-t", !wish.type.empty()},
      {"--window", !wish.window.empty()},
      {"--generations", !wish.generations.empty()},
      {"--exact-below", !wish.exact_below.empty()},
      {"--tmp", !options.spool_directory.empty()},
      {"--mem", !options.memory.empty()},
      {"--shards", !options.part.empty()},
      {"--exceptions", options.has_exceptions()},
      {"--members-win", options.members_win},
      {"--seed", options.seed != "0"},
      {"--keyed", options.keyed},
      {"--key-file", !options.keys.key_file().empty()},
      {"--note", !options.note.empty()},
  }};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      return Error::invalid_argument(name, "expected only with filters of ours: a file of the dialect " +
                                               options.dialect.given() + " keeps nothing of it");
    }
  }
  return {};
}

Result<DialectPlan> plan_for(const BuildOptions& options, SizedBy sized_by, InputFiles& input) {
  const FilterWish& wish = options.wish;
  DialectPlan plan;
  if (!options.count.empty() || sized_by == SizedBy::kCapacity) {
    BLOOMERY_ASSIGN_OR_RETURN(plan.capacity, count_or_counted(options, input));
  }
  if (options.strict && options.count.empty()) {
    return Error::invalid_argument("--strict", "expected with -n, which is what it refuses to exceed");
  }
  if (sized_by == SizedBy::kOption) {
    if (!wish.fpp.empty() || !wish.bits_per_key.empty()) {
      return Error::invalid_argument(
          "-p, --bits-per-key",
          "expected none: the size of a filter of " + options.dialect.given() + " is its option (--dialect)");
    }
    return plan;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const WishedSize size, wished_size(wish));
  plan.fpp = size.fpp;
  plan.bits_per_key = size.bits_per_key;
  return plan;
}

// Gives all keys to the builder, and counts them. Returns false if there are more than `most`.
Result<bool> add_all(InputFiles& input, KeyMaker& maker, DialectBuilder& builder, std::uint64_t most,
                     std::uint64_t& given) {
  bool fits = true;
  std::vector<std::string_view> keys;
  BLOOMERY_RETURN_IF_ERROR(for_each_line_batch("build", input, [&](LineBatch& batch) -> Result<bool> {
    if (const Status made = maker.make(batch, input.first_line(), keys); !made) {
      return made.error().in_file(input.current_name());
    }
    fits = keys.size() <= most - given;
    if (!fits) {
      return false;
    }
    given += keys.size();
    BLOOMERY_RETURN_IF_ERROR(builder.add(keys));
    return true;
  }));
  return fits;
}

Status write_to(const BuildOptions& options, const OutputFile& output, const DialectFilter& filter,
                const std::atomic<bool>& stop) {
  if (options.output != "-") {
    return filter.save(options.output, output.save_to(stop));
  }
  Output stream(STDOUT_FILENO);
  BLOOMERY_RETURN_IF_ERROR(filter.write([&stream](std::span<const std::byte> bytes) {
    return stream.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }));
  return stream.flush();
}

void summarize(const DialectFilter& filter, std::uint64_t keys) {
  const DialectFacts facts = filter.facts();
  const auto divisor = static_cast<double>(std::max<std::uint64_t>(keys, 1));
  warn("build",
       fmt::format("{} keys into {} bits ({}), {:.2f} bits per key, fpp {}", show_count(keys),
                   show_count(facts.bits), filter.dialect(), static_cast<double>(facts.bits) / divisor,
                   show_probability(filter.current_fpp())));
}

}  // namespace

Result<int> build_dialect_filter(const BuildOptions& options, const OutputFile& output) {
  const std::string& name = options.dialect.given();
  BLOOMERY_RETURN_IF_ERROR(check_no_options_of_ours(options));
  BLOOMERY_ASSIGN_OR_RETURN(const KeyTreatment treatment, options.keys.treatment_for_dialect(name));
  const std::optional<DialectDescription> known = describe_dialect(name);
  InputFiles input(options.files, options.keys.input_shape());
  BLOOMERY_ASSIGN_OR_RETURN(const DialectPlan plan,
                            plan_for(options, known ? known->sized_by : SizedBy::kKeys, input));
  Result<std::unique_ptr<DialectBuilder>> builder = build_dialect(name, plan);
  if (!builder) {
    return cannot_do(builder.error());
  }
  KeyMaker maker(treatment, options.keys.place());
  const std::uint64_t most = options.strict ? plan.capacity : ~std::uint64_t{0};
  std::uint64_t given = 0;
  BLOOMERY_ASSIGN_OR_RETURN(const bool fits, add_all(input, maker, **builder, most, given));
  if (!fits) {
    warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                              show_count(most)));
    return static_cast<int>(kRefused);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> filter, (*builder)->finish());
  const std::atomic<bool>& stop = catch_stop_signals();
  BLOOMERY_RETURN_IF_ERROR(write_to(options, output, *filter, stop));
  if (!options.no_summary) {
    summarize(*filter, given);
  }
  tell_of_keys("build", maker.tally(), options.keys.place(), telling(options.no_summary));
  warn_over_capacity("build", filter->facts());
  return static_cast<int>(kDone);
}

}  // namespace bloomery::cli
