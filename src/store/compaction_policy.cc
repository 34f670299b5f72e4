#include "store/compaction_policy.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/crc32c.h"

namespace bloomery::store {
namespace {

// How much better a run has to be to take the place of another one, if writers wait.
constexpr double kBetterBy = 1.05;

bool is_balanced(std::span<const std::uint64_t> sizes, std::uint64_t bytes, double ratio) {
  return std::ranges::all_of(sizes, [&](std::uint64_t size) {
    return static_cast<double>(size) <= static_cast<double>(bytes - size) * ratio;
  });
}

bool has_excess(std::span<const std::uint64_t> sizes, const StoreOptions& options) {
  if (options.compaction_excess <= 0 || sizes.size() < std::max(options.compaction_least_files, 2U)) {
    return false;
  }
  const std::uint64_t newer = std::accumulate(sizes.begin() + 1, sizes.end(), std::uint64_t{0});
  return static_cast<double>(newer) >= static_cast<double>(sizes.front()) * options.compaction_excess;
}

struct Run {
  FileRange files = {};
  std::uint64_t bytes = 0;

  std::size_t count() const { return files.end - files.begin; }
  double files_per_byte() const {
    return static_cast<double>(count()) / static_cast<double>(std::max<std::uint64_t>(bytes, 1));
  }
};

bool is_better(const Run& run, const Run& best, bool writers_wait) {
  if (best.files.empty()) {
    return true;
  }
  if (writers_wait) {
    return run.files_per_byte() > best.files_per_byte() * kBetterBy;
  }
  return run.count() > best.count() || (run.count() == best.count() && run.bytes < best.bytes);
}

// Returns the sum, or nothing if it is beyond all times.
std::optional<std::int64_t> later(std::int64_t time_ms, double ms) {
  const double sum = static_cast<double>(time_ms) + ms;
  return sum < static_cast<double>(std::numeric_limits<std::int64_t>::max())
             ? std::optional(time_ms + static_cast<std::int64_t>(ms))
             : std::nullopt;
}

}  // namespace

FileRange choose_minor_compaction(std::span<const std::uint64_t> sizes, const StoreOptions& options) {
  if (has_excess(sizes, options)) {
    return {0, sizes.size()};
  }
  const bool writers_wait = sizes.size() >= options.most_files;
  Run best;
  Run smallest;
  for (std::size_t begin = 0; begin < sizes.size(); ++begin) {
    const std::size_t furthest = std::min<std::size_t>(sizes.size(), begin + options.compaction_most_files);
    for (std::size_t end = begin + options.compaction_least_files; end <= furthest; ++end) {
      const auto files = sizes.subspan(begin, end - begin);
      const Run run{.files = {begin, end},
                    .bytes = std::accumulate(files.begin(), files.end(), std::uint64_t{0})};
      if (smallest.files.empty() || run.bytes < smallest.bytes) {
        smallest = run;
      }
      const bool counts =
          run.bytes < options.flush_bytes || is_balanced(files, run.bytes, options.compaction_ratio);
      if (counts && is_better(run, best, writers_wait)) {
        best = run;
      }
    }
  }
  return best.files.empty() && writers_wait ? smallest.files : best.files;
}

std::optional<std::int64_t> next_major_compaction(std::span<const FileAge> files,
                                                  std::optional<std::int64_t> time_to_live_ms,
                                                  std::uint64_t period_ms, const StoreOptions& options) {
  if (files.empty() || files.size() >= options.compaction_most_files || period_ms == 0) {
    return std::nullopt;
  }
  const std::int64_t created_ms = std::ranges::min(files, {}, &FileAge::created_ms).created_ms;
  if (created_ms <= 0) {
    return std::nullopt;
  }
  const std::string_view name = files.front().name;
  const double place = crc32c(std::as_bytes(std::span(name.data(), name.size()))) * 0x1p-32;
  const double factor = std::max(0.0, 1 + options.major_compaction_jitter * (1 - 2 * place));
  const auto due_ms = later(created_ms, static_cast<double>(period_ms) * factor);
  if (files.size() > 1 || !due_ms) {
    return due_ms;
  }
  if (!time_to_live_ms || !files.front().oldest_ms) {
    return std::nullopt;
  }
  const auto expires_ms = later(*files.front().oldest_ms, static_cast<double>(*time_to_live_ms));
  return expires_ms ? std::optional(std::max(*due_ms, *expires_ms)) : std::nullopt;
}

}  // namespace bloomery::store
