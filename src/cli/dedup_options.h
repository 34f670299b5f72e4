// The options of `dedup`: what was asked for, and which of them contradict each other.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_plan.h"
#include "cli/filter_choice.h"
#include "cli/key_options.h"

namespace bloomery::cli {

struct DedupWish {
  bool hash64 = false;
  bool exact = false;
  bool count = false;
  bool repeated = false;
  bool line_buffered = false;
  bool no_summary = false;
  std::string max_mem;
  std::string state;
  std::string save_every;
  std::string capacity;  // -n
  std::string fpp;       // -p
  std::string window;
  std::string generations;
  KeyOptions keys;
  std::vector<std::string> files;

  // Adds the options to a verb.
  void add_to(CLI::App& verb);

  // How what was seen is remembered.
  enum class Memory { kHashes, kLines, kFilter };
  Memory memory() const;

  // Reads what was given. To be called once, before those below. Errors: kInvalidArgument, by the names of
  // the options that contradict each other.
  Status parse();

  // --max-mem.
  std::optional<std::uint64_t> memory_limit() const { return memory_limit_; }
  std::chrono::nanoseconds save_pause() const { return save_pause_; }

  // The filter that is wanted; under --max-mem it has `bytes`. Errors: kInvalidArgument where something is
  // missing.
  Result<AnyFilter> new_filter(std::uint64_t bytes, const FilterOptions& options) const;
  // Errors: kInvalidArgument where -n, -p or --window contradict a filter that exists.
  Status check_agrees_with(const AnyFilter& filter) const;

 private:
  Status check_combination() const;
  // The plan without a capacity.
  Result<FilterPlan> planned() const;
  Result<double> wanted_fpp() const;

  std::optional<std::uint64_t> memory_limit_;
  std::chrono::nanoseconds save_pause_{};
};

}  // namespace bloomery::cli
