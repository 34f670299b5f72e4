// A filter of any kind that is queried with batches of lines:
//
//   one of our filters                         queried by hashes
//   one of our block lists                     queried by the hashes of all questions of a line
//   a filter of a dialect                      queried by key bytes
//   a database directory of LevelDB or RocksDB queried by key bytes, file by file
//   a directory of Cassandra's sstables        queried by key bytes, filter by filter
//   a key of a Redis or Valkey server          queried by key bytes, over a connection
//
// Each gets its keys from the BatchKeys with which it was made (key_filters.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "query/batch_keys.h"

namespace bloomery {

class KeyFilter {
 public:
  KeyFilter() = default;
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;
  virtual ~KeyFilter() = default;

  // Answers a batch: sets bit i of `answers` if line i may be in the filter. Errors: kInvalidArgument for a
  // line whose text does not have the key form.
  Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const {
    BLOOMERY_RETURN_IF_ERROR(say(batch, answers));
    return forces_maybes() ? force(batch, answers) : Status();
  }
  // --- The two halves of answer(), as in DialectFilter: say() sets the answers of filters, force() the
  // maybes of data without a filter.
  virtual bool forces_maybes() const { return false; }
  virtual Status say(BatchKeys& batch, std::span<std::uint64_t> answers) const = 0;
  virtual Status force(BatchKeys&, std::span<std::uint64_t>) const { return {}; }

  // --- The parts of the data, as in DialectFilter. ask_parts() sets one word per part, with the answers for
  // the lines `first` to `first` + 63, as far as the batch has them. `first` is a multiple of 64, and each
  // batch begins with 0.
  virtual std::size_t part_count() const { return 1; }
  virtual bool part_has_filter(std::size_t) const { return true; }
  virtual Status ask_parts(BatchKeys& batch, std::size_t first, std::span<std::uint64_t> words) const = 0;

  // Returns one hash per line. Equal hashes mean equal keys; --allow compares them. Errors: also
  // kInvalidArgument for a block list, which has several keys per line.
  virtual Result<std::span<const Hash128>> identities(BatchKeys& batch) const = 0;

  // Returns the probability that an absent line is answered maybe. For a block list this is the joint
  // probability of all questions, at the mean number of questions per line so far.
  virtual double current_fpp(const BatchKeys& batch) const = 0;
  // How many questions the lines of a block list ask. Other filters return nothing.
  struct QuestionFacts {
    double mean;       // mean of all lines so far
    std::size_t most;  // the maximum for any line
    double fpp_of_one;
  };
  virtual std::optional<QuestionFacts> questions(const BatchKeys&) const { return std::nullopt; }
  // Returns the server's name and the command, if a server was queried. Its fpp is unknown, so current_fpp()
  // is 1.
  virtual std::optional<std::string> asked_server() const { return std::nullopt; }
  // Returns true if current_fpp() is computed from the build parameters; false if from the fill ratio.
  virtual bool is_static() const = 0;
  // The values that were recorded when the filter was made. The fpp of a block list is the joint fpp of the
  // maximum number of questions.
  virtual std::optional<double> target_fpp() const = 0;
  virtual std::optional<std::uint64_t> capacity() const = 0;

  virtual bool has_exceptions() const { return false; }
  // Returns how many keys of a database were read from its write-ahead log.
  virtual std::uint64_t log_keys() const { return 0; }
  // Returns an error if a query found damage.
  virtual Status status() const { return {}; }
  // Returns an error if the file is no longer complete, because it was truncated. Callers check this before
  // they use answers, which may be wrong otherwise.
  virtual Status file_status() const = 0;
};

}  // namespace bloomery
