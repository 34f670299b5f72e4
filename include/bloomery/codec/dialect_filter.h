// A filter in the bytes of another system: Guava's, LevelDB's, DCSO's and others. dialects.h opens and makes
// them.
//
// Keys are bytes, since every system hashes them in its own way. The caller turns values into these bytes (by
// a funnel or a key form). The filter answers as the original does, and writes the same file, byte for byte.
//
// Threads: const calls may run together; any other call must run alone.
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

// The facts that `inspect` shows of every dialect. A fact that the format does not record is absent.
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

// Says what becomes of a part of the data that has no filter, such as a row group of a Parquet file.
enum class MissingFilters {
  kRefuse,  // the file is not opened; the error names the part
  kAnyKey,  // the part may have any key, so that every answer is maybe, unless it states the range of its keys
};

class DialectFilter {
 public:
  // Receives the next bytes of a file. Its first error ends the writing.
  using Sink = std::function<Status(std::span<const std::byte>)>;

  DialectFilter() = default;
  DialectFilter(const DialectFilter&) = delete;
  DialectFilter& operator=(const DialectFilter&) = delete;
  virtual ~DialectFilter() = default;

  // Returns the name that opens what write() writes: "guava:mitz64".
  virtual std::string dialect() const = 0;
  // Reads all bits once.
  virtual DialectFacts facts() const = 0;

  // Returns false if the key was certainly not inserted.
  virtual bool may_contain(std::string_view key) const = 0;
  // Returns false if the filter has no bits to ask about this key, so that may_contain() returns true whatever
  // was inserted. A filter of prefixes cannot tell of a key without one.
  virtual bool can_tell(std::string_view) const { return true; }
  // As may_contain(), for many keys. The answer for key i is bit i mod 64 of word i / 64; the last word's other bits
  // are 0. Filters larger than the cache overlap the latencies of the keys. This implementation asks key by
  // key. Precondition: answers has answer_words(keys.size()) words.
  virtual void may_contain_batch(std::span<const std::string_view> keys,
                                 std::span<std::uint64_t> answers) const;

  // Returns how text becomes the keys of this filter, if the file itself states the type of its values. Returns null
  // where it does not, or where a key's text is its bytes.
  virtual std::shared_ptr<const KeyType> key_type() const { return nullptr; }

  // Returns what the file says that its keys are made by, if that is a rule of the program that wrote it, which nobody
  // else knows. Empty for all other filters.
  virtual std::string keys_made_by() const { return {}; }

  // --- The parts of the data that a filter stands for. A Parquet file has row groups; most filters have one
  // part, number 0.
  virtual std::size_t part_count() const { return 1; }
  // Returns how many parts have keys but nothing that could deny one (MissingFilters::kAnyKey). They make every answer
  // maybe.
  virtual std::size_t parts_without_filter() const { return 0; }
  // Returns how many other parts have no filter, and deny only keys below their least or above their greatest value.
  virtual std::size_t parts_by_range() const { return 0; }
  // Returns whether a maybe of the part is a filter's. Precondition: part < part_count().
  virtual bool part_has_filter(std::size_t) const { return true; }
  // Answers up to 64 keys by parts: bit i of words[p] is set if part p may have key i. Precondition: words has
  // part_count() words.
  virtual void ask_parts(std::span<const std::string_view> keys, std::span<std::uint64_t> words) const {
    may_contain_batch(keys, words);
  }

  // --- The two halves of may_contain_batch(), for whoever counts how many maybes are forced. A forced maybe
  // is one that holds whatever the filters say, since a part has no filter, or since a value has too many
  // spellings.
  virtual bool forces_maybes() const { return false; }
  // Answers by the filters alone. A no of this half is not certain.
  virtual void filters_say(std::span<const std::string_view> keys, std::span<std::uint64_t> answers) const {
    may_contain_batch(keys, answers);
  }
  // Sets the bits of forced maybes and leaves the others as they are.
  virtual void force_maybes(std::span<const std::string_view>, std::span<std::uint64_t>) const {}

  // Returns whether the filter was made of all its keys at once and takes no more. insert() then says why.
  virtual bool is_static() const { return false; }
  // Returns what the original returns: whether the filter changed. Errors: kUnsupported for a static filter;
  // what the original refuses.
  virtual Result<bool> insert(std::string_view key);
  // Returns how many of the keys changed the filter, in order. After an error the keys before the refused one
  // are in.
  virtual Result<std::uint64_t> insert_batch(std::span<const std::string_view> keys);

  // Adds the keys of `other`, by the original's own rule. Errors: kInvalidArgument, naming what differs;
  // kUnsupported if the dialect cannot merge. Nothing has changed then.
  virtual Status merge(const DialectFilter& other);

  // Returns the fpp from the set bits, in [0, 1].
  virtual double current_fpp() const = 0;
  // Estimates the distinct keys from the set bits. Errors: kCapacity if the bits no longer tell.
  virtual Result<double> estimated_count() const = 0;

  // Passes the file that the original would have written to `sink`, piece by piece.
  virtual Status write(const Sink& sink) const = 0;
  // Appends the same bytes to `out`. After an error (kCapacity of a compressor) `out` is as before.
  Status append_to(std::string& out) const;
  // Checks that a file with this filter may have the name `path`. In a system that reads a part of the format from the
  // name of the file, another name would make the bytes another filter. Errors: kInvalidArgument.
  virtual Status check_path(const std::string&) const { return {}; }
  // Writes the same bytes to the file `path`: temporary file, fsync, rename, fsync of the directory. After an
  // error the old file is untouched. Errors: also those of check_path().
  Status save(const std::string& path, const SaveTo& to = {}) const;

  // Keeps an object, such as a mapping that the filter reads, as long as the filter lives.
  void hold(std::shared_ptr<const void> held) { held_.push_back(std::move(held)); }

  // Returns whether the file that the filter reads is still whole, as NativeFilter::file_status() does. Ask
  // it after the answers. Errors: kCorruption.
  Status file_status() const { return file_status_ ? file_status_() : Status(); }
  // For the code that opens the filter: sets the function that file_status() calls.
  void ask_file_by(std::function<Status()> status) { file_status_ = std::move(status); }

 private:
  std::vector<std::shared_ptr<const void>> held_;
  std::function<Status()> file_status_;
};

// The plan of a new filter: exactly one of fpp and bits_per_key.
struct DialectPlan {
  std::uint64_t capacity = 0;  // distinct keys; ignored by dialects that are SizedBy::kKeys
  std::optional<double> fpp;
  std::optional<double> bits_per_key;
};

// Makes a filter of keys. Calls: add* finish.
class DialectBuilder {
 public:
  DialectBuilder() = default;
  DialectBuilder(const DialectBuilder&) = delete;
  DialectBuilder& operator=(const DialectBuilder&) = delete;
  virtual ~DialectBuilder() = default;

  // The views need not outlive the call.
  virtual Status add(std::span<const std::string_view> keys) = 0;
  // Call it once; after it no key can be added.
  virtual Result<std::unique_ptr<DialectFilter>> finish() = 0;
};

}  // namespace bloomery
