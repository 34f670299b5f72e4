// A KeyFilter is queried for batches of lines. It hides the kind of filter:
//
//   one of ours                                queried by hashes
//   a block list of ours                       queried by the hashes of all questions of a line
//   one of a dialect                           queried by key bytes
//   a database directory of LevelDB or RocksDB queried by key bytes, file by file
//   a directory of Cassandra's sstables        queried by key bytes, filter by filter
//   a key of a Redis or Valkey server          queried by key bytes, over a connection (redis_keys.h)
//
// All get their keys from the BatchKeys that they were opened with. open_key_filter.h opens those that are
// files.
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

  // Answers a batch: bit i of `answers` is set if line i may be in. Errors: kInvalidArgument for a line
  // whose key is not of its form.
  virtual Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const = 0;
  // --- The halves of answer(), like those of DialectFilter: the answers of the filters, and the forced
  // maybes.
  virtual bool forces_maybes() const { return false; }
  virtual Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const {
    return answer(batch, answers);
  }
  virtual Status force(BatchKeys&, std::span<std::uint64_t>) const { return {}; }

  // --- The parts of the data, like those of DialectFilter. ask_parts() answers lines `first` to `first` +
  // 63, as far as the batch has them. The caller begins each batch with line 0, and `first` is a multiple
  // of 64.
  virtual std::size_t part_count() const { return 1; }
  virtual bool part_has_filter(std::size_t) const { return true; }
  virtual Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const = 0;

  // Returns one hash for every line. Equal hashes mean equal keys; --allow compares them. Errors: also
  // kInvalidArgument for a block list, which has several keys per line.
  virtual Result<std::span<const Hash128>> identities(BatchKeys& batch) const = 0;

  // Returns the probability that an absent line is answered maybe. For a block list this is the joint one
  // for the mean number of questions per line of `batch` so far.
  virtual double current_fpp(const BatchKeys& batch) const = 0;
  // The number of questions that a line of a block list asks. Empty for other filters.
  struct QuestionFacts {
    double mean;       // mean over the lines so far
    std::size_t most;  // maximum for a line
    double fpp_of_one;
  };
  virtual std::optional<QuestionFacts> questions(const BatchKeys&) const { return std::nullopt; }
  // Names the server and the way of querying, if it was a server. A server does not report its fpp;
  // current_fpp() is 1.
  virtual std::optional<std::string> asked_server() const { return std::nullopt; }
  // Returns true if current_fpp() follows from the build parameters; false if it follows from the fill.
  virtual bool is_static() const = 0;
  // These values were recorded when the filter was made. The fpp of a block list is the joint one of the
  // maximal number of questions.
  virtual std::optional<double> target_fpp() const = 0;
  virtual std::optional<std::uint64_t> capacity() const = 0;

  virtual bool has_exceptions() const { return false; }
  // Returns the number of keys of a database that were read from its write-ahead log.
  virtual std::uint64_t log_keys() const { return 0; }
  // Returns an error if a query found damage.
  virtual Status status() const { return {}; }
  // Returns Ok if the file is still complete. The caller checks it before using answers, which may be wrong
  // otherwise.
  virtual Status file_status() const = 0;
};

}  // namespace bloomery::cli
