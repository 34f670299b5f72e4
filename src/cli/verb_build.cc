// bloomery build: makes a filter from a file of keys.
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <unistd.h>

#include "bloomery/filter/any_filter.h"
#include "cli/build_dialect.h"
#include "cli/build_options.h"
#include "cli/build_ribbon.h"
#include "cli/exception_list.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_choice.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription = R"(Turn keys, one a line, into a filter.

  seq 1000000 | bloomery build -o million.bloom -n 1e6 -p 1e-3
  md5sum /etc/*.conf | bloomery build -o conf.bloom -n 1000 -p 1e-6 -k 1 -d ' ' --key-form hex --force
  cut -d: -f1 /etc/passwd > users.txt; bloomery build -o users.bloom -p 0.01 users.txt
  seq 1000000 | bloomery build -t ribbon -o million.ribbon -p 1e-4 --mem 256M     # static: the least bytes
  seq 1000 | bloomery build --dialect guava -o for_java.bf -n 1000 -p 0.01      # what Guava would write
  bloomery build -t ribbon -o black.ribbon -p 0.01 --exceptions white.txt -- black.txt    # no to all of white.txt)";

using Options = BuildOptions;

// Refuses --tmp, --mem and --shards for types other than ribbon, which would ignore them.
Status check_no_ribbon_options(const Options& options, const FilterPlan& type) {
  if (!options.memory.empty() || !options.part.empty()) {
    return Error::invalid_argument("--mem, --shards",
                                   "expected only with -t ribbon, found with -t " + type.type_name());
  }
  if (!options.spool_directory.empty() && !options.has_exceptions()) {
    return Error::invalid_argument(
        "--tmp", "expected only with -t ribbon or --exceptions, found with -t " + type.type_name());
  }
  return {};
}

Status check_exception_options(const Options& options) {
  if (options.members_win && !options.has_exceptions()) {
    return Error::invalid_argument("--members-win", "expected only with --exceptions");
  }
  BLOOMERY_RETURN_IF_ERROR(check_one_file_each("--exceptions", "exceptions", "members"));
  return check_one_standard_input("--exceptions", options.exception_files, options.files);
}

Status check_output(const Options& options) {
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.output, or_standard_input(options.files)));
  return check_output_is_no_input(options.output, options.exception_files);
}

// The capacity of a scalable filter's first layer if nobody says how many keys there will be.
constexpr std::uint64_t kFirstCapacity = 10'000;

Result<std::uint64_t> capacity_for(const Options& options, const FilterPlan& type, InputFiles& input) {
  if (options.count.empty()) {
    if (type.type == FilterType::kWindowed && type.options.window.kind == WindowKind::kCount) {
      return type.options.window.length;
    }
    if (type.type == FilterType::kScalable && !input.can_rewind()) {
      return kFirstCapacity;
    }
  }
  return count_or_counted(options, input);
}

// Reads --exceptions and gives the filter those that it matches. Returns false if some are members; they were
// named.
Result<bool> add_exceptions(const Options& options, ExceptionList& list, AnyFilter& filter) {
  KeyHasher hasher(filter.native().hash_spec(), filter.native().key_treatment(), options.keys.place());
  const bool exact = std::holds_alternative<ExactSet>(filter.variant());
  const auto ask = [&](std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
    filter.may_contain_batch(hashes, answers);
    for (std::size_t i = 0; exact && i < hashes.size(); ++i) {  // the later filter may match any of them
      answers[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  };
  BLOOMERY_RETURN_IF_ERROR(list.read_list(hasher, ask, nullptr));
  BLOOMERY_RETURN_IF_ERROR(list.meet_members());
  BLOOMERY_ASSIGN_OR_RETURN(const bool settled, list.settle());
  if (settled) {
    BLOOMERY_RETURN_IF_ERROR(filter.add_as_exceptions(list.candidates().exceptions()));
  }
  return settled;
}

void summarize(const AnyFilter& filter) {
  const NativeFilter& native = filter.native();
  if (const auto* const exact = std::get_if<ExactSet>(&filter.variant())) {
    warn("build", fmt::format("{} keys kept exactly in {}; above {} different ones they become {}, fpp {}",
                              show_count(exact->size()), show_bytes(native.byte_size()),
                              show_count(exact->plan().exact_below), exact->plan().type_name(),
                              show_probability(native.target_fpp())));
    return;
  }
  const auto keys = static_cast<double>(std::max<std::uint64_t>(native.inserted(), 1));
  warn("build", fmt::format("{} keys into {} ({}), {:.2f} bits per key, k {}, fpp {} (asked {})",
                            show_count(native.inserted()), show_bytes(native.byte_size()), filter.type_name(),
                            static_cast<double>(filter.bits()) / keys, filter.hash_count(),
                            show_probability(filter.current_fpp()), show_probability(native.target_fpp())));
}

Result<int> build(Options& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(check_output(options));
  if (!options.dialect.given().empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(const OutputFile output, OutputFile::claim(options.output, options.force));
    return build_dialect_filter(options, output);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const FilterPlan type, planned_type(options.wish));
  BLOOMERY_RETURN_IF_ERROR(check_exception_options(options));
  BLOOMERY_ASSIGN_OR_RETURN(const OutputFile output, OutputFile::claim(options.output, options.force));
  if (type.type == FilterType::kRibbon) {
    return build_ribbon(options, output);
  }
  BLOOMERY_RETURN_IF_ERROR(check_no_ribbon_options(options, type));
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(options));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string spool, spool_directory(options));
  ExceptionList list(options, spool, ~std::uint64_t{0});
  InputFiles input(options.files, options.keys.input_shape());
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t capacity, capacity_for(options, type, input));
  BLOOMERY_ASSIGN_OR_RETURN(FilterPlan plan, sized(type, capacity, options.wish));
  plan.options.hash = hash.spec;
  plan.options.keys = options.keys.treatment_for_new();
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, make_filter(plan));
  BLOOMERY_RETURN_IF_ERROR(filter.native().set_metadata(options.note));

  KeyHasher hasher(filter.native().hash_spec(), filter.native().key_treatment(), options.keys.place());
  bool full = false;
  BLOOMERY_RETURN_IF_ERROR(
      for_each_key_batch("build", input, hasher, [&](const KeyBatch& batch) -> Result<bool> {
        full = options.strict && batch.hashes.size() > filter.room();
        if (!full && filter.insert_batch(batch.hashes, Sharing::kExclusive) != 0) {
          return Error::capacity("-n", "expected about the number of keys, found so many more than " +
                                           show_count(capacity) + " that the filter is full");
        }
        if (!full && options.has_exceptions()) {
          BLOOMERY_RETURN_IF_ERROR(list.note_members(batch, input));
        }
        return !full;
      }));
  if (full) {
    warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                              show_count(capacity)));
    return static_cast<int>(kRefused);
  }
  if (options.has_exceptions()) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool added, add_exceptions(options, list, filter));
    if (!added) {
      return static_cast<int>(kTrouble);
    }
  }
  const std::atomic<bool>& stop =
      catch_stop_signals();  // from here on, Ctrl-C must not leave a temporary file behind
  BLOOMERY_RETURN_IF_ERROR(hash.save_key());
  if (const Status written = write_filter(options, output, filter.native(), stop); !written) {
    hash.remove_key(options.output);
    return written.error();
  }
  if (!options.no_summary) {
    summarize(filter);
    if (options.has_exceptions()) {
      warn("build", list.summary());
    }
  }
  tell_of_keys("build", hasher.tally(), options.keys.place(), telling(options.no_summary));
  warn_over_capacity("build", filter);
  return static_cast<int>(kDone);
}

}  // namespace

void add_build_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("build", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("-o,--output", options->output, "the filter to write; - is standard output")->required();
  verb->add_option(
      "-n,--capacity", options->count,
      "keys it is made for (default: all lines are counted, repeats too, when the input is a file)");
  options->wish.add_to(*verb);
  options->dialect.add_to(*verb);
  verb->add_option("--exact-below", options->wish.exact_below,
                   "keep the keys exactly up to so many, and answer exactly; then they become the filter");
  verb->add_option(
      "--tmp", options->spool_directory,
      "where goes what memory does not hold, of ribbons and exceptions (default: TMPDIR, else /tmp)");
  verb->add_option("--mem", options->memory,
                   "ribbon: memory to keep to, such as 512M (default 1G, least 64M)");
  verb->add_option("--shards", options->part,
                   "ribbon: I/N builds the I-th of N parts, from 1; merge joins them. -n is the whole's");
  verb->add_option("--exceptions", options->exception_files,
                   "one file of keys that must never be answered maybe, may be given again; refused if one "
                   "is in (exit 2)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb->add_flag("--members-win", options->members_win,
                 "build even so: exceptions that are in stay in, and are counted");
  verb->add_option("--seed", options->seed, "of the hash (default 0)");
  verb->add_flag(
      "--keyed", options->keyed,
      "hash under a fresh secret, kept in FILTER.key (or --key-file), against keys chosen by strangers");
  verb->add_option("--note", options->note, "free text to keep in the file");
  verb->add_flag("--force", options->force, "replace an existing file");
  verb->add_flag("--strict", options->strict, "refuse more than -n keys (exit 4)");
  verb->add_flag("--no-summary", options->no_summary, "no closing line on stderr");
  options->keys.add_to(*verb);
  verb->add_option("FILE", options->files,
                   "keys, one a line; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
  verb->callback([options, &exit_status] {
    const Result<int> status = build(*options);
    exit_status = status ? *status : report("build", status.error());
  });
}

}  // namespace bloomery::cli
