#include "cli/dedup_options.h"

#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/default_fpp.h"
#include "cli/numbers.h"
#include "hash/ascii_text.h"

namespace bloomery::cli {
namespace {

// The capacity of the first layer of a growing state, without -n.
constexpr std::uint64_t kFirstGrowingCapacity = 10'000;

// An option, and whether it was given.
struct GivenOption {
  const char* name;
  bool given;
};

// Returns an error if more than one of the options is given.
Status check_at_most_one(const std::vector<GivenOption>& options) {
  const char* first = nullptr;
  for (const GivenOption& option : options) {
    if (option.given && first != nullptr) {
      return Error::invalid_argument("arguments",
                                     fmt::format("expected either {} or {}, found both", first, option.name));
    }
    first = option.given ? option.name : first;
  }
  return {};
}

// Returns an error if one of `options` is given without `needed`.
Status check_only_with(const char* needed, bool has_needed, const std::vector<GivenOption>& options) {
  for (const GivenOption& option : options) {
    if (option.given && !has_needed) {
      return Error::invalid_argument(option.name, fmt::format("expected only with {}", needed));
    }
  }
  return {};
}

}  // namespace

void DedupWish::add_to(CLI::App& verb) {
  const std::string ways = "How what was seen is remembered";
  verb.add_flag("--hash64", hash64, "by 64-bit hashes, 10 to 14 bytes a different key (default)")
      ->group(ways);
  verb.add_flag("--exact", exact, "by the keys themselves: nothing is lost")->group(ways);
  verb.add_option("--max-mem", max_mem,
                  "in a blocked filter as large as the whole process may be, such as 256M")
      ->group(ways);
  verb.add_option("--state", state, "in a blocked filter that is kept in this file from run to run")
      ->group(ways);
  verb.add_option("--window", filter.window,
                  "only the last so many lines (1e6), or the last while (90s, 1h30m, 7d)")
      ->group(ways);
  verb.add_option("--time-field", time_field,
                  "--window 1h: measure it by the time in this field (one-based) of each line, not by when "
                  "it is read; not with -w, --csv, --json-field")
      ->group(ways);
  verb.add_option("--time-format", time_format,
                  "of --time-field: iso8601 (default), epoch, epoch-ms or clf ([14/Nov/2023:22:13:20 +0100])")
      ->group(ways);
  const std::string sizes = "The filter of --max-mem, --state and --window";
  verb.add_option(
          "-n,--capacity", filter.capacity,
          "different keys it is made for (--window 1h: in a window that they fill evenly; where many come "
          "at once, as many as may come in one generation, times the generations)")
      ->group(sizes);
  verb.add_option("-p,--fpp", filter.fpp,
                  "share of new lines taken for repeats when it is full (default 1e-4)")
      ->group(sizes);
  verb.add_option("--generations", filter.generations,
                  "a window forgets in so many steps, 1 to 64 (default 4)")
      ->group(sizes);
  verb.add_option("--save-every", save_every,
                  "pause between two saves of the state (default 60s; more where a save takes long)")
      ->group(sizes);
  verb.add_flag(
          "--strict", strict,
          "--state: end with exit 4 before more keys than -n come into it, and before a line is lost for it")
      ->group(sizes);
  verb.add_option(
          "--max-loss", max_loss,
          "--state: end with exit 4 before this share of new lines would be taken for repeats (1e-3, 1%)")
      ->type_name("P")
      ->group(sizes);
  verb.add_flag(
          "--grows", grows,
          "--state: a filter that grows (scalable), for days without end; -n is then only where it begins "
          "(default 10000)")
      ->group(sizes);
  verb.add_flag("--repeated", repeated, "print only the lines whose key came before");
  verb.add_flag("-c,--count", count, "print at the end each first line and how often its key came (exact)");
  verb.add_flag("-u,--unique", unique, "print at the end the lines whose key came exactly once (exact)");
  verb.add_flag("--only-key", only_key, "print of each line only its key, as text");
  verb.add_flag("--line-buffered", line_buffered, "write lines as soon as they are known");
  summary.add_to(verb);
  keys.add_to(verb);
  verb.add_option("FILE", files, "lines; none or - is standard input; gzip, zstd, xz and bzip2 are read too");
}

DedupWish::Memory DedupWish::memory() const {
  if (exact || count || unique) {
    return Memory::kLines;
  }
  return max_mem.empty() && state.empty() && filter.window.empty() ? Memory::kHashes : Memory::kFilter;
}

Status DedupWish::parse() {
  if (state == "-") {
    return Error::invalid_argument(
        "--state", "expected a file, found standard output, which has the lines (./- is a name)");
  }
  // Lines without the field would all have the same key, and all but the first would be dropped.
  BLOOMERY_RETURN_IF_ERROR(keys.parse(MissingField::kError));
  BLOOMERY_RETURN_IF_ERROR(keys.check_new());
  BLOOMERY_RETURN_IF_ERROR(KeyOptions::refuse_block_list(
      keys.treatment_for_new().form, "--key-form",
      "lines are equal or not, and none stands for others (--key-form text or url compares them)"));
  BLOOMERY_RETURN_IF_ERROR(check_combination());
  filter.type = grows ? "scalable" : filter.window.empty() ? "blocked:fast" : "windowed";
  BLOOMERY_ASSIGN_OR_RETURN(choice_, filter.parse());
  if (!max_mem.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(memory_limit_, parse_size("--max-mem", max_mem));
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t pause,
                            parse_duration("--save-every", save_every.empty() ? "60s" : save_every));
  save_pause_ = std::chrono::nanoseconds(pause);
  if (!max_loss.empty()) {
    BLOOMERY_ASSIGN_OR_RETURN(most_loss_, parse_probability("--max-loss", max_loss));
    if (*most_loss_ <= 0 || *most_loss_ >= 1) {
      return Error::invalid_argument("--max-loss", "expected a share between 0 and 1, found " + max_loss);
    }
  }
  return parse_time_place();
}

Status DedupWish::parse_time_place() {
  BLOOMERY_RETURN_IF_ERROR(
      check_only_with("--window DURATION", forgets_by_age(), {{"--time-field", !time_field.empty()}}));
  BLOOMERY_RETURN_IF_ERROR(
      check_only_with("--time-field", !time_field.empty(), {{"--time-format", !time_format.empty()}}));
  if (time_field.empty()) {
    return {};
  }
  if (keys.place().split != Split::kDelimiter) {
    return Error::invalid_argument("--time-field",
                                   "expected without -w, --csv and --json-field: the times stand between the "
                                   "delimiters of -d");
  }
  const auto field = number_from_text<std::uint32_t>(time_field);
  if (!field || *field == 0 || *field > kMaxFields) {
    return Error::invalid_argument(
        "--time-field",
        "expected a number from 1 to " + std::to_string(kMaxFields) + ", found '" + time_field + "'");
  }
  const auto format = time_format_from_name(time_format.empty() ? "iso8601" : time_format);
  if (!format) {
    return Error::invalid_argument("--time-format",
                                   "expected iso8601, epoch, epoch-ms or clf, found '" + time_format + "'");
  }
  time_place_ = {.field = *field, .delimiter = keys.place().delimiter, .format = *format};
  return {};
}

Status DedupWish::check_combination() const {
  const GivenOption any_exact{count ? "--count" : unique ? "--unique" : "--exact", exact || count || unique};
  for (const GivenOption& way : std::vector<GivenOption>{{"--max-mem", !max_mem.empty()},
                                                         {"--state", !state.empty()},
                                                         {"--window", !filter.window.empty()}}) {
    BLOOMERY_RETURN_IF_ERROR(check_at_most_one({{"--hash64", hash64}, any_exact, way}));
  }
  BLOOMERY_RETURN_IF_ERROR(
      check_at_most_one({{"--max-mem", !max_mem.empty()}, {"--window", !filter.window.empty()}}));
  BLOOMERY_RETURN_IF_ERROR(
      check_at_most_one({{"--max-mem", !max_mem.empty()}, {"-n", !filter.capacity.empty()}}));
  BLOOMERY_RETURN_IF_ERROR(check_at_most_one({{"--count", count}, {"--repeated", repeated}}));
  BLOOMERY_RETURN_IF_ERROR(check_at_most_one({{"--unique", unique}, {"--repeated", repeated}}));
  BLOOMERY_RETURN_IF_ERROR(check_at_most_one({{"--count", count}, {"--unique", unique}}));
  BLOOMERY_RETURN_IF_ERROR(
      check_at_most_one({{"--strict", strict}, {"--max-loss", !max_loss.empty()}, {"--grows", grows}}));
  for (const GivenOption& bound : std::vector<GivenOption>{
           {"--strict", strict}, {"--max-loss", !max_loss.empty()}, {"--grows", grows}}) {
    BLOOMERY_RETURN_IF_ERROR(check_only_with("--state", !state.empty(), {bound}));
    BLOOMERY_RETURN_IF_ERROR(check_at_most_one({bound, {"--window", !filter.window.empty()}}));
  }
  BLOOMERY_RETURN_IF_ERROR(check_at_most_one({{"--grows", grows}, {"--max-mem", !max_mem.empty()}}));
  // Counted lines are printed at the end, when the column is unknown: each file's header may place it
  // elsewhere.
  BLOOMERY_RETURN_IF_ERROR(
      check_at_most_one({{"--count or --unique with --only-key", (count || unique) && only_key},
                         {"--header", keys.place().has_header()}}));
  BLOOMERY_RETURN_IF_ERROR(
      check_only_with("--window", !filter.window.empty(), {{"--generations", !filter.generations.empty()}}));
  BLOOMERY_RETURN_IF_ERROR(
      check_only_with("--state", !state.empty(),
                      {{"--save-every", !save_every.empty()}, {"--key-file", !keys.key_file().empty()}}));
  BLOOMERY_RETURN_IF_ERROR(check_only_with("--state or --window", !state.empty() || !filter.window.empty(),
                                           {{"-n", !filter.capacity.empty()}}));
  return check_only_with("--max-mem, --state or --window", memory() == Memory::kFilter,
                         {{"-p", !filter.fpp.empty()}});
}

Result<AnyFilter> DedupWish::new_filter(std::uint64_t bytes, const FilterOptions& options) const {
  const double wanted = choice_.fpp.value_or(kDefaultDedupFpp);
  if (memory_limit_) {
    BLOOMERY_ASSIGN_OR_RETURN(BlockedBloomFilter blocked,
                              BlockedBloomFilter::for_bytes(bytes, wanted, options));
    return AnyFilter(std::move(blocked));
  }
  FilterPlan plan = choice_.type;
  const bool by_count = plan.type == FilterType::kWindowed && plan.options.window.kind == WindowKind::kCount;
  if (!choice_.capacity && !grows && !by_count) {
    return Error::invalid_argument("-n", filter.window.empty()
                                             ? "expected how many different keys a new state is made for "
                                               "(or --grows, or --max-mem SIZE)"
                                             : "expected how many different keys come in a window");
  }
  plan.capacity = choice_.capacity.value_or(grows ? kFirstGrowingCapacity : 0);
  plan.fpp = wanted;
  plan.options.hash = options.hash;
  plan.options.keys = options.keys;
  plan.options.clock = options.clock;
  return make_filter(plan);
}

Status DedupWish::check_agrees_with(const AnyFilter& state_filter) const {
  const NativeFilter& native = state_filter.native();
  const auto contradicts = [](const char* option, const std::string& found) {
    return Error::invalid_argument(option, "contradicts the state, which has " + found);
  };
  if (choice_.capacity && *choice_.capacity != native.capacity()) {
    return contradicts("-n", show_count(native.capacity()));
  }
  if (choice_.fpp && *choice_.fpp != native.target_fpp()) {
    return contradicts("-p", show_probability(native.target_fpp()));
  }
  const auto* const windowed = std::get_if<WindowedFilter>(&state_filter.variant());
  if (windowed != nullptr && !filter.window.empty() && !(choice_.type.options.window == windowed->window())) {
    return contradicts("--window", "another window or other generations");
  }
  return {};
}

}  // namespace bloomery::cli
