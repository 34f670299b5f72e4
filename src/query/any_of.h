// Several filters that are queried as one: a line may be in if any filter answers maybe.
//
//   keys, add*, append_identities*, allow?    then answer*
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/exception_table.h"
#include "query/batch_keys.h"
#include "query/key_filter.h"

namespace bloomery {

class AnyOf {
 public:
  explicit AnyOf(KeyPlace place) : keys_(std::move(place)) {}

  // Returns what gives the filters their keys, for make_key_filter().
  BatchKeys& keys() { return keys_; }
  // Adds a filter that was made with keys(). `name` is the subject of its errors.
  void add(std::string name, std::unique_ptr<KeyFilter> filter);

  // Appends a hash of the key of each line. Errors: those of BatchKeys::begin() and KeyFilter::identities().
  Status append_identities(LineBatch& batch, std::uint64_t first_line, std::vector<Hash128>& hashes);
  // Answers no for these keys, whatever the filters answer. They are compared by all 128 bits.
  void allow(std::vector<Hash128> hashes);

  // Sets bit i of `answers` if line i may be in. Drops skipped lines from the batch. Errors: those of
  // KeyFilter::say().
  Status answer(LineBatch& batch, std::uint64_t first_line, std::vector<std::uint64_t>& answers);
  // Answers as answer() does. If a line's text does not have the key form, the batch and the answers end
  // before it, and its error is returned.
  Result<std::optional<Error>> answer_up_to_bad_line(LineBatch& batch, std::uint64_t first_line,
                                                     std::vector<std::uint64_t>& answers) {
    return keys_.ask_up_to_bad_line(batch, [&] { return answer(batch, first_line, answers); });
  }

  // Returns true if data without a filter forces some maybes. forced_maybes() returns how many so far.
  bool forces_maybes() const;
  std::uint64_t forced_maybes() const { return forced_; }

  // Returns an error if a file is no longer complete, so that answers may be wrong.
  Status file_status() const;
  // Returns an error if a query found damage in a filter.
  Status status() const;

  // Returns how many keys were read from write-ahead logs.
  std::uint64_t log_keys() const;
  // Returns "BF.MEXISTS of redis host:port (RedisBloom ...)" for each filter that is a key of a server; empty
  // for files.
  std::string asked_servers() const;
  KeyTally tally() const { return keys_.tally(); }
  bool are_plain_text() const { return keys_.are_plain_text(); }
  // Returns true if some keys that would match are answered no. Then there are fewer false positives than the
  // fpp predicts.
  bool have_exceptions() const;
  // Returns the facts of each filter that is a block list.
  std::vector<KeyFilter::QuestionFacts> questions() const;
  // Returns the probability that an absent key is answered maybe by any of the filters.
  double current_fpp() const;

 private:
  struct Named {
    std::string name;
    std::unique_ptr<KeyFilter> filter;
  };

  Status force_maybes(std::vector<std::uint64_t>& answers);

  BatchKeys keys_;
  std::vector<Named> filters_;
  ExceptionTable allowed_;
  std::vector<std::uint64_t> more_answers_;
  std::uint64_t forced_ = 0;
};

}  // namespace bloomery
