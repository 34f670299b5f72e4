// The stream: batches from the pipeline, asked of what was seen, their lines printed in the order they came.
//
// What is printed waits in the sink only while the next batch is there: a line from a slow pipe leaves at
// once. A checkpoint is reached only behind output that is out, so that no key is kept as seen whose line
// nobody saw.
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
#include "keys/line_reader.h"

namespace bloomery {

// Where lines go.
class LineSink {
 public:
  virtual ~LineSink() = default;
  // May keep some back until flush().
  virtual Status write(std::string_view text) = 0;
  virtual Status flush() = 0;
  // As flush(), and where it is a file waits until it would survive a crash.
  virtual Status sync() = 0;
};

struct DedupCounts {
  std::uint64_t lines = 0;
  std::uint64_t kept = 0;         // whose key was not seen before
  std::uint64_t without_url = 0;  // whose key was to be a URL, and is none
};

// Saves what was seen, now and then.
class Checkpoint {
 public:
  virtual ~Checkpoint() = default;
  // When the next one is due.
  virtual LinePipeline::Clock::time_point due() const = 0;
  // All lines of `counts`, those of this run, are out.
  virtual Status save(const DedupCounts& counts) = 0;
};

struct DedupOptions {
  enum class Print { kFirst, kRepeats, kNothing };
  Print print = Print::kFirst;
  char delimiter = '\n';  // a last line without it gets it
  bool line_buffered = false;
  Checkpoint* checkpoint = nullptr;
  // Called after every batch that was taken.
  std::function<void(const DedupCounts&, const KeyedBatch&)> after_batch = {};
};

class DedupStream {
 public:
  DedupStream(SeenKeys& seen, LineSink& sink, DedupOptions options)
      : seen_(seen), sink_(sink), options_(std::move(options)) {}

  // Reads to the end. Errors: of the input, when what came before it was taken and printed; of the sink, of a
  // checkpoint, or without memory, when it was not: output_failed() then.
  Status run(LinePipeline& pipeline);

  const DedupCounts& counts() const { return counts_; }
  // Some line that counts as seen may not have been printed.
  bool output_failed() const { return output_failed_; }

 private:
  Status take(const KeyedBatch& batch);
  Status print(const LineBatch& lines, std::span<const std::uint64_t> wanted);
  Status reach_checkpoint();
  Status put_out(Status done);

  SeenKeys& seen_;
  LineSink& sink_;
  DedupOptions options_;
  DedupCounts counts_;
  std::vector<std::uint64_t> answers_;
  bool output_failed_ = false;
  bool changed_ = false;  // since the last checkpoint
};

}  // namespace bloomery
