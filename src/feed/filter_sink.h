// The destination of a feeder's keys: a leased filter that others query, and a second one that is being
// built.
//
//   Calls:  open (begin_build (insert | insert_scanned)* (finish_build | abandon_build)
//                 | insert | save | renew | make_void)*
//
// Keys of the log are inserted into both filters; keys of the scan only into the one that is being built.
// Then finish_build() replaces the live filter by it, atomically.
//
// Invariants:
//
//   - save() returns when the record and the filter with all earlier keys would survive a crash of the
//     feeder; for a file, also a crash of the machine. It returns a position that the filter will not fall
//     behind, as far as can be known. A feeder confirms only that position to the database.
//   - The lease is void from open() to the first renew(), and from finish_build() to the next one.
//
// Threads: one thread calls everything but these two.
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

// Identifies a transaction of the log. No other transaction has a commit with the same end, time and number.
struct KnownCommit {
  std::uint64_t end = 0;  // an LSN, after the commit record; 0: none is known
  std::int64_t time_us = 0;
  std::uint32_t xid = 0;

  friend bool operator==(const KnownCommit&, const KnownCommit&) = default;
};

// The source of a filter, and its progress.
struct FeedRecord {
  std::uint64_t generation = 0;  // grows with every build
  std::uint64_t position = 0;    // an LSN
  std::uint64_t system = 0;      // the system identifier
  std::uint32_t timeline = 0;
  std::uint64_t keys = 0;       // inserted since the build began
  std::uint64_t deletes = 0;    // since the build
  std::uint64_t shape = 0;      // the hash of the table's shape (table_watch.h) and of how keys are made
  std::uint64_t columns = 0;    // the hash of the names of the table and of its key columns; 0: not known
  std::uint64_t confirmed = 0;  // the slot's confirmed LSN when last seen
  KnownCommit commit = {};      // the last one that the filter has since its build

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

  // Opens what an earlier run left, and voids its lease. Returns nothing if there is no complete filter.
  // Errors: those that a person must settle (another feeder holds it, the place cannot be written), and kIo
  // if the place cannot be reached.
  virtual Result<std::optional<FeedRecord>> open() = 0;

  virtual Status begin_build(std::uint64_t capacity) = 0;
  virtual Status insert_scanned(const KeyBatch& keys) = 0;
  // The record has no generation yet. The sink sets it, and returns the record that it has written.
  virtual Result<FeedRecord> finish_build(FeedRecord record) = 0;
  virtual void abandon_build() = 0;

  virtual Status insert(const KeyBatch& keys) = 0;
  // Returns the position of the record, an earlier one, or 0.
  virtual Result<std::uint64_t> save(const FeedRecord& record) = 0;

  // Returns the name of the slot that the place notes; empty: none. May be called before open(). Errors:
  // kNotFound if there is no place yet; kInvalidArgument if it is not a feeder's.
  virtual Result<std::string> noted_slot() const = 0;
  // Notes the name durably. Called before the slot is made: a slot that nobody knows would hold the server's
  // log for ever.
  virtual Status note_slot(const std::string& name) = 0;

  // Lets a *no* count until `bound` after `asked_ns`, a moment of CLOCK_BOOTTIME at which nothing was
  // missing.
  virtual Status renew(std::uint64_t asked_ns) = 0;
  virtual void make_void() = 0;

  // Ends a run in order: the filter stays as a complete file, and the lease expires.
  virtual Status close() = 0;
  // Removes the filter and all that the feeder made for it. No other call comes before or after. A missing
  // filter is no error. Errors: those of open(), which protect a place that is not a feeder's.
  virtual Status remove() = 0;
  virtual SinkFacts facts() const = 0;
  // Returns FeedRecord::columns of the filter that open() found, even if it is unusable; 0: none, or not
  // known.
  std::uint64_t found_columns() const { return found_columns_; }
  virtual std::string name() const = 0;

 protected:
  std::uint64_t found_columns_ = 0;
};

}  // namespace bloomery::feed
