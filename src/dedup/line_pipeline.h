// Reads, splits and hashes lines on its own thread, while the caller processes earlier batches.
//
//   reader's thread                                                                   caller's thread
//   InputFiles -> LineReader -> KeyHasher -> | ring of kSlots batches | ------------> next()
//
// The ring is bounded, which gives back-pressure: a slow caller stops the reading. A batch is delivered as
// soon as it is read, so a slow input delays no line. An error is delivered in order, after the batches that
// were read before it.
//
// Signals. While the reader runs, the caller's thread blocks SIGINT, SIGTERM and SIGHUP, so that they
// interrupt the reader's thread, which waits in read(2). The caller chooses their handler, which should set
// `stop`; the input checks that flag.
//
// The destructor also sets `stop`. It wakes a reader that waits for input by SIGURG, which otherwise has no
// effect.
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
#include "dedup/event_time.h"
#include "keys/input_files.h"
#include "keys/key_hasher.h"
#include "keys/key_maker.h"
#include "keys/line_reader.h"

namespace bloomery {

struct KeyedBatch {
  LineBatch lines;
  std::vector<Hash128> hashes;         // one per line, of its key
  std::vector<std::string_view> keys;  // if keys are kept; views of the lines, or of bytes of the batch
  std::vector<std::int64_t> times;     // one per line, in ns since 1970, if the recipe has a TimePlace
  std::uint64_t bytes_read = 0;        // of all files, at the time when the batch was read
  KeyTally tally = {};                 // of this batch alone
};

struct KeyRecipe {
  HashSpec hash = {};
  KeyTreatment treatment = {};
  KeyPlace place = {};
  bool keep_keys = false;
  std::optional<TimePlace> time = {};
};

class LinePipeline {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kSlots = 4;

  // Begins to read. `input` must use this `stop`. Both must outlive this object. Precondition: a recipe that
  // KeyMaker accepts.
  LinePipeline(InputFiles& input, std::atomic<bool>& stop, const KeyRecipe& recipe);
  LinePipeline(const LinePipeline&) = delete;
  LinePipeline& operator=(const LinePipeline&) = delete;
  // Ends the reading, whatever the reader is doing.
  ~LinePipeline();

  enum class Next { kBatch, kEnd, kNotYet };

  // Waits for the next batch, until `deadline` at most. Errors: the error of an input file, which it names;
  // kInvalidArgument for a malformed key or time, with file and line. An error comes after all lines before
  // it; after an error comes kEnd.
  Result<Next> next(std::optional<Clock::time_point> deadline = std::nullopt);
  // The batch that next() delivered, valid until next() is called again.
  const KeyedBatch& batch() const { return slots_[taken_ % kSlots].batch; }
  // Drops the lines of that batch after the first `count`. Precondition: count is at most their number.
  void keep_first(std::size_t count);
  // Returns true if next() would return at once.
  bool is_ready();
  // Waits until is_ready().
  void wait_until_ready();

  // Returns the most memory of the batches if no line is longer than `line_bytes`.
  static std::uint64_t most_bytes(std::uint64_t line_bytes);

 private:
  struct Slot {
    KeyedBatch batch;
    std::optional<KeyMaker> maker;  // owns the batch's keys
  };

  void read_all();
  Result<bool> fill(Slot& slot, KeyHasher& hasher);
  Status make_keys(Slot& slot, KeyHasher& hasher);
  Status read_times(KeyedBatch& batch);
  // Precondition: mutex_ is held.
  bool has_next() const { return filled_ > taken_ + (has_batch_ ? 1 : 0) || at_end_; }
  void wake_until_finished();

  InputFiles& input_;
  std::atomic<bool>& stop_;
  const KeyRecipe recipe_;
  std::array<Slot, kSlots> slots_;
  std::optional<Error> bad_key_;  // comes after the last filled batch; only the reader uses it

  std::mutex mutex_;
  std::condition_variable changed_;
  // Batches that the reader filled, and batches that the caller has returned. The caller holds a batch while
  // it processes it (has_batch_).
  std::uint64_t filled_ = 0;
  std::uint64_t taken_ = 0;
  bool has_batch_ = false;
  bool at_end_ = false;    // the reader delivers no more
  bool released_ = false;  // the reader may end
  bool finished_ = false;  // the reader is about to return
  Status outcome_;         // how the reading ended

  sigset_t old_signals_{};
  std::thread reader_;
};

}  // namespace bloomery
