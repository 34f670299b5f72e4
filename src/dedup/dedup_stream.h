// The main loop of deduplication. It takes batches from the pipeline, asks the SeenKeys which lines are new,
// and prints them in the order of the input.
//
// Printed lines wait in the sink only if the next batch is already there. So a line from a slow pipe leaves
// at once.
//
// A checkpoint is reached only when all output so far has left. So no key is saved as seen if nobody has seen
// its line.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "dedup/line_pipeline.h"
#include "dedup/seen_keys.h"
#include "keys/key_place.h"
#include "keys/key_tally.h"
#include "keys/key_text.h"
#include "keys/line_reader.h"

namespace bloomery {

// Takes the lines that are printed.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // May keep bytes back until flush().
  virtual Status write(std::string_view text) = 0;
  virtual Status flush() = 0;
  // Does what flush() does. If the sink is a file, also waits until its bytes would survive a crash.
  virtual Status sync() = 0;
};

struct DedupCounts {
  std::uint64_t lines = 0;
  std::uint64_t kept = 0;  // lines whose key was not seen before
  KeyTally keys;
};

// Saves what was seen from time to time.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  // The time at which the next checkpoint is due.
  virtual LinePipeline::Clock::time_point due() const = 0;
  // Saves. `counts` are those of this run; all its lines have left the sink.
  virtual Status save(const DedupCounts& counts) = 0;
};

struct DedupOptions {
  enum class Print { kFirst, kRepeats, kNothing };
  Print print = Print::kFirst;
  char delimiter = '\n';  // ends every printed line, also a last line that came without it
  bool line_buffered = false;
  // If it is set, only the text of each line's key is printed, and no header.
  std::optional<KeyPlace> only_key = {};
  Checkpoint* checkpoint = nullptr;
  // Returns how many lines of a batch may be taken, from its first one on. If they are not all, the run ends behind them
  // (is_full()). Unless it is given, all may.
  std::function<std::size_t(const KeyedBatch&)> fitting = {};
  // Called after every batch.
  std::function<void(const DedupCounts&, const KeyedBatch&)> after_batch = {};
};

class DedupStream {
 public:
  DedupStream(SeenKeys& seen, LineSink& sink, DedupOptions options)
      : seen_(seen), sink_(sink), options_(std::move(options)) {
    if (options_.only_key) {
      key_text_.emplace(*options_.only_key);
    }
  }

  // Reads to the end. There are two kinds of errors, which output_failed() tells apart:
  //
  //   false   of the input; everything before it was taken and printed
  //   true    of the sink, of a checkpoint, or without memory; some lines may be missing in the output
  Status run(LinePipeline& pipeline);

  const DedupCounts& counts() const { return counts_; }
  // Whether the run ended because a line did not fit. The number of lines before it is counts().lines.
  bool is_full() const { return is_full_; }
  // Whether a line that counts as seen may not have been printed.
  bool output_failed() const { return output_failed_; }

 private:
  void keep_fitting(LinePipeline& pipeline);
  Status take(const KeyedBatch& batch);
  Status print(const LineBatch& lines, std::span<const std::uint64_t> wanted);
  Status print_run(const LineBatch& lines, std::size_t begin, std::size_t end);
  Status print_header(std::string_view header);
  Status reach_checkpoint();
  Status put_out(Status done);

  SeenKeys& seen_;
  LineSink& sink_;
  DedupOptions options_;
  DedupCounts counts_;
  std::optional<KeyText> key_text_;
  bool has_header_ = false;  // whether one was printed; the output has only that of the first file
  std::vector<std::uint64_t> answers_;
  bool is_full_ = false;
  bool output_failed_ = false;
  bool changed_ = false;  // whether keys came since the last checkpoint
};

}  // namespace bloomery
