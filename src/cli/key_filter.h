// A filter that is asked about batches of lines. It hides what kind of filter it is:
//
//   one of ours                                asked by hashes
//   a block list of ours                       asked by the hashes of all questions of a line
//   one of a dialect                           asked by key bytes
//   a database directory of LevelDB or RocksDB asked by key bytes, file by file
//   a directory of Cassandra's sstables        asked by key bytes, filter by filter
//   a key of a Redis or Valkey server          asked by key bytes, over a connection (redis_keys.h)
//
// All take their keys from the BatchKeys that they were opened with. open_key_filter.h opens those that are files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "cli/batch_keys.h"

namespace bloomery::cli {

class KeyFilter {
 public:
  KeyFilter() = default;
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;
  virtual ~KeyFilter() = default;

  // Answers a batch: bit i of `answers` is set if line i may be in. Errors: a line whose key is not of its
  // form.
  virtual Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const = 0;
  // --- The halves of answer(), as those of DialectFilter: what filters say, and the maybes that are forced.
  virtual bool forces_maybes() const { return false; }
  virtual Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const {
    return answer(batch, answers);
  }
  virtual Status force(BatchKeys&, std::span<std::uint64_t>) const { return {}; }

  // --- The parts of the data that the filter stands for, as those of DialectFilter. ask_parts() answers lines
  // `first` to `first` + 63, as far as the batch has them. The caller begins each batch with line 0, and `first` is a
  // multiple of 64.
  virtual std::size_t part_count() const { return 1; }
  virtual bool part_has_filter(std::size_t) const { return true; }
  virtual Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const = 0;

  // Returns one hash for every line. Equal hashes mean equal keys; --allow compares them. Errors: also kInvalidArgument
  // for a block list, of whose lines several keys tell.
  virtual Result<std::span<const Hash128>> identities(BatchKeys& batch) const = 0;

  // Returns the probability that an absent line is answered maybe. For a block list this is the joint one of as many
  // questions as the lines of `batch` asked so far on average.
  virtual double current_fpp(const BatchKeys& batch) const = 0;
  // Says how many questions a line of a block list asks. Nothing for other filters.
  struct QuestionFacts {
    double mean;       // of the lines so far
    std::size_t most;  // that a line can ask
    double fpp_of_one;
  };
  virtual std::optional<QuestionFacts> questions(const BatchKeys&) const { return std::nullopt; }
  // Says who was asked and how, if it was a server. It does not tell the fpp, and current_fpp() is 1.
  virtual std::optional<std::string> asked_server() const { return std::nullopt; }
  // True if current_fpp() follows from how the filter was built; false if it follows from the fill.
  virtual bool is_static() const = 0;
  // The values that were recorded when the filter was made. The fpp of a block list is the joint one of the most
  // questions.
  virtual std::optional<double> target_fpp() const = 0;
  virtual std::optional<std::uint64_t> capacity() const = 0;

  virtual bool has_exceptions() const { return false; }
  // The number of keys of a database that were read from its write-ahead log.
  virtual std::uint64_t log_keys() const { return 0; }
  // An error if damage was found while the filter was asked.
  virtual Status status() const { return {}; }
  // Whether the file is still whole. The caller checks it before it uses answers, which may be wrong
  // otherwise.
  virtual Status file_status() const = 0;
};

}  // namespace bloomery::cli
