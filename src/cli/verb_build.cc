// bloomery build: makes a filter from files of keys.
#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "base/file.h"
#include "bloomery/filter/any_filter.h"
#include "cli/build_dialect.h"
#include "cli/build_options.h"
#include "cli/build_part.h"
#include "cli/build_partition.h"
#include "cli/build_resumable.h"
#include "cli/build_ribbon.h"
#include "cli/exception_list.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_choice.h"
#include "cli/key_options.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/quotient_growth.h"
#include "cli/secret_file.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "filter/native/native_access.h"
#include "filter/spool/hash_log.h"

namespace bloomery::cli {
namespace {

constexpr const char* kBuildDescription = R"(Turn keys, one a line, into a filter.

  seq 1000000 | bloomery build -o million.bloom         # -p 0.001 for as many keys as there are
  md5sum /etc/*.conf | bloomery build -o conf.bloom -n 1000 -p 1e-6 -k 1 -d ' ' --key-form hex --force
  cut -d: -f1 /etc/passwd > users.txt; bloomery build -o users.bloom -p 0.01 users.txt
  seq 1000000 | bloomery build -t ribbon -o million.ribbon -p 1e-4 --mem 256M     # static: the least bytes
  seq 1000 | bloomery build --dialect guava -o for_java.bf -n 1000 -p 0.01      # what Guava would write
  bloomery build -t ribbon --partition 4 -o here users.txt      # one machine of many: then --shards, merge
  bloomery build -t ribbon -o black.ribbon -p 0.01 --exceptions white.txt -- black.txt    # no to all of white.txt)";

// Refuses --tmp, --mem and --shards for types other than ribbon, which would ignore them.
Status check_no_ribbon_options(const BuildOptions& options, const FilterPlan& type, bool spools_stream) {
  if (!options.ranges.empty() || !options.work_directory.empty()) {
    return Error::invalid_argument(options.ranges.empty() ? "--resume" : "--partition",
                                   "expected only with -t ribbon, found with -t " + type.type_name());
  }
  if (!options.memory.empty() || !options.part.empty()) {
    return Error::invalid_argument("--mem, --shards",
                                   "expected only with -t ribbon, found with -t " + type.type_name());
  }
  if (!options.spool_directory.empty() && !options.has_exceptions() && !spools_stream) {
    return Error::invalid_argument(
        "--tmp", "expected only with -t ribbon or --exceptions, or without -n on a stream; found with -t " +
                     type.type_name());
  }
  return {};
}

Status check_exception_options(const BuildOptions& options) {
  if (options.members_win && !options.has_exceptions()) {
    return Error::invalid_argument("--members-win", "expected only with --exceptions");
  }
  BLOOMERY_RETURN_IF_ERROR(check_one_file_each("--exceptions", "exceptions", "members"));
  return check_one_standard_input("--exceptions", options.exception_files, options.files);
}

Status check_block_list(const BuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.keys.check_new());
  const KeyForm form = options.keys.treatment_for_new().form;
  if (!options.wish.questions.empty() && !is_block_list(form)) {
    return Error::invalid_argument("--questions",
                                   "expected with --cidr, --domain-suffix or --url-prefix, found without");
  }
  if (options.has_exceptions()) {
    BLOOMERY_RETURN_IF_ERROR(KeyOptions::refuse_block_list(
        form, "--exceptions", "an exception is one key, and a text asks for several"));
  }
  // --resume and --partition do not record the levels of the entries.
  if (!options.ranges.empty() || !options.work_directory.empty()) {
    BLOOMERY_RETURN_IF_ERROR(
        KeyOptions::refuse_block_list(form, options.ranges.empty() ? "--resume" : "--partition",
                                      "its levels are known only where all of its entries are read at once"));
  }
  if (options.wish.type == "windowed" && !KeyLevels::all_of(form).empty()) {
    return KeyOptions::refuse_block_list(form, "-t windowed",
                                         "it would forget at which levels there are entries");
  }
  return {};
}

Status check_output(const BuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.output, or_standard_input(options.files)));
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(options.output, options.exception_files));
  if (const std::string& named = options.keys.key_file(); !named.empty()) {
    return check_output_is_no_key_file(options.output, named);
  }
  return options.keyed && options.output != "-"
             ? check_output_is_no_key_file(options.output, key_file_of(options.output))
             : Status();
}

// The capacity of a scalable filter's first layer, without -n.
constexpr std::uint64_t kFirstCapacity = 10'000;

// Returns the capacity, or nothing if it is unknown until the keys of a stream are spooled and counted.
Result<std::optional<BuildCapacity>> capacity_for(const BuildOptions& options, const FilterPlan& type,
                                                  InputFiles& input) {
  if (options.count.empty()) {
    if (type.type == FilterType::kWindowed && type.options.window.kind == WindowKind::kCount) {
      return std::optional(BuildCapacity{.keys = type.options.window.length});
    }
    if (type.type == FilterType::kScalable && !input.can_rewind()) {
      return std::optional(BuildCapacity{.keys = kFirstCapacity, .from = BuildCapacity::From::kFirstLayer});
    }
  }
  return count_or_counted(options, input);
}

// Reads --exceptions and adds those that match to the filter. Returns false if some exceptions are members;
// these were printed.
Result<bool> add_listed_exceptions(const BuildOptions& options, ExceptionList& list, AnyFilter& filter) {
  KeyHasher hasher(filter.native().hash_spec(), filter.native().key_treatment(), options.keys.place());
  const bool exact = std::holds_alternative<ExactSet>(filter.variant());
  const auto ask = [&](std::span<const Hash128> hashes, std::span<std::uint64_t> answers) {
    filter.may_contain_batch(hashes, answers);
    // All are candidates, because the filter that replaces an exact set may match them.
    for (std::size_t i = 0; exact && i < hashes.size(); ++i) {
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

void summarize_build(const AnyFilter& filter, const std::string& assumed) {
  const NativeFilter& native = filter.native();
  if (const auto* const exact = std::get_if<ExactSet>(&filter.variant())) {
    warn("build", fmt::format("{} kept exactly in {}; above {} different ones they become {}, fpp {}{}",
                              show_count_of(exact->size(), "key"), show_bytes(native.byte_size()),
                              show_count(exact->plan().exact_below), exact->plan().type_name(),
                              show_target_fpp(filter), assumed));
    return;
  }
  const auto keys = static_cast<double>(std::max<std::uint64_t>(native.inserted(), 1));
  warn("build", fmt::format("{} into {} ({}), {:.2f} bits per key, k {}, fpp {}{}",
                            show_count_of(native.inserted(), "key"), show_bytes(native.byte_size()),
                            filter.type_name(), static_cast<double>(filter.bits()) / keys,
                            filter.hash_count(), show_fpp(filter), assumed));
}

// Builds a filter by inserting the keys in order.   Calls: make fill save
class NativeBuild {
 public:
  NativeBuild(const BuildOptions& options, const FilterPlan& type, const NewHash& hash,
              const std::string& spool)
      : options_(options),
        type_(type),
        hash_(hash),
        list_(options, spool, ~std::uint64_t{0}),
        waiting_(HashLog::create(FileSystem::real(), {.directory = spool, .memory_bytes = kWaitingMemory})),
        input_(options.files, options.keys.input_shape()),
        hasher_(hash.spec, options.keys.treatment_for_new(), options.keys.place(), KeyPurpose::kInsert) {}

  // Makes the empty filter. First reads all keys if their number is needed (a stream without -n), or the
  // levels of a block list.
  Status make() {
    const bool waits = waits_for_levels(options_);
    const bool spools = waits || (options_.count.empty() && !input_.can_rewind());
    BLOOMERY_RETURN_IF_ERROR(check_no_ribbon_options(options_, type_, spools));
    std::optional<BuildCapacity> capacity;
    if (!waits || !options_.count.empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(capacity, capacity_for(options_, type_, input_));
    }
    if (waits || !capacity) {
      BLOOMERY_ASSIGN_OR_RETURN(const BuildCapacity spooled, spool());
      capacity = capacity ? *capacity : spooled;
      is_spooled_ = true;
    }
    capacity_ = *capacity;
    const KeyTreatment keys = options_.keys.treatment_for_new();
    if (capacity_.from == BuildCapacity::From::kOption) {
      capacity_.keys += KeyLevels::all_of(keys.form).count();
    }
    BLOOMERY_ASSIGN_OR_RETURN(FilterPlan plan, sized(type_, capacity_.keys, options_.wish,
                                                     most_questions(keys.form, hasher_.levels())));
    plan.options.hash = hash_.spec;
    plan.options.keys = keys;
    BLOOMERY_ASSIGN_OR_RETURN(filter_, make_filter(plan));
    return filter_->native().set_metadata(options_.note);
  }

  // Inserts all keys. Returns the exit status: kRefused if --strict refuses the keys, kTrouble if some
  // exceptions are members. stderr says which.
  Result<int> fill() {
    BLOOMERY_ASSIGN_OR_RETURN(const bool fits, is_spooled_ ? insert_spooled() : insert_input());
    if (!fits) {
      warn("build", fmt::format("refused: more than the {} keys of -n (--strict); nothing was written",
                                show_count(capacity_.keys)));
      return static_cast<int>(kRefused);
    }
    BLOOMERY_RETURN_IF_ERROR(options_.rules.check(hasher_.tally(), options_.keys));
    if (options_.has_exceptions()) {
      BLOOMERY_ASSIGN_OR_RETURN(const bool added, add_listed_exceptions(options_, list_, *filter_));
      return static_cast<int>(added ? kDone : kTrouble);
    }
    return static_cast<int>(kDone);
  }

  Status save(const OutputFile& output) {
    const std::atomic<bool>& stop =
        catch_stop_signals();  // from here on, an interrupted save removes its temporary file
    NativeAccess::set_digest_bytes(filter_->native(), recorded_digest_bytes(options_, hasher_));
    BLOOMERY_RETURN_IF_ERROR(hash_.save_key());
    if (const Status written = output.write(filter_->native(), stop); !written) {
      hash_.remove_key(options_.output);
      return written;
    }
    if (options_.summary.wanted_or_amiss(InputRules::amiss(hasher_.tally(), options_.keys))) {
      summarize_build(*filter_, assumed(options_.wish, capacity_));
      if (const auto* const quotient = std::get_if<QuotientFilter>(&filter_->variant())) {
        warn("build", quotient_growth(quotient->shape(), capacity_.keys));
      }
    }
    if (options_.has_exceptions() && options_.summary.wanted_or_amiss(list_.members_among_them())) {
      warn("build", list_.summary());
    }
    tell_of_keys("build", hasher_.tally(), options_.keys.place(), telling(options_.summary.declined()));
    warn_over_capacity("build", *filter_);
    return {};
  }

 private:
  // Returns the log for the keys' hashes. With exceptions it is the log of the members, which are compared
  // with the list.
  HashLog& log() { return options_.has_exceptions() ? list_.members() : waiting_; }

  // Spools the hashes of all keys, and thereby counts the keys and their levels.
  Result<BuildCapacity> spool() {
    // So a wrong -p is found before a long stream is read.
    BLOOMERY_ASSIGN_OR_RETURN(const FilterPlan sample, sized(type_, kFirstCapacity, options_.wish));
    BLOOMERY_RETURN_IF_ERROR(planned_size(sample));
    BLOOMERY_RETURN_IF_ERROR(
        for_each_key_batch("build", input_, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
          BLOOMERY_RETURN_IF_ERROR(options_.has_exceptions() ? list_.note_members(batch, input_)
                                                             : waiting_.append(batch.hashes));
          return true;
        }));
    const bool entries = !hasher_.levels().empty();
    return BuildCapacity{.keys = log().size(),
                         .from = entries ? BuildCapacity::From::kEntries : BuildCapacity::From::kSpooled,
                         .spooled_bytes = log().disk_bytes()};
  }

  // Inserts hashes. Returns false if --strict refuses them.
  Result<bool> insert(std::span<const Hash128> hashes) {
    if (options_.strict && hashes.size() > filter_->room()) {
      return false;
    }
    if (filter_->insert_batch(hashes, Sharing::kExclusive) != 0) {
      return Error::capacity("-n", "expected about the number of keys, found so many more than " +
                                       show_count(capacity_.keys) + " that the filter is full");
    }
    return true;
  }

  Result<bool> insert_spooled() {
    log().rewind();
    for (;;) {
      BLOOMERY_ASSIGN_OR_RETURN(const HashBatch batch, log().next());
      if (batch.hashes.empty()) {
        return true;
      }
      BLOOMERY_ASSIGN_OR_RETURN(const bool fits, insert(batch.hashes));
      if (!fits) {
        return false;
      }
    }
  }

  Result<bool> insert_input() {
    bool fits = true;
    BLOOMERY_RETURN_IF_ERROR(
        for_each_key_batch("build", input_, hasher_, [&](const KeyBatch& batch) -> Result<bool> {
          BLOOMERY_ASSIGN_OR_RETURN(fits, insert(batch.hashes));
          if (fits && options_.has_exceptions()) {
            BLOOMERY_RETURN_IF_ERROR(list_.note_members(batch, input_));
          }
          return fits;
        }));
    return fits;
  }

  const BuildOptions& options_;
  FilterPlan type_;
  NewHash hash_;
  ExceptionList list_;
  HashLog waiting_;
  InputFiles input_;
  KeyHasher hasher_;
  BuildCapacity capacity_;
  bool is_spooled_ = false;  // log() has the hashes of all keys
  std::optional<AnyFilter> filter_;
};

Result<int> build(BuildOptions& options) {
  BLOOMERY_RETURN_IF_ERROR(options.rules.parse(options.keys));
  BLOOMERY_RETURN_IF_ERROR(options.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(check_block_list(options));
  BLOOMERY_RETURN_IF_ERROR(check_output(options));
  if (!options.dialect.given().empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(
        const OutputFile output,
        OutputFile::claim("build", options.output, options.force, options.wait, options.dialect.given()));
    return build_dialect_filter(options, output);
  }
  BLOOMERY_RETURN_IF_ERROR(options.keys.check_no_cassandra_key("one of ours"));
  BLOOMERY_ASSIGN_OR_RETURN(const FilterPlan type, planned_type(options.wish));
  BLOOMERY_RETURN_IF_ERROR(check_exception_options(options));
  if (type.type == FilterType::kRibbon && !options.ranges.empty()) {
    return build_partition(options);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const OutputFile output,
                            OutputFile::claim("build", options.output, options.force, options.wait));
  if (type.type == FilterType::kRibbon && !options.work_directory.empty()) {
    return build_resumable(options, output);
  }
  if (type.type == FilterType::kRibbon) {
    return builds_part(options) ? build_part(options, output) : build_ribbon(options, output);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const NewHash hash, new_hash(options));
  BLOOMERY_ASSIGN_OR_RETURN(const std::string spool, spool_directory(options));
  NativeBuild build(options, type, hash, spool);
  BLOOMERY_RETURN_IF_ERROR(build.make());
  BLOOMERY_ASSIGN_OR_RETURN(const int filled, build.fill());
  if (filled == kDone) {
    BLOOMERY_RETURN_IF_ERROR(build.save(output));
  }
  return filled;
}

// Suggests --tmp if it was not given and the default folder cannot hold the spool.
Error or_tmp(const Error& error, bool is_usual) {
  const std::string folder = usual_spool_directory();
  if (!is_usual || error.errno_value() == 0 || !error.subject().starts_with(folder + "/.bloomery-")) {
    return error;
  }
  return {error.code(), folder,
          error.detail() + " (a file for what memory does not hold; --tmp names another folder)"};
}

}  // namespace

void add_build_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("build", kBuildDescription);
  const auto options = std::make_shared<BuildOptions>();
  verb->add_option("-o,--output", options->output, "the filter to write; - is standard output")->required();
  verb->add_option(
          "-n,--capacity", options->count,
          "keys it is made for (default: all lines are counted, repeats too; those of a pipe are spooled)")
      ->check(refuse_empty);
  options->wish.add_to(*verb);
  options->dialect.add_to(*verb);
  verb->add_option("--exact-below", options->wish.exact_below,
                   "keep the keys exactly up to so many, and answer exactly; then they become the filter");
  verb->add_option(
      "--tmp", options->spool_directory,
      "where goes what memory does not hold: ribbons, exceptions, a pipe without -n (default: TMPDIR, else "
      "/tmp)");
  verb->add_option("--mem", options->memory,
                   "ribbon: memory to keep to, such as 512M (default 1G, least 64M)");
  verb->add_option("--shards", options->part,
                   "ribbon: I/N builds the I-th of N parts, from 1; merge joins them. -n is the whole's. Of "
                   "range files -n is not needed");
  verb->add_option("--partition", options->ranges,
                   "ribbon: sort the hashes into N range files in the folder -o, at most 256. --shards I/N "
                   "builds a part of those of all machines");
  verb->add_option(
          "--resume", options->work_directory,
          "ribbon: keep the work in the folder DIR while it lasts. After a kill the same command goes on")
      ->type_name("DIR");
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
  verb->add_flag(
      "--any-width", options->any_width,
      "hex: keys of any number of digits may follow (default: where all are digests of one width, those of "
      "another are refused from then on)");
  verb->add_option("--note", options->note, "free text to keep in the file");
  verb->add_flag("--force", options->force, "replace an existing filter, or an empty file");
  options->wait.add_to(*verb);
  verb->add_flag("--strict", options->strict, "refuse more than -n keys (exit 4)");
  options->rules.add_to(*verb);
  options->summary.add_to(*verb);
  options->keys.add_to(*verb);
  options->keys.add_cassandra_to(*verb);
  verb->add_option("FILE", options->files,
                   "keys, one a line; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
  verb->callback([options, &exit_status] {
    const Result<int> status = build(*options);
    exit_status =
        status ? *status : report("build", or_tmp(status.error(), options->spool_directory.empty()));
  });
}

}  // namespace bloomery::cli
