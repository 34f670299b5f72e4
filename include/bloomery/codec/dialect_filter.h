// A filter in the file format of another system: Guava, LevelDB, DCSO and others. dialects.h opens and
// makes them.
//
// Keys are bytes, since every system hashes them in its own way. The caller turns values into these bytes
// (by a funnel or a key form). The filter gives the same answers as the original, and writes the same file,
// byte for byte.
//
// Threads: const calls may run concurrently; any other call must run alone.
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
#include "bloomery/hash/key_type.h"

namespace bloomery {

// The facts that `inspect` shows for every dialect. A fact that the format does not record is empty.
struct DialectFacts {
  std::uint64_t bits = 0;        // bits that keys are mapped to
  std::uint32_t hash_count = 0;  // probes per key; 0 if the format has no such number
  std::uint64_t set_bits = 0;
  std::optional<std::uint64_t> capacity;
  std::optional<double> target_fpp;
  std::optional<std::uint64_t> inserted;
  // "none", or what open verified: "crc32c of every block".
  std::string integrity = "none";
  // Facts that only this format has, in its own words: {"strategy", "MURMUR128_MITZ_64"}.
  std::vector<std::pair<std::string, std::string>> more;
};

// Decides how to treat data without a filter, such as a row group of a Parquet file.
enum class MissingFilters {
  kRefuse,  // the file is not opened; the error names the part
  kAnyKey,  // the part may hold any key: every answer is maybe, unless its range excludes the key
};

class DialectFilter {
 public:
  // Receives the next bytes of a file. An error stops the writing.
  using Sink = std::function<Status(std::span<const std::byte>)>;

  DialectFilter() = default;
  DialectFilter(const DialectFilter&) = delete;
  DialectFilter& operator=(const DialectFilter&) = delete;
  virtual ~DialectFilter() = default;

  // Returns the name that opens the file of write(): "guava:mitz64".
  virtual std::string dialect() const = 0;
  // Reads all bits once.
  virtual DialectFacts facts() const = 0;

  // Returns false if the key was certainly not inserted.
  virtual bool may_contain(std::string_view key) const = 0;
  // Returns false if the filter has no bits for this key, so that may_contain() always returns true. For
  // example, a filter of prefixes cannot deny a key without one.
  virtual bool can_tell(std::string_view) const { return true; }
  // Queries many keys. The answer for key i is bit i mod 64 of word i / 64; the last word's other bits are
  // 0. Filters larger than the cache overlap the latencies of the keys. This implementation calls
  // may_contain() key by key. Precondition: answers has answer_words(keys.size()) words.
  virtual void may_contain_batch(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const;

  // Returns the rule that turns text into the keys of this filter, if the file itself states the type of
  // its values. Returns null if it does not, or if a key's text is its bytes.
  virtual std::shared_ptr<const KeyType> key_type() const { return nullptr; }

  // Returns the type of the keys in the notation of the system, if a file next to the filter's records it.
  virtual std::optional<std::string> recorded_key_type() const { return std::nullopt; }

  // Returns the file's statement of how its keys are made, if only the program that wrote it knows that
  // rule. Empty for all other filters.
  virtual std::string keys_made_by() const { return {}; }

  // --- The data that a filter covers consists of parts. In a Parquet file these are row groups; most
  // filters have one part, number 0.
  virtual std::size_t part_count() const { return 1; }
  // Returns the number of parts that have keys but neither filter nor range (MissingFilters::kAnyKey). They
  // make every answer maybe.
  virtual std::size_t parts_without_filter() const { return 0; }
  // Returns the number of parts without a filter whose range of values is known. They deny only keys
  // outside their range.
  virtual std::size_t parts_by_range() const { return 0; }
  // Returns true if the part's maybe comes from a filter. Precondition: part < part_count().
  virtual bool part_has_filter(std::size_t) const { return true; }
  // Queries up to 64 keys per part: bit i of words[p] is set if part p may have key i. Precondition: words
  // has part_count() words.
  virtual void ask_parts(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const {
    may_contain_batch(keys, words);
  }

  // --- The two halves of may_contain_batch() serve callers that count forced maybes. A maybe is forced if
  // it does not depend on the filters: a part has no filter, or a value has too many spellings.
  virtual bool forces_maybes() const { return false; }
  // Answers by the filters alone. A no of this half is not certain.
  virtual void filters_say(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const {
    may_contain_batch(keys, answers);
  }
  // Sets the bits of forced maybes and leaves the others unchanged.
  virtual void force_maybes(std::span<const std::string_view>, std::span<std::uint64_t>) const {}

  // Returns true if the filter was made of all its keys at once and accepts no more. insert() then returns
  // the reason.
  virtual bool is_static() const { return false; }
  // Returns true if the filter changed, by the rule of the original. Errors: kUnsupported for a static
  // filter; also errors for keys that the original refuses.
  virtual Result<bool> insert(std::string_view key);
  // Returns how many of the keys changed the filter, in order. After an error, the keys before the refused
  // one are in.
  virtual Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys);

  // Adds the keys of `other`, by the original's own rule. Errors: kInvalidArgument, naming all differences;
  // kUnsupported if the dialect cannot merge. After an error nothing has changed.
  virtual Status merge(const DialectFilter& other);

  // Returns the fpp computed from the set bits, in [0, 1].
  virtual double current_fpp() const = 0;
  // Estimates the distinct keys from the set bits. Errors: kCapacity if the filter is too full to tell.
  virtual Result<double> estimated_count() const = 0;

  // Passes the file that the original would have written to `sink`, in several calls.
  virtual Status write(const Sink& sink) const = 0;
  // Appends the bytes of that file to `out`. After an error (kCapacity of a compressor) `out` is unchanged.
  Status append_to(std::string& out) const;
  // Checks that a file with this filter may have the name `path`. Some systems read part of the format from
  // the name, so that another name would change the meaning of the bytes. Errors: kInvalidArgument.
  virtual Status check_path(const std::string&) const { return {}; }
  // Writes the file `path`: temporary file, fsync, rename, fsync of the directory. After an error the old
  // file is untouched. Errors: also kInvalidArgument of check_path().
  Status save(const std::string& path, const SaveTo& to = {}) const;

  // Keeps an object alive, such as a mapping that the filter reads, as long as the filter lives.
  void hold(std::shared_ptr<const void> held) { held_.push_back(std::move(held)); }

  // Returns Ok if the file that the filter reads is still complete, like NativeFilter::file_status(). Call
  // it after the queries. Errors: kCorruption.
  Status file_status() const { return file_status_ ? file_status_() : Status(); }
  // For the opening code: sets the function that file_status() calls.
  void ask_file_by(std::function<Status()> status) { file_status_ = std::move(status); }

 private:
  std::vector<std::shared_ptr<const void>> held_;
  std::function<Status()> file_status_;
};

// The plan of a new filter. Set exactly one of fpp and bits_per_key.
struct DialectPlan {
  std::uint64_t capacity = 0;  // distinct keys; ignored by dialects that are SizedBy::kKeys
  std::optional<double> fpp;
  std::optional<double> bits_per_key;
};

// Builds a filter from keys. Calls: add* finish.
class DialectBuilder {
 public:
  DialectBuilder() = default;
  DialectBuilder(const DialectBuilder&) = delete;
  DialectBuilder& operator=(const DialectBuilder&) = delete;
  virtual ~DialectBuilder() = default;

  // The views need not outlive the call.
  virtual Status add(std::span<const std::string_view> keys) = 0;
  // Call it once; no key can be added afterwards.
  virtual Result<std::unique_ptr<DialectFilter>> finish() = 0;
};

}  // namespace bloomery
