// The options of `dedup`: parses them and checks which of them contradict each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/filter_choice.h"
#include "cli/key_options.h"
#include "cli/option_parser.h"
#include "cli/summary.h"
#include "dedup/event_time.h"

namespace bloomery::cli {

struct DedupWish {
  bool hash64 = false;
  bool exact = false;
  bool count = false;
  bool repeated = false;
  bool unique = false;  // -u
  bool strict = false;
  bool grows = false;
  bool only_key = false;
  bool line_buffered = false;
  SummaryChoice summary;
  std::string max_mem;
  std::string state;
  std::string save_every;
  FilterWish filter;  // -n, -p, --window, --generations
  std::string max_loss;
  std::string time_field;
  std::string time_format;
  KeyOptions keys;
  std::vector<std::string> files;

  // Adds the options to a verb.
  void add_to(CLI::App& verb);

  // How the keys that were seen are stored.
  enum class Memory { kHashes, kLines, kFilter };
  Memory memory() const;

  // Parses the options. Call this before the functions below. Errors: kInvalidArgument, which names the
  // options that contradict each other.
  Status parse();

  // Returns --max-mem, if it was given.
  std::optional<std::uint64_t> memory_limit() const { return memory_limit_; }
  // Returns true if the run must stop before it loses more lines than allowed.
  bool bounds_losses() const { return strict || !max_loss.empty(); }
  // Returns --max-loss; empty without it.
  std::optional<double> most_loss() const { return most_loss_; }
  std::chrono::nanoseconds save_pause() const { return save_pause_; }
  // Returns where a line's time is, if --time-field was given.
  const std::optional<TimePlace>& time_place() const { return time_place_; }
  // Returns true if --window is a duration.
  bool forgets_by_age() const {
    return !filter.window.empty() && choice_.type.options.window.kind == WindowKind::kAge;
  }

  // Makes the requested filter; under --max-mem, with `bytes` bytes. Errors: kInvalidArgument if an option is
  // missing.
  Result<AnyFilter> new_filter(std::uint64_t bytes, const FilterOptions& options) const;
  // Checks an existing filter. Errors: kInvalidArgument if -n, -p or --window contradict it.
  Status check_agrees_with(const AnyFilter& state_filter) const;

 private:
  Status check_combination() const;
  Status parse_time_place();

  std::optional<std::uint64_t> memory_limit_;
  std::optional<double> most_loss_;
  std::chrono::nanoseconds save_pause_{};
  std::optional<TimePlace> time_place_;
  FilterChoice choice_;
};

}  // namespace bloomery::cli
