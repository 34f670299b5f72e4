// One line on stderr that tells how far a verb has come: only when stderr is a terminal, four times a second
// at most.
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
  // Clears the line.
  ~Progress();

  bool is_shown() const { return shown_; }
  // `done` of `total` bytes are read, and `keys` keys. Without a total there is a rate but no time left.
  void update(std::uint64_t keys, std::uint64_t done, std::optional<std::uint64_t> total);
  // `done` of `total` things of a kind, such as "shards", are finished.
  void update_steps(std::string_view kind, std::uint64_t done, std::uint64_t total);

 private:
  using Clock = std::chrono::steady_clock;

  // The seconds since the start, when it is time to draw again.
  std::optional<double> time_to_draw();

  std::string verb_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace bloomery::cli
