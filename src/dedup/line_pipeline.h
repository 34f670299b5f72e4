// Reads, cuts and hashes lines on a thread of its own, while the caller works on the batches before.
//
//   reader's thread:  InputFiles -> LineReader -> KeyHasher ->| ring of kSlots batches |-> next(): the
//   caller's thread
//
// The ring has a bound, so a slow caller stops the reading; a batch is given as soon as it is read, so a slow
// input delays no line. Errors come in their place, behind the batches before them.
//
// Signals. While the reader runs, the caller's thread leaves SIGINT, SIGTERM and SIGHUP to it: it is the one
// that waits in read(2), which they interrupt. What their handler does is the caller's affair; it sets
// `stop`, which the input looks at. The destructor sets it too, and wakes a reader that waits for input with
// SIGURG, which is of no effect otherwise.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"
#include "keys/key_maker.h"
#include "keys/line_reader.h"

namespace bloomery {

struct KeyedBatch {
  LineBatch lines;
  std::vector<Hash128> hashes;         // of the keys
  std::vector<std::string_view> keys;  // where they are kept: in the lines, or in the batch
  std::uint64_t bytes_read = 0;        // of all files, when it was read
  std::uint64_t without_url = 0;       // lines that were to have a URL as their key, and have none
};

struct KeyRecipe {
  HashSpec hash = {};
  KeyTreatment treatment = {};
  KeyPlace place = {};
  bool keep_keys = false;
};

class LinePipeline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kSlots = 4;

  // Begins to read. `input` must have been given `stop`; both must outlive this. Precondition: those of
  // KeyMaker.
  LinePipeline(InputFiles& input, std::atomic<bool>& stop, const KeyRecipe& recipe);
  LinePipeline(const LinePipeline&) = delete;
  LinePipeline& operator=(const LinePipeline&) = delete;
  // Ends the reading, wherever it is.
  ~LinePipeline();

  enum class Next { kBatch, kEnd, kNotYet };

  // Waits for the next batch, at most until `deadline`. Errors: of the input, and of keys that are not of
  // their form, with file and line; behind them the end, before them all lines that came before.
  Result<Next> next(std::optional<Clock::time_point> deadline = std::nullopt);
  // The one that next() gave, until it is called again.
  const KeyedBatch& batch() const { return slots_[taken_ % kSlots].batch; }
  // Whether next() would answer at once.
  bool is_ready();
  // Until it is.
  void wait_until_ready();

  // The most memory that batches take where no line is longer than `line_bytes`.
  static std::uint64_t most_bytes(std::uint64_t line_bytes);

 private:
  struct Slot {
    KeyedBatch batch;
    std::optional<KeyMaker> maker;  // owns the batch's keys
  };

  void read_all();
  Result<bool> fill(Slot& slot, KeyHasher& hasher);
  Status make_keys(Slot& slot, KeyHasher& hasher);
  // Precondition: mutex_ is held.
  bool has_next() const { return filled_ > taken_ + (has_batch_ ? 1 : 0) || at_end_; }
  void wake_until_finished();

  InputFiles& input_;
  std::atomic<bool>& stop_;
  const KeyRecipe recipe_;
  std::array<Slot, kSlots> slots_;
  std::optional<Error> bad_key_;  // behind the last batch filled; the reader's

  std::mutex mutex_;
  std::condition_variable changed_;
  // Batches filled, and batches the caller is done with; the caller has one more while it works on it.
  std::uint64_t filled_ = 0;
  std::uint64_t taken_ = 0;
  bool has_batch_ = false;
  bool at_end_ = false;    // the reader gives no more
  bool released_ = false;  // the reader may go
  bool finished_ = false;  // the reader is gone but for its return
  Status outcome_;         // of the reading

  sigset_t old_signals_{};
  std::thread reader_;
};

}  // namespace bloomery
