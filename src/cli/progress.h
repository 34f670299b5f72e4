// A progress line on stderr. It appears only if stderr is a terminal, and is redrawn at most four times per
// second.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery::cli {

class Progress {
 public:
  explicit Progress(std::string verb);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { clear(); }

  // Clears the line until the next update, before other text is printed.
  void clear();
  bool is_shown() const { return shown_; }
  // Stops drawing. Verbs call this if the user types the keys, because the line would overwrite them.
  void hide() { shown_ = false; }
  // Reports that `count` things of a kind and `done` of `total` bytes have been read. Without a total, the
  // line has a rate but no remaining time.
  void update(std::uint64_t count, std::uint64_t done, std::optional<std::uint64_t> total,
              std::string_view kind = "keys");
  // Reports that `done` of `total` items of a kind ("shards") are finished.
  void update_steps(std::string_view kind, std::uint64_t done, std::uint64_t total);
  // Reports that `files` files with together `bytes` bytes have been read.
  void update_files(std::uint64_t files, std::uint64_t bytes);
  // Reports that `rows` rows have been read, the last one in region number `region` of `regions`.
  void update_rows(std::uint64_t rows, std::uint64_t region, std::uint64_t regions);

 private:
  using Clock = std::chrono::steady_clock;

  // Returns the seconds since the start, or nothing if it is too early to draw again.
  std::optional<double> time_to_draw();

  std::string verb_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace bloomery::cli
