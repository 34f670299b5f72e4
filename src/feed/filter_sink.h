// The destination of a feeder's keys: a leased filter that others query, and a second one that is being
// built.
//
//   Calls:  open (begin_build (insert | insert_scanned)* (finish_build | abandon_build)
//                 | insert | save | renew | make_void)*
//
// Keys of the log are inserted into both filters; keys of the scan only into the one being built.
// finish_build() then replaces the live filter by the new one atomically.
//
// Invariants:
//
//   - save() returns when the record and the filter with all earlier keys would survive a crash of the
//     feeder; for a file, also a crash of the machine. It returns a position that the filter will not fall
//     behind, as far as can be known. A feeder confirms only that position to the database.
//   - The lease is void from open() to the first renew(), and from finish_build() to the next one.
//
// Threads: one thread makes all calls. Two calls may come from other threads:
//
//   insert_scanned()  may run concurrently with all calls but begin_build(), finish_build(), abandon_build()
//   begin_build()     may run concurrently with insert(), save() and renew(). Keys inserted after it returned
//                     are in the built filter too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/base/result.h"
#include "feed/key_batch.h"

namespace bloomery::feed {

// Identifies a transaction of the log: no other one has a commit with the same end, time and number.
struct KnownCommit {
  std::uint64_t end = 0;  // LSN of the end of its commit record; 0: none is known
  std::int64_t time_us = 0;
  std::uint32_t xid = 0;

  friend bool operator==(const KnownCommit&, const KnownCommit&) = default;
};

// The source and the progress of a filter.
struct FeedRecord {
  std::uint64_t generation = 0;  // grows with every build
  std::uint64_t position = 0;    // LSN: every commit before it is in the filter
  std::uint64_t system = 0;      // PostgreSQL's system identifier
  std::uint32_t timeline = 0;
  std::uint64_t keys = 0;       // inserted since the build began
  std::uint64_t deletes = 0;    // deletes seen since the build
  std::uint64_t shape = 0;      // the hash of the table's shape (table_watch.h) and of how keys are made
  std::uint64_t columns = 0;    // hash of the names of the table and its key columns; 0: unknown
  std::uint64_t confirmed = 0;  // the slot's confirmed LSN when last seen
  KnownCommit commit = {};      // the last transaction inserted since the build

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

  // Opens the filter of an earlier run and voids its lease. Returns nothing if there is no complete filter.
  // Errors: kIo if the file or server cannot be reached; other codes if an operator must act (another feeder
  // holds it, it cannot be written).
  virtual Result<std::optional<FeedRecord>> open() = 0;

  virtual Status begin_build(std::uint64_t capacity) = 0;
  virtual Status insert_scanned(const KeyBatch& keys) = 0;
  // Sets the generation, which `record` does not have yet, and returns the record that was written.
  virtual Result<FeedRecord> finish_build(FeedRecord record) = 0;
  virtual void abandon_build() = 0;

  virtual Status insert(const KeyBatch& keys) = 0;
  // Returns the position that may be confirmed: that of the record, an earlier one, or 0.
  virtual Result<std::uint64_t> save(const FeedRecord& record) = 0;

  // Returns the name of the slot recorded with the filter; empty: none. May be called before open(). Errors:
  // kNotFound if the file does not exist yet; kInvalidArgument if it is not a feeder's.
  virtual Result<std::string> noted_slot() const = 0;
  // Records the slot's name durably. Called before the slot is made: an unknown slot would hold the server's
  // log for ever.
  virtual Status note_slot(const std::string& name) = 0;

  // Extends the lease: a *no* counts until `bound` after `asked_ns` (CLOCK_BOOTTIME), a moment at which the
  // filter lacked nothing.
  virtual Status renew(std::uint64_t asked_ns) = 0;
  virtual void make_void() = 0;

  // Ends a run in order: the filter stays complete, and the lease expires.
  virtual Status close() = 0;
  // Removes the filter and all that the feeder made for it. No other call comes before or after. A missing
  // filter is no error. Errors: those of open(), so a file or key that is not a feeder's stays.
  virtual Status remove() = 0;
  virtual SinkFacts facts() const = 0;
  // Returns FeedRecord::columns of the filter that open() found, even if that is unusable; 0: none, or
  // unknown.
  std::uint64_t found_columns() const { return found_columns_; }
  virtual std::string name() const = 0;

 protected:
  std::uint64_t found_columns_ = 0;
};

}  // namespace bloomery::feed
