// bloomery build: makes a filter from files of keys.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_levels.h"
#include "cli/build_partition.h"
#include "cli/build_plan.h"
#include "cli/builders.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/filter_choice.h"
#include "cli/numbers.h"
#include "cli/option_parser.h"
#include "cli/secret_file.h"
#include "cli/verbs.h"
#include "filter/spool/range_files.h"
#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

// The options of `build`, and the BuildPlan made from them.
class BuildOptions {
 public:
  void add_to(CLI::App& verb);

  // Parses the options. Errors: kInvalidArgument for a wrong number, and for options that contradict each
  // other, the type of the filter, or the dialect.
  Result<BuildPlan> plan();

 private:
  void add_static_to(CLI::App& verb);
  void add_exceptions_to(CLI::App& verb);
  void add_hash_to(CLI::App& verb);
  Status check_block_list() const;
  Status check_output() const;
  Status check_no_options_of_ours() const;
  Status check_no_static_options() const;
  Status check_exceptions() const;
  Status parse_static_options();
  Result<std::uint64_t> parse_memory() const;
  Status check_spool_directory() const;

  BuildPlan plan_;  // has the options that need no parsing
  FilterWish wish_;
  DialectChoice dialect_;
  std::string seed_ = "0";
  std::string spool_directory_;
  std::string memory_;
  std::string part_;
  std::string ranges_;
};

Result<PartChoice> parse_part(std::string_view text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  const auto part = number_from_text<std::uint32_t>(text.substr(0, slash));
  const auto parts = number_from_text<std::uint32_t>(text.substr(std::min(slash + 1, text.size())));
  if (!part || !parts || *part == 0 || *part > *parts) {
    return Error::invalid_argument(
        "--shards", "expected I/N with I from 1 to N, such as 2/8, found '" + std::string(text) + "'");
  }
  return PartChoice{.part = *part, .parts = *parts};
}

Result<std::uint32_t> parse_ranges(const std::string& text) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t ranges, parse_count("--partition", text));
  if (ranges == 0 || ranges > kMaxRanges) {
    return Error::invalid_argument("--partition",
                                   "expected 1 to " + std::to_string(kMaxRanges) + " files, found " + text);
  }
  return static_cast<std::uint32_t>(ranges);
}

void BuildOptions::add_to(CLI::App& verb) {
  verb.add_option("-o,--output", plan_.output, "the filter to write; - is standard output")->required();
  wish_.add_to(
      verb, "keys it is made for (default: all lines are counted, repeats too; those of a pipe are spooled)");
  dialect_.add_to(verb);
  verb.add_option("--exact-below", wish_.exact_below,
                  "keep the keys exactly up to so many, and answer exactly; then they become the filter");
  verb.add_option(
      "--tmp", spool_directory_,
      "where goes what memory does not hold: ribbons, exceptions, a pipe without -n (default: TMPDIR, else "
      "/tmp)");
  add_static_to(verb);
  add_exceptions_to(verb);
  add_hash_to(verb);
  verb.add_option("--note", plan_.note, "free text to keep in the file");
  verb.add_flag("--force", plan_.force, "replace an existing filter, or an empty file");
  plan_.wait.add_to(verb);
  verb.add_flag("--strict", plan_.strict, "refuse more than -n keys (exit 4)");
  plan_.rules.add_to(verb);
  plan_.summary.add_to(verb);
  plan_.keys.add_to(verb);
  plan_.keys.add_cassandra_to(verb);
  verb.add_option("FILE", plan_.files,
                  "keys, one a line; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
}

void BuildOptions::add_static_to(CLI::App& verb) {
  verb.add_option("--mem", memory_,
                  "ribbon, fuse: memory to keep to, such as 512M (default 1G, least 64M, fuse 128M)");
  verb.add_option(
      "--shards", part_,
      "ribbon, fuse: I/N builds the I-th of N parts, from 1; merge joins them. -n is the whole's. Of "
      "range files -n is not needed");
  verb.add_option(
      "--partition", ranges_,
      "ribbon, fuse: sort the hashes into N range files in the folder -o, at most 256. --shards I/N "
      "builds a part of those of all machines");
  verb.add_option("--resume", plan_.work_directory,
                  "ribbon, fuse: keep the work in the folder DIR while it lasts. After a kill the same "
                  "command goes on")
      ->type_name("DIR");
}

void BuildOptions::add_exceptions_to(CLI::App& verb) {
  verb.add_option("--exceptions", plan_.exception_files,
                  "one file of keys that must never be answered maybe, may be given again; refused if one "
                  "is in (exit 2)")
      ->type_name("FILE")
      ->allow_extra_args(false);
  verb.add_flag("--members-win", plan_.members_win,
                "build even so: exceptions that are in stay in, and are counted");
}

void BuildOptions::add_hash_to(CLI::App& verb) {
  verb.add_option("--seed", seed_, "of the hash (default 0)");
  verb.add_flag(
      "--keyed", plan_.keyed,
      "hash under a fresh secret, kept in FILTER.key (or --key-file), against keys chosen by strangers");
  verb.add_flag(
      "--any-width", plan_.any_width,
      "hex: keys of any number of digits may follow (default: where all are digests of one width, those of "
      "another are refused from then on)");
}

Result<BuildPlan> BuildOptions::plan() {
  BLOOMERY_RETURN_IF_ERROR(plan_.rules.parse(plan_.keys));
  BLOOMERY_RETURN_IF_ERROR(plan_.keys.parse());
  BLOOMERY_RETURN_IF_ERROR(check_block_list());
  BLOOMERY_RETURN_IF_ERROR(check_output());
  plan_.dialect = dialect_.given();
  if (plan_.dialect.empty()) {
    BLOOMERY_RETURN_IF_ERROR(plan_.keys.check_no_cassandra_key("one of ours"));
  } else {
    BLOOMERY_RETURN_IF_ERROR(check_no_options_of_ours());
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan_.filter, wish_.parse());
  BLOOMERY_RETURN_IF_ERROR(check_exceptions());
  if (is_static_type(plan_.filter.type.type)) {
    BLOOMERY_RETURN_IF_ERROR(parse_static_options());
  } else {
    BLOOMERY_RETURN_IF_ERROR(check_no_static_options());
  }
  BLOOMERY_ASSIGN_OR_RETURN(plan_.seed, parse_count("--seed", seed_));
  if (!spool_directory_.empty()) {  // the default is not checked, because it may never be used
    BLOOMERY_RETURN_IF_ERROR(check_spool_directory());
    plan_.spool_directory = spool_directory_;
    plan_.names_spool_directory = true;
  }
  return plan_;
}

Status BuildOptions::check_block_list() const {
  BLOOMERY_RETURN_IF_ERROR(plan_.keys.check_new());
  const KeyForm form = plan_.keys.treatment_for_new().form;
  if (!wish_.questions.empty() && !is_block_list(form)) {
    return Error::invalid_argument("--questions",
                                   "expected with --cidr, --domain-suffix or --url-prefix, found without");
  }
  if (plan_.has_exceptions()) {
    BLOOMERY_RETURN_IF_ERROR(KeyOptions::refuse_block_list(
        form, "--exceptions", "an exception is one key, and a text asks for several"));
  }
  // --resume and --partition do not record the levels of the entries.
  if (!ranges_.empty() || !plan_.work_directory.empty()) {
    BLOOMERY_RETURN_IF_ERROR(
        KeyOptions::refuse_block_list(form, ranges_.empty() ? "--resume" : "--partition",
                                      "its levels are known only where all of its entries are read at once"));
  }
  if (wish_.type == "windowed" && !KeyLevels::all_of(form).empty()) {
    return KeyOptions::refuse_block_list(form, "-t windowed",
                                         "it would forget at which levels there are entries");
  }
  return {};
}

Status BuildOptions::check_output() const {
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(plan_.output, or_standard_input(plan_.files)));
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(plan_.output, plan_.exception_files));
  if (const std::string& named = plan_.keys.key_file(); !named.empty()) {
    return check_output_is_no_key_file(plan_.output, named);
  }
  return plan_.keyed && plan_.output != "-"
             ? check_output_is_no_key_file(plan_.output, key_file_of(plan_.output))
             : Status();
}

// Refuses every option that a file of another system cannot record.
Status BuildOptions::check_no_options_of_ours() const {
  const std::array<std::pair<const char*, bool>, 14> given = {{
      {"-t", !wish_.type.empty()},
      {"--window", !wish_.window.empty()},
      {"--generations", !wish_.generations.empty()},
      {"--exact-below", !wish_.exact_below.empty()},
      {"--mem", !memory_.empty()},
      {"--shards", !part_.empty()},
      {"--partition", !ranges_.empty()},
      {"--resume", !plan_.work_directory.empty()},
      {"--exceptions", plan_.has_exceptions()},
      {"--members-win", plan_.members_win},
      {"--seed", seed_ != "0"},
      {"--keyed", plan_.keyed},
      {"--key-file", !plan_.keys.key_file().empty()},
      {"--note", !plan_.note.empty()},
  }};
  for (const auto& [name, is_given] : given) {
    if (is_given) {
      return Error::invalid_argument(name, "expected only with filters of ours: a file of the dialect " +
                                               plan_.dialect + " keeps nothing of it");
    }
  }
  return {};
}

Status BuildOptions::check_no_static_options() const {
  const char* const given = !ranges_.empty()                ? "--partition"
                            : !plan_.work_directory.empty() ? "--resume"
                                                            : "--mem, --shards";
  return ranges_.empty() && plan_.work_directory.empty() && memory_.empty() && part_.empty()
             ? Status()
             : Error::invalid_argument(given, "expected only with -t ribbon or fuse, found with -t " +
                                                  plan_.filter.type.type_name());
}

Status BuildOptions::check_exceptions() const {
  if (plan_.members_win && !plan_.has_exceptions()) {
    return Error::invalid_argument("--members-win", "expected only with --exceptions");
  }
  BLOOMERY_RETURN_IF_ERROR(check_one_file_each("--exceptions", "exceptions", "members"));
  return check_one_standard_input("--exceptions", plan_.exception_files, plan_.files);
}

Status BuildOptions::parse_static_options() {
  BLOOMERY_ASSIGN_OR_RETURN(plan_.memory_bytes, parse_memory());
  if (!part_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan_.part, parse_part(part_));
  }
  if (!ranges_.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(plan_.ranges, parse_ranges(ranges_));
  }
  return {};
}

Result<std::uint64_t> BuildOptions::parse_memory() const {
  if (memory_.empty()) {
    return plan_.memory_bytes;
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t bytes, parse_size("--mem", memory_));
  // With exceptions: a builder's memory, and that of the members' log and the matching keys.
  const std::uint64_t least =
      (plan_.filter.type.type == FilterType::kRibbon ? kMinRibbonMemory : kMinFuseMemory) +
      (plan_.has_exceptions() ? kMinRibbonMemory : 0);
  if (bytes < least) {
    return Error::invalid_argument("--mem", "expected at least " + std::to_string(least >> 20) + "M" +
                                                (plan_.has_exceptions() ? " with exceptions" : "") +
                                                ", found " + memory_);
  }
  return bytes;
}

Status BuildOptions::check_spool_directory() const {
  std::error_code unknown;
  if (!std::filesystem::is_directory(spool_directory_, unknown) ||
      ::access(spool_directory_.c_str(), W_OK | X_OK) != 0) {
    return Error::invalid_argument(
        "--tmp", "expected a directory that can be written, found '" + spool_directory_ + "'");
  }
  return {};
}

constexpr const char* kBuildDescription = R"(Turn keys, one a line, into a filter.

  seq 1000000 | bloomery build -o million.bloom         # -p 0.001 for as many keys as there are
  md5sum /etc/*.conf | bloomery build -o conf.bloom -n 1000 -p 1e-6 -k 1 -d ' ' --key-form hex --force
  cut -d: -f1 /etc/passwd > users.txt; bloomery build -o users.bloom -p 0.01 users.txt
  seq 1000000 | bloomery build -t ribbon -o million.ribbon -p 1e-4 --mem 256M     # static: the least bytes
  seq 1000000 | bloomery build -t fuse -o million.fuse -p 1/256                   # static: fast queries
  seq 1000 | bloomery build --dialect guava -o for_java.bf -n 1000 -p 0.01      # what Guava would write
  bloomery build -t ribbon --partition 4 -o here users.txt      # one machine of many: then --shards, merge
  bloomery build -t ribbon -o black.ribbon -p 0.01 --exceptions white.txt -- black.txt    # no to all of white.txt)";

Result<int> build(const BuildPlan& plan) {
  if (plan.ranges) {
    return build_partition(plan);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const OutputFile output,
                            OutputFile::claim("build", plan.output, plan.force, plan.wait, plan.dialect));
  if (!plan.dialect.empty()) {
    return build_dialect_filter(plan, output);
  }
  if (!plan.work_directory.empty()) {
    return build_resumable(plan, output);
  }
  if (!is_static_type(plan.filter.type.type)) {
    return build_native(plan, output);
  }
  return builds_part(plan) ? build_part(plan, output) : build_static(plan, output);
}

// Suggests --tmp if it was not given and the default folder cannot hold the spool.
Error or_tmp(const Error& error, const BuildPlan& plan) {
  const std::string& folder = plan.spool_directory;
  if (plan.names_spool_directory || error.errno_value() == 0 ||
      !error.subject().starts_with(folder + "/.bloomery-")) {
    return error;
  }
  return {error.code(), folder,
          error.detail() + " (a file for what memory does not hold; --tmp names another folder)"};
}

}  // namespace

void add_build_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("build", kBuildDescription);
  const auto options = std::make_shared<BuildOptions>();
  options->add_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<BuildPlan> plan = options->plan();
    const Result<int> status = plan ? build(*plan) : Result<int>(plan.error());
    exit_status = status ? *status : report("build", plan ? or_tmp(status.error(), *plan) : status.error());
  });
}

}  // namespace bloomery::cli
