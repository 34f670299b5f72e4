// The page of a leased file: the current filter, and the deadline up to which its *no* is valid.
//
//   offset  field
//        0  magic, version, bytes of the page         written once
//       16  the boot of the machine                   written when a feeder begins
//       32  generation, deadline, bound, position     change while readers read
//       64  two files that the feeder made            so that a later run can remove them
//       96  the name of the feeder's slot             so that it moves with the page
//      512  record A, 256 bytes                       survive a crash; the newer valid one counts
//     1024  record B, 256 bytes
//
// One feeder writes the page through a shared mapping. Any number of processes read it, without a lock and
// without a system call. docs/formats/leased-file.md has every field.
//
// Invariants:
//
//   - A feeder sets the bits of a key before it moves the deadline (release). A reader loads the deadline
//     (acquire) and then the generation, before it reads bits. If the generation is still the one of its
//     mapped filter, that filter has every key that the deadline guarantees.
//   - A new generation is stored before its first deadline.
//   - A deadline is valid only until it is reached, only if it is at most `bound` ahead, and only in the boot
//     that wrote it. It is a time of CLOCK_BOOTTIME, which ignores steps of the wall clock and continues
//     while the machine sleeps.
//   - A record overwrites the older of the two, and has a checksum of its own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file.h"
#include "bloomery/base/result.h"

namespace bloomery {

// The state of its filter that a feeder recovers after a crash.
struct LeaseRecord {
  std::uint64_t sequence = 0;    // of the write; the larger one is the newer
  std::uint64_t generation = 0;  // 0: no filter is complete yet
  std::uint64_t position = 0;    // the filter has every write of the source before it
  std::uint64_t source = 0;      // which source it is: a database's system identifier
  std::uint32_t epoch = 0;       // of the source: a timeline
  std::uint64_t keys = 0;        // inserted since the build
  std::uint64_t deletes = 0;     // seen since the build
  std::uint64_t shape = 0;       // a hash of the filter's build parameters
  std::uint64_t columns = 0;     // a hash of the names of the table and of its key columns
  std::uint64_t confirmed = 0;   // a position that the source is known to have received
  std::uint64_t commit_end = 0;  // of the last transaction that the filter has
  std::int64_t commit_time_us = 0;
  std::uint32_t commit_xid = 0;

  friend bool operator==(const LeaseRecord&, const LeaseRecord&) = default;
};

// A filter's file that a feeder made: the one that answers, or the one that is built. The name alone is no
// proof, since anybody may have a file FILE.7.
struct MadeFile {
  std::uint64_t generation = 0;  // 0: none
  std::uint64_t inode = 0;

  friend bool operator==(const MadeFile&, const MadeFile&) = default;
};

// Returns true if the text is a valid name of a PostgreSQL replication slot: 1 to 63 small letters, digits
// and underscores.
bool is_slot_name(std::string_view name);
inline constexpr std::size_t kMostOfSlotName = 63;

// Returns nanoseconds of CLOCK_BOOTTIME.
std::uint64_t boot_clock_ns();

class LeasePage {
 public:
  static constexpr std::size_t kBytes = 4096;

  // Opens the page for a feeder, and creates it if it is missing. The lease is then void until renew(). A new
  // page records the slot `slot_of_new` from the beginning. Errors: kIo with EWOULDBLOCK while another feeder
  // has it; kInvalidArgument if the file is not a lease page, or if the slot's name is invalid.
  static Result<LeasePage> open_for_feeder(const std::string& path, std::string_view slot_of_new = {});
  // Opens the page for readers. Errors: kNotFound; kCorruption or kUnsupported if it is no such page.
  static Result<LeasePage> open(const std::string& path);
  // Returns true if the file begins like such a page, and false if it cannot be read.
  static bool is_one(const std::string& path);

  // Returns the path of the filter of a generation: "FILE.7".
  std::string filter_path(std::uint64_t generation) const;
  const std::string& path() const { return path_; }

  // For readers. vouches_for() is true if the filter of `generation` has every key that it must have. Call it
  // before reading the filter's bits.
  std::uint64_t generation() const;
  bool vouches_for(std::uint64_t generation, std::uint64_t now_ns) const;
  // Returns the time until the lease expires, in nanoseconds; 0 if it is void.
  std::uint64_t remaining_ns(std::uint64_t now_ns) const;
  std::uint64_t position() const;
  // Returns the longest time that a deadline may be ahead.
  std::uint64_t bound_ns() const;

  // For the feeder.
  void set_bound(std::uint64_t bound_ns);
  void renew(std::uint64_t deadline_ns);
  void make_void() { renew(0); }
  // Switches to the filter of another generation. The lease is void until the next renew().
  void set_generation(std::uint64_t generation);
  void set_position(std::uint64_t position);
  // Records a file, so that this run or a later one can remove it. The page has two such records: one for the
  // current filter and one for another. If a machine crash loses a record, its file is never removed.
  void note_made(const MadeFile& file);
  // Removes the recorded files except that of the generation `kept`. A different file under a recorded name
  // stays.
  void remove_made(std::uint64_t kept);
  // Writes a record and waits until it is durable.
  Status write_record(LeaseRecord record);
  // Returns the newer valid record, or one of generation 0 if there is none.
  LeaseRecord read_record() const;
  // Returns the name of the slot from which the filter is fed. It is empty if none is recorded, or if the
  // record is damaged.
  std::string slot() const;
  // Records the name of a slot, and waits until it is durable. Errors: kInvalidArgument for any other text.
  Status note_slot(std::string_view name);

 private:
  LeasePage(std::string path, File file, MappedFile mapping);
  std::uint64_t* live(std::size_t offset) const;
  MadeFile made(std::size_t place) const;

  std::string path_;
  File file_;
  MappedFile mapping_;
  std::array<std::uint64_t, 2> boot_;  // of this machine, now; zeros if unknown
};

}  // namespace bloomery
