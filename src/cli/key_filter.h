// A filter of either kind, ours or a dialect's, that is asked for batches of lines.
//
// Ours are asked by hashes, dialects by key bytes; both take them from the BatchKeys they were opened with. A
// database directory (LevelDB's, RocksDB's) is one too: all its tables.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/filter/native_filter.h"
#include "cli/batch_keys.h"
#include "cli/dialect_choice.h"
#include "cli/key_options.h"

namespace bloomery::cli {

class KeyFilter {
 public:
  KeyFilter() = default;
  KeyFilter(const KeyFilter&) = delete;
  KeyFilter& operator=(const KeyFilter&) = delete;
  virtual ~KeyFilter() = default;

  // answers, bit i: line i of the batch may be in. Errors: a line whose key is not of its form.
  virtual Status answer(BatchKeys& batch, std::span<std::uint64_t> answers) const = 0;
  // One hash for every line, equal for equal keys only: what --allow compares.
  virtual Result<std::span<const Hash128>> identities(BatchKeys& batch) const = 0;

  // The probability that an absent key may be in.
  virtual double current_fpp() const = 0;
  // Whether that is as it was built; otherwise it is from the fill.
  virtual bool is_static() const = 0;
  // What was recorded when it was made.
  virtual std::optional<double> target_fpp() const = 0;
  virtual std::optional<std::uint64_t> capacity() const = 0;

  virtual bool has_exceptions() const { return false; }
  // What was found damaged while it was asked.
  virtual Status status() const { return {}; }
  // Whether its file is still whole: to be asked before the answers are told, which may be wrong otherwise.
  virtual Status file_status() const = 0;
};

// Opens the filter `name`, whose keys will be taken from `batch`. A directory is opened as a database.
// `options` are of filters of ours. Warnings are given as `verb`. Errors: also where the key options do not
// fit it.
Result<std::unique_ptr<KeyFilter>> open_key_filter(std::string_view verb, const std::string& name,
                                                   const DialectChoice& dialect, const KeyOptions& keys,
                                                   const OpenOptions& options, BatchKeys& batch);

}  // namespace bloomery::cli
