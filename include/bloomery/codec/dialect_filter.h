// A filter in the bytes of another system: Guava's, LevelDB's, DCSO's, ...
//
// Keys are bytes, since every system hashes them in its own way; what makes a value those bytes (a funnel, a
// key form) is the caller's part. The filter answers, and is written, as the original would have done it: the
// same bits, the same file, byte for byte. Open and make one with dialects.h.
//
// Threads: everything const may run together; the rest needs the filter alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/native_filter.h"

namespace bloomery {

// What `inspect` shows of every dialect; what a format does not record is absent.
struct DialectFacts {
  std::uint64_t bits = 0;        // that keys are mapped to
  std::uint32_t hash_count = 0;  // probes a key; 0 where that is not a number of the format
  std::uint64_t set_bits = 0;
  std::optional<std::uint64_t> capacity;
  std::optional<double> target_fpp;
  std::optional<std::uint64_t> inserted;
  // "none", or what was checked when it was opened: "crc32c of every block".
  std::string integrity = "none";
  // What only this format has, in its words: {"strategy", "MURMUR128_MITZ_64"}.
  std::vector<std::pair<std::string, std::string>> more;
};

class DialectFilter {
 public:
  // Takes the next bytes of a file; an error ends the writing.
  using Sink = std::function<Status(std::span<const std::byte>)>;

  DialectFilter() = default;
  DialectFilter(const DialectFilter&) = delete;
  DialectFilter& operator=(const DialectFilter&) = delete;
  virtual ~DialectFilter() = default;

  // The name that opens what write() writes: "guava:mitz64".
  virtual std::string dialect() const = 0;
  // Reads all bits once.
  virtual DialectFacts facts() const = 0;

  // False: the key was certainly not inserted.
  virtual bool may_contain(std::string_view key) const = 0;
  // The same for many: bit i mod 64 of word i / 64 is the answer for key i, the last word's other bits are 0.
  // Filters larger than the cache hide one key's latency behind the others'. Precondition: answers has
  // answer_words(keys.size()) words. This one asks key by key.
  virtual void may_contain_batch(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const;

  // Whether it was made of all its keys at once and takes no more; insert() then says why.
  virtual bool is_static() const { return false; }
  // Returns what the original answers: whether the filter changed. Errors: kUnsupported for a static one;
  // what the original refuses.
  virtual Result<bool> insert(std::string_view key);
  // Returns how many of the keys changed it, in order. After an error the keys before the refused one are in.
  virtual Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys);

  // Takes in the keys of `other`, by the original's own rule. Errors: kInvalidArgument, naming what differs;
  // kUnsupported where the dialect cannot; nothing is changed then.
  virtual Status merge(const DialectFilter& other);

  // The fpp from the bits that are set, in [0, 1].
  virtual double current_fpp() const = 0;
  // Distinct keys, from the bits that are set. Errors: kCapacity where they tell nothing any more.
  virtual Result<double> estimated_count() const = 0;

  // Gives `sink` the file that the original would have written, piece by piece.
  virtual Status write(const Sink& sink) const = 0;
  // The same bytes, appended to `out`, which is as before after an error (kCapacity, of what compresses).
  Status append_to(std::string& out) const;
  // The same bytes as the file `path`: temporary file, fsync, rename, fsync of the directory. After an error
  // the old file is untouched.
  Status save(const std::string& path, const SaveTo& to = {}) const;

  // Keeps what the filter needs for as long as it lives, such as a mapping it reads.
  void hold(std::shared_ptr<const void> held) { held_.push_back(std::move(held)); }

  // Whether the file that it reads is still whole, as NativeFilter::file_status(): to be asked after answers. Errors:
  // kCorruption.
  Status file_status() const { return file_status_ ? file_status_() : Status(); }
  // For whoever opens it: how to find out.
  void ask_file_by(std::function<Status()> status) { file_status_ = std::move(status); }

 private:
  std::vector<std::shared_ptr<const void>> held_;
  std::function<Status()> file_status_;
};

// What a new filter is planned for: exactly one of fpp and bits_per_key.
struct DialectPlan {
  std::uint64_t capacity = 0;  // distinct keys; ignored by dialects that are sized by the keys they are given
  std::optional<double> fpp;
  std::optional<double> bits_per_key;
};

// Makes a filter of keys.   Calls: add* finish
class DialectBuilder {
 public:
  DialectBuilder() = default;
  DialectBuilder(const DialectBuilder&) = delete;
  DialectBuilder& operator=(const DialectBuilder&) = delete;
  virtual ~DialectBuilder() = default;

  // The views need not outlive the call.
  virtual Status add(std::span<const std::string_view> keys) = 0;
  // Once; nothing is added after it.
  virtual Result<std::unique_ptr<DialectFilter>> finish() = 0;
};

}  // namespace bloomery
