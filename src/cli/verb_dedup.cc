// bloomery dedup: prints the first of equal lines while it reads a stream.
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/dedup_options.h"
#include "cli/dedup_state.h"
#include "cli/exit_status.h"
#include "cli/file_conflicts.h"
#include "cli/key_input.h"
#include "cli/numbers.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/question_fpp.h"
#include "cli/secret_file.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "dedup/dedup_stream.h"
#include "dedup/event_window.h"
#include "dedup/memory_bound.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDedupDescription =
    R"(Print the first of equal lines, in their order, as a stream: awk '!seen[$0]++' in little memory.

  (seq 1000; seq 500 1500) | bloomery dedup | wc -l                             # 1500
  bloomery dedup -k 7 -d : /etc/passwd                                          # the first user of each shell
  (seq 1000; seq 500 1500) | bloomery dedup --count -k 1 | sort -rn | head -3   # uniq -c without sorting
  seq 1000000 | bloomery dedup --max-mem 16M | wc -l                            # memory bounded, losses counted
  echo 2026-01-01T10:00:00Z,key | bloomery dedup -k 2 -d , --window 1h -n 1e6 --time-field 1   # by the lines' own times
  seq 1000 | bloomery dedup --state seen.bloom -n 1e6; seq 990 1010 | bloomery dedup --state seen.bloom
  seq 1000 | bloomery dedup --state days.bloom --grows     # for every day from now on, however many lines come

By default 64-bit hashes under a secret of the run are kept: 10 to 14 bytes a different key, and of 10 million keys
two are taken for one in one run of 370,000. The filter of --max-mem, --state and --window has a fixed size and
takes some new lines for repeats: how many it likely were is printed, or that it is not known. A run needs a few
megabytes besides, and as much as its longest lines; under --max-mem a line above a 256th of it is an error.

A state is saved every --save-every and at the end, each time as a whole new file, when all lines so far are
out. After a crash the next run goes on from the last save, so that a line may be printed twice but none is
lost. A save that fails ends the run, and the state is the one before. The first run makes the file, with -n (and
-p) or --max-mem; later ones may say the same again. A state of fixed size that outgrows its -n loses more lines every
day: --strict ends the run before that, and --grows makes one that grows. Keys from strangers: make it with
`bloomery build --keyed --allow-empty -o seen.bloom -n 1e6 -p 1e-4 /dev/null`.

Ctrl-C ends the input early: what was read is printed and saved.)";

// Under --max-mem a line may use at most 1/256 of the limit, because several lines are in memory at once.
constexpr std::uint64_t kLineShare = 256;
constexpr std::uint64_t kLeastLineBytes = std::uint64_t{64} << 10;
// With --max-mem, the number of keys may be unlimited. If the fpp rises above this, a warning says that the
// filter is too full.
constexpr double kFull = 0.01;

class StandardOutput final : public LineSink {
 public:
  Status write(std::string_view text) override { return output_.write(text); }
  Status flush() override { return output_.flush(); }
  Status sync() override {
    BLOOMERY_RETURN_IF_ERROR(output_.flush());
    // Pipes and devices refuse to sync, which is no error, because they store nothing.
    if (::fdatasync(STDOUT_FILENO) != 0 && errno != EINVAL && errno != EROFS && errno != ENOSYS) {
      return Error::io("standard output", "sync", errno);
    }
    return {};
  }

 private:
  Output output_{STDOUT_FILENO};
};

// One run of the verb. It makes its components in the order of their dependencies.
class DedupRun {
 public:
  DedupRun(const DedupWish& wish, std::atomic<bool>& stop)
      : wish_(wish), stop_(stop), input_(wish.files, wish.keys.input_shape(), &stop) {
    if (input_.is_typed()) {
      progress_.hide();
    }
  }

  Result<int> run() {
    warn_if_not_live();
    BLOOMERY_RETURN_IF_ERROR(open_state());
    BLOOMERY_RETURN_IF_ERROR(choose_keys());
    bound_lines();
    pipeline_.emplace(input_, stop_, recipe_);
    BLOOMERY_RETURN_IF_ERROR(make_memory());
    DedupStream stream(by_time_ ? static_cast<SeenKeys&>(*by_time_) : *seen_, output_, stream_options());
    stream_ = &stream;
    Status read = stream.run(*pipeline_);
    if (!read && read.error().code() == ErrorCode::kCapacity && wish_.memory_limit()) {
      read = Error::capacity(read.error().subject(),
                             read.error().detail() + ", a 256th of --max-mem " + wish_.max_mem);
    }
    return finish(stream, read);
  }

 private:
  bool in_filter() const { return wish_.memory() == DedupWish::Memory::kFilter; }

  Status open_state() {
    if (!wish_.state.empty()) {
      if (wish_.memory_limit()) {
        BLOOMERY_RETURN_IF_ERROR(check_fits());
      }
      BLOOMERY_ASSIGN_OR_RETURN(state_, DedupState::open(wish_, times()));
    }
    return {};
  }

  // Checks that an existing state fits into --max-mem, before the state is opened.
  Status check_fits() const {
    const Result<FileFacts> facts = FileSystem::real().facts(wish_.state);
    if (!facts) {
      return {};  // there is no state, or opening it reports the error
    }
    BLOOMERY_ASSIGN_OR_RETURN(const std::uint64_t room, bound().filter_bytes(resident_bytes()));
    if (facts->size_bytes > room) {
      return Error::invalid_argument(
          "--max-mem", fmt::format("expected room for the state, which has {}, found room for {}",
                                   show_bytes(facts->size_bytes), show_bytes(room)));
    }
    return {};
  }

  // Chooses how keys are hashed: as in the state, or, without a state, under a secret of this run.
  Status choose_keys() {
    recipe_ = {.treatment = wish_.keys.treatment_for_new(),
               .place = wish_.keys.place(),
               .keep_keys = wish_.memory() == DedupWish::Memory::kLines,
               .time = wish_.time_place()};
    if (state_ != nullptr) {
      recipe_.hash = state_->filter().native().hash_spec();
      recipe_.treatment = state_->filter().native().key_treatment();
    } else if (!wish_.state.empty()) {
      BLOOMERY_ASSIGN_OR_RETURN(recipe_.hash, new_state_hash(wish_));
    } else {
      BLOOMERY_ASSIGN_OR_RETURN(const HashSecret secret, HashSecret::generate());
      recipe_.hash = keyed_hash(secret);
    }
    return {};
  }

  std::uint64_t most_line_bytes() const {
    return std::max(kLeastLineBytes, *wish_.memory_limit() / kLineShare);
  }

  MemoryBound bound() const {
    // For the keys that are made from a line, the buffer of standard output, and the allocator's overhead.
    const std::uint64_t rest = 2 * most_line_bytes() + (std::uint64_t{512} << 10);
    return {.limit = *wish_.memory_limit(), .reserve = LinePipeline::most_bytes(most_line_bytes()) + rest};
  }

  void bound_lines() {
    if (wish_.memory_limit()) {
      input_.limit_line_bytes(most_line_bytes());
    }
  }

  // Makes the SeenKeys. Under --max-mem the filter gets the memory that remains after the first batch and its
  // decompressor are allocated.
  Status make_memory() {
    if (wish_.memory() == DedupWish::Memory::kHashes) {
      seen_ = std::make_unique<SeenHashes>();
    } else if (wish_.memory() == DedupWish::Memory::kLines) {
      const bool counts = wish_.count || wish_.unique;
      const KeyTable::Keep keep{.counts = counts, .lines = counts && !line_is_key()};
      auto lines = std::make_unique<SeenLines>(keep);
      lines_ = lines.get();
      seen_ = std::move(lines);
    } else {
      if (state_ == nullptr) {
        BLOOMERY_RETURN_IF_ERROR(make_filter());
      }
      if (auto* const scalable = std::get_if<ScalableFilter>(&the_filter().variant())) {
        auto growing = std::make_unique<SeenGrowing>(*scalable);
        seen_growing_ = growing.get();
        seen_ = std::move(growing);
        return {};
      }
      most_keys_ = most_keys();
      auto filter = std::make_unique<SeenFilter>(the_filter());
      seen_filter_ = filter.get();
      seen_ = std::move(filter);
      if (wish_.time_place()) {
        by_time_.emplace(*seen_filter_, event_clock_);
      }
    }
    return {};
  }

  Status make_filter() {
    std::uint64_t bytes = 0;
    if (wish_.memory_limit()) {
      pipeline_->wait_until_ready();
      BLOOMERY_ASSIGN_OR_RETURN(bytes, bound().filter_bytes(resident_bytes()));
    }
    BLOOMERY_ASSIGN_OR_RETURN(
        AnyFilter filter,
        wish_.new_filter(bytes, {.hash = recipe_.hash, .keys = recipe_.treatment, .clock = clock()}));
    if (wish_.state.empty()) {
      filter_.emplace(std::move(filter));
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(state_, DedupState::create(wish_, std::move(filter), times()));
    return {};
  }

  // Returns the clock for a window that is measured by the times of the lines; null for the machine's clock.
  const WindowClock* clock() const { return wish_.time_place() ? &lines_clock_ : nullptr; }

  EventClock* times() { return wish_.time_place() ? &event_clock_ : nullptr; }

  // Warns if a window by arrival is used for a file: it is read faster than its lines were produced, so the
  // window has far more lines than expected.
  void warn_if_not_live() const {
    if (wish_.forgets_by_age() && !wish_.time_place() && input_.can_rewind()) {
      warn("dedup",
           fmt::format("--window {} counts from when a line is read, and the input is a file, not live: "
                       "--time-field N counts by the times of the lines",
                       wish_.filter.window));
    }
  }

  // Reports how many lines had a time before that of an earlier line.
  void tell_backward_times() const {
    if (by_time_ && by_time_->backwards() != 0) {
      warn("dedup",
           fmt::format(
               "{} a time before that of an earlier line, by up to {}; {} at the newest time so far",
               by_time_->backwards() == 1 ? "1 line has" : show_count(by_time_->backwards()) + " lines have",
               show_seconds(by_time_->furthest_back_ns()),
               by_time_->backwards() == 1 ? "it counts" : "they count"));
    }
  }

  AnyFilter& the_filter() { return state_ != nullptr ? state_->filter() : *filter_; }

  // Returns the most distinct keys that the filter may have under --strict or --max-loss.
  std::uint64_t most_keys() {
    const auto* const blocked = std::get_if<BlockedBloomFilter>(&the_filter().variant());
    if (blocked == nullptr || !wish_.bounds_losses()) {
      return ~std::uint64_t{0};
    }
    if (!wish_.most_loss()) {
      return the_filter().capacity();
    }
    std::uint64_t low = 0;
    for (std::uint64_t step = std::uint64_t{1} << 48; step != 0; step /= 2) {
      low += predicted_fpp(blocked->shape(), low + step) <= *wish_.most_loss() ? step : 0;
    }
    return low;
  }

  std::uint64_t keys_so_far() const { return state_->keys_before() + stream_->counts().kept; }

  // Returns how many lines of a batch can be processed before the number of keys exceeds most_keys_.
  std::size_t fitting(const KeyedBatch& batch) const {
    const std::uint64_t room = most_keys_ - std::min(most_keys_, keys_so_far());
    if (batch.hashes.size() <= room) {
      return batch.hashes.size();
    }
    std::vector<std::uint64_t> known(answer_words(batch.hashes.size()));
    state_->filter().may_contain_batch(batch.hashes, known);
    // New keys of this batch, distinguished by 64 bits of their hashes.
    std::unordered_set<std::uint64_t> fresh;
    for (std::size_t i = 0; i < batch.hashes.size(); ++i) {
      if (((known[i / 64] >> (i % 64)) & 1) == 0) {
        fresh.insert(batch.hashes[i].high);
      }
      if (fresh.size() > room) {
        return i;
      }
    }
    return batch.hashes.size();
  }

  void tell_full() const {
    warn("dedup",
         fmt::format(
             "refused: the state has {} keys, as many as {} allows, and a new line came: it and all behind "
             "it were not printed and are not in the state (a new state with a larger -n, or with --grows, "
             "has room)",
             show_count(keys_so_far()),
             wish_.strict ? std::string("-n under --strict") : "--max-loss " + wish_.max_loss));
  }

  bool line_is_key() const { return KeyMaker(recipe_.treatment, recipe_.place).line_is_key(); }

  DedupOptions stream_options() {
    DedupOptions options{.delimiter = wish_.keys.line_delimiter(), .line_buffered = wish_.line_buffered};
    if (wish_.repeated) {
      options.print = DedupOptions::Print::kRepeats;
    } else if (wish_.count || wish_.unique) {
      options.print = DedupOptions::Print::kNothing;
    }
    if (wish_.only_key) {
      options.only_key = wish_.keys.place();
    }
    options.checkpoint = state_.get();
    if (wish_.bounds_losses()) {
      options.fitting = [this](const KeyedBatch& batch) { return fitting(batch); };
    }
    options.after_batch = [this, total = input_.total_bytes()](const DedupCounts& counts,
                                                               const KeyedBatch& batch) {
      if (progress_.is_shown()) {
        progress_.update(counts.lines, batch.bytes_read, total);
      }
      warn_when_full(counts);
    };
    return options;
  }

  void warn_when_full(const DedupCounts& counts) {
    if (seen_filter_ == nullptr || warned_) {
      return;
    }
    const bool sized = !wish_.memory_limit() || !wish_.state.empty();
    const double wanted = the_filter().native().target_fpp();
    if (seen_filter_->fpp() > (sized ? 2 * wanted : kFull)) {
      warned_ = true;
      warn("dedup",
           fmt::format(
               "warning: over capacity: of new lines {} are now taken for repeats{}, after {} kept lines",
               show_probability(seen_filter_->fpp()),
               sized ? fmt::format(" (asked {})", show_probability(wanted)) : "", show_count(counts.kept)));
    }
  }

  Status print_counts() {
    const char delimiter = wish_.keys.line_delimiter();
    KeyText key_text(wish_.keys.place());
    return lines_->table().for_each([&](std::uint64_t count, std::string_view line) -> Status {
      if (wish_.unique && count != 1) {
        return {};
      }
      if (!wish_.unique) {
        BLOOMERY_RETURN_IF_ERROR(output_.write(fmt::format("{:7} ", count)));
      }
      BLOOMERY_ASSIGN_OR_RETURN(const std::string_view shown,
                                wish_.only_key ? key_text.of(line) : Result<std::string_view>(line));
      BLOOMERY_RETURN_IF_ERROR(output_.write(shown));
      return output_.write({&delimiter, 1});
    });
  }

  // Prints the counts, and saves the state for the lines processed so far, even if reading failed. If writing
  // the output failed, it does not save: the lines would never be printed.
  Result<int> finish(const DedupStream& stream, const Status& read) {
    const bool stopped = stop_;
    if ((wish_.count || wish_.unique) && !stream.output_failed()) {
      BLOOMERY_RETURN_IF_ERROR(print_counts());
    }
    if (!stream.output_failed()) {
      BLOOMERY_RETURN_IF_ERROR(state_ != nullptr ? output_.sync() : output_.flush());
    }
    if (state_ != nullptr && !stream.output_failed()) {
      BLOOMERY_RETURN_IF_ERROR(state_->save(stream.counts()));
    }
    if (!stream.output_failed() && wish_.summary.wanted_or_amiss(loses_lines() || stopped || !read ? 1 : 0)) {
      summarize(stream.counts(), stopped);
    }
    tell_of_input("dedup", input_.notes());
    tell_of_keys("dedup", stream.counts().keys, wish_.keys.place(), telling(wish_.summary.declined()));
    if (!stream.output_failed() && !wish_.summary.declined()) {
      tell_backward_times();
    }
    if (wish_.memory_limit()) {
      warn_beyond_bound();
    }
    if (seen_filter_ != nullptr && seen_filter_->has_overfull_generation()) {
      warn_overfull_generation();
    }
    if (!read) {
      return read.error();
    }
    if (stream.is_full()) {
      tell_full();
      return static_cast<int>(kRefused);
    }
    return static_cast<int>(stopped ? kInterrupted : kDone);
  }

  // Returns true if the user must be told how many lines were lost. A filter always loses lines. Exact
  // memories lose none, and with 64-bit hashes the loss is negligible below thousands of millions of keys.
  bool loses_lines() const {
    constexpr double kWorthAWord = 1e-3;
    return in_filter() ||
           (wish_.memory() == DedupWish::Memory::kHashes && seen_->losses().mean >= kWorthAWord);
  }

  void summarize(const DedupCounts& counts, bool stopped) {
    const std::uint64_t dropped = counts.lines - counts.kept;
    std::string losses = "nothing lost";
    if (wish_.memory() == DedupWish::Memory::kHashes) {
      losses = fmt::format("expected lost {:.2g}", seen_->losses().mean);
    } else if (in_filter()) {
      losses = show_losses(seen_->losses(), dropped);
    }
    warn("dedup", fmt::format("{}{}, {} kept, {} dropped; {}", stopped ? "stopped early: " : "",
                              show_count_of(counts.lines, "line"), show_count(counts.kept),
                              show_count(dropped), losses));
  }

  // Formats the losses. No number exceeds `dropped`, because no more lines can be lost.
  std::string show_losses(const Losses& losses, std::uint64_t dropped) const {
    const auto most = static_cast<double>(dropped);
    const auto show = [most](double number) {
      number = std::min(number, most);
      return number < 9.95 ? fmt::format("{:.2g}", number)
                           : show_count(static_cast<std::uint64_t>(std::llround(number)));
    };
    const char* const which = wish_.repeated ? "printed" : "dropped";
    if (!losses.is_known && dropped > 0) {
      return fmt::format(
          "not known how many of the {} were new, perhaps all: the filter takes {} of new lines for repeats",
          which, show_probability(seen_filter_ != nullptr ? seen_filter_->fpp() : seen_growing_->fpp()));
    }
    return fmt::format("about {} of the {} were new (99.9 %: {} to {})", show(losses.mean), which,
                       show(losses.interval.low), show(losses.interval.high));
  }

  // Warns if keys arrived unevenly over a window of time. In a window by count, no generation can exceed its
  // share.
  void warn_overfull_generation() {
    const auto& filter = std::get<WindowedFilter>(the_filter().variant());
    warn("dedup",
         fmt::format(
             "warning: more than {} different keys came in one of the window's {} generations, which is "
             "what each has room for, so more lines were lost than -p says; {}",
             show_count(filter.generation_capacity()), filter.window().generations,
             remedy_for_overfull(filter)));
  }

  void warn_beyond_bound() const {
    if (const std::uint64_t most = most_resident_bytes(); most > *wish_.memory_limit()) {
      warn("dedup", fmt::format("warning: beyond --max-mem {}: {} were in memory", wish_.max_mem,
                                show_binary_bytes(static_cast<double>(most))));
    }
  }

  const DedupWish& wish_;
  std::atomic<bool>& stop_;
  InputFiles input_;
  KeyRecipe recipe_;
  StandardOutput output_;
  Progress progress_{"dedup"};
  std::unique_ptr<DedupState> state_;
  std::optional<AnyFilter> filter_;  // if there is no state file
  std::unique_ptr<SeenKeys> seen_;
  SeenLines* lines_ = nullptr;           // null, or `seen_` as this type
  SeenFilter* seen_filter_ = nullptr;    // null, or `seen_` as this type
  SeenGrowing* seen_growing_ = nullptr;  // null, or `seen_` as this type
  const DedupStream* stream_ = nullptr;
  std::uint64_t most_keys_ = ~std::uint64_t{0};  // the limit of --strict or --max-loss
  std::optional<SeenByEventTime> by_time_;       // queries `seen_` by the times of the lines
  EventClock event_clock_;
  WindowClock lines_clock_ = event_clock_.clock();
  bool warned_ = false;
  std::optional<LinePipeline> pipeline_;  // declared last, because it reads from input_ until it is destroyed
};

Result<int> dedup(DedupWish& wish) {
  BLOOMERY_RETURN_IF_ERROR(wish.parse());
  BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", or_standard_input(wish.files)));
  if (!wish.state.empty()) {
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input(wish.state, or_standard_input(wish.files)));
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_input("-", std::vector{wish.state}));
    const std::string& named = wish.keys.key_file();
    const std::string key_file = named.empty() ? key_file_of(wish.state) : named;
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_key_file(wish.state, key_file));
    BLOOMERY_RETURN_IF_ERROR(check_output_is_no_key_file("-", key_file));
  }
  DedupRun run(wish, catch_stop_signals());
  return run.run();
}

}  // namespace

void add_dedup_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("dedup", kDedupDescription);
  verb->alias("uniq");
  const auto wish = std::make_shared<DedupWish>();
  wish->add_to(*verb);
  verb->callback([wish, &exit_status] {
    const Result<int> status = dedup(*wish);
    exit_status = status ? *status : report("dedup", status.error());
  });
}

}  // namespace bloomery::cli
