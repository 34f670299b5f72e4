// The main loop of deduplication. It reads batches from the pipeline, asks the SeenKeys which lines are new,
// and prints these in the order of the input.
//
// Printed lines are buffered in the sink only if the next batch is already there. So a line from a slow pipe
// is flushed at once.
//
// A checkpoint happens only when all output so far is flushed. So no key is saved as seen before its line is
// out.
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

// The output for printed lines.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // May buffer bytes until flush().
  virtual Status write(std::string_view text) = 0;
  virtual Status flush() = 0;
  // Flushes. If the sink is a file, also waits until its bytes would survive a crash.
  virtual Status sync() = 0;
};

struct DedupCounts {
  std::uint64_t lines = 0;
  std::uint64_t kept = 0;  // lines whose key was not seen before
  KeyTally keys;
};

// Saves the seen keys periodically.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  // Returns the time at which the next checkpoint is due.
  virtual LinePipeline::Clock::time_point due() const = 0;
  // Saves. `counts` are those of this run; all its lines have been flushed.
  virtual Status save(const DedupCounts& counts) = 0;
};

struct DedupOptions {
  enum class Print { kFirst, kRepeats, kNothing };
  Print print = Print::kFirst;
  char delimiter = '\n';  // ends every printed line, even if the last line of the input lacked it
  bool line_buffered = false;
  // If set, only the text of each line's key is printed, and no header.
  std::optional<KeyPlace> only_key = {};
  Checkpoint* checkpoint = nullptr;
  // Returns how many lines of a batch, from its first one on, may be processed. If not all may, the run ends
  // after them (is_full()). If it is not set, all may.
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
  //   false   of the input; everything before it was processed and printed
  //   true    of the sink, of a checkpoint, or of memory; the output may lack some lines
  Status run(LinePipeline& pipeline);

  const DedupCounts& counts() const { return counts_; }
  // Returns true if the run ended because a line did not fit. The number of lines before it is
  // counts().lines.
  bool is_full() const { return is_full_; }
  // Returns true if a line that counts as seen may not have been printed.
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
  bool has_header_ = false;  // a header was printed; the output has only that of the first file
  std::vector<std::uint64_t> answers_;
  bool is_full_ = false;
  bool output_failed_ = false;
  bool changed_ = false;  // keys came since the last checkpoint
};

}  // namespace bloomery
