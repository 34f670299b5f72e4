// Where a feeder puts keys: a filter that others ask meanwhile, with a lease, and a second one that is being built.
//
//   Calls:  open (begin_build (insert | insert_scanned)* (finish_build | abandon_build) | insert | save | renew | make_void)*
//
// The log goes into the filter that answers and into the one that is being built; the scan goes into the latter alone. Then
// finish_build() puts it in the place of the former, whole.
//
// Invariants:
//
//   - save() returns when the filter with all keys that were given before, and the record, would survive a crash of the
//     feeder; for a file also one of the machine. It returns a position that the filter will not fall behind, as far as
//     can be known. A feeder confirms only that to the database.
//   - The lease is void from open() to the first renew(), and from finish_build() to the next one.
//
// Threads: one thread calls everything but these two.
//
//   insert_scanned()  may run beside all calls but begin_build(), finish_build() and abandon_build()
//   begin_build()     may run beside insert(), save() and renew(). Whatever is inserted after it returned is in the
//                     built filter too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "feed/key_batch.h"

namespace bloomery::feed {

// A transaction of the log, by which a log is known again: another one has no commit with the same end, time and number.
struct KnownCommit {
  std::uint64_t end = 0;  // an LSN, behind the commit record; 0: none is known
  std::int64_t time_us = 0;
  std::uint32_t xid = 0;

  friend bool operator==(const KnownCommit&, const KnownCommit&) = default;
};

// What a filter was fed from, and how far.
struct FeedRecord {
  std::uint64_t generation = 0;  // grows with every build
  std::uint64_t position = 0;    // an LSN
  std::uint64_t system = 0;      // the system identifier
  std::uint32_t timeline = 0;
  std::uint64_t keys = 0;       // inserted since the build began
  std::uint64_t deletes = 0;    // since the build
  std::uint64_t shape = 0;      // the hash of the table's shape (table_watch.h) and of how keys are made
  std::uint64_t columns = 0;    // the hash of the names of the table and of its key columns; 0: not known
  std::uint64_t confirmed = 0;  // an LSN at which the slot was seen
  KnownCommit commit = {};      // the last one that the filter has, of those after its build

  friend bool operator==(const FeedRecord&, const FeedRecord&) = default;
};

struct SinkFacts {
  std::uint64_t capacity = 0;
  std::uint64_t bytes = 0;
  double target_fpp = 0;
};

class FilterSink {
 public:
  FilterSink() = default;
  FilterSink(const FilterSink&) = delete;
  FilterSink& operator=(const FilterSink&) = delete;
  virtual ~FilterSink() = default;

  // Opens what an earlier run left, and makes its lease void. Returns nothing if there is no complete filter. Errors: those
  // that a person must settle (another feeder holds it, the place cannot be written), and kIo if the place cannot be reached.
  virtual Result<std::optional<FeedRecord>> open() = 0;

  virtual Status begin_build(std::uint64_t capacity) = 0;
  virtual Status insert_scanned(const KeyBatch& keys) = 0;
  // The record has no generation yet; the sink sets it, and returns the record that it has written.
  virtual Result<FeedRecord> finish_build(FeedRecord record) = 0;
  virtual void abandon_build() = 0;

  virtual Status insert(const KeyBatch& keys) = 0;
  // Returns a position: that of the record, or of one before, or 0.
  virtual Result<std::uint64_t> save(const FeedRecord& record) = 0;

  // Returns the name of the slot that the place notes; empty: none. It may be called before open(). Errors: kNotFound if there
  // is no place yet; kInvalidArgument if it is not a feeder's.
  virtual Result<std::string> noted_slot() const = 0;
  // Notes the name, which would survive a crash then. It is called before the slot is made: a slot that nobody knows would
  // hold the server's log for ever.
  virtual Status note_slot(const std::string& name) = 0;

  // Lets a *no* count until `bound` after `asked_ns`, a moment of CLOCK_BOOTTIME at which nothing was missing.
  virtual Status renew(std::uint64_t asked_ns) = 0;
  virtual void make_void() = 0;

  // Ends a run in order: the filter is left as a whole file, and the lease runs out by itself.
  virtual Status close() = 0;
  // Removes the filter and all that the feeder made for it. No other call comes before or after. Nothing to remove is no
  // error. Errors: those of open(), so what is not a feeder's stays.
  virtual Status remove() = 0;
  virtual SinkFacts facts() const = 0;
  // Returns FeedRecord::columns of what open() found, even if it cannot be gone on with; 0: nothing, or not known.
  std::uint64_t found_columns() const { return found_columns_; }
  virtual std::string name() const = 0;

 protected:
  std::uint64_t found_columns_ = 0;
};

}  // namespace bloomery::feed
