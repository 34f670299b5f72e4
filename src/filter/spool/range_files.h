// Range files: the hashes of one machine's keys, sorted into N files by hash range.
//
//    keys ---> HashSpool ---> range-1-of-N.hashes   the hashes of range 1, ascending, each once
//                             range-2-of-N.hashes
//                             ...
//                             range-N-of-N.hashes
//
// The files of one run of the writer belong together. Each records the number of keys of the entire run, and
// its id. So one file of every machine suffices to compute the number of keys of all machines.
//
// Invariants:
//
//   - The bytes depend only on the set of keys, the key options, the hash and the note. Neither the order of
//     keys nor their repeats nor the memory matter. So a repeated run writes the same files.
//   - A file appears atomically, complete or not at all. All files of a run are complete before the first one
//     appears.
//   - All 64 bits of the low word of a hash are kept. The plan, which is still unknown, decides how many of
//     them count.
//
// Source: docs/formats/spread-build.md. Not here: the plan of the filter, and its shards (static_part.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/file.h"
#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_form.h"
#include "filter/spool/hash_blocks.h"
#include "filter/spool/hash_spool.h"
#include "filter/spool/spread_envelope.h"

namespace bloomery {

// Returns "range-I-of-N.hashes".
std::string range_file_name(std::uint32_t index, std::uint32_t count);

struct RangeFilesOptions {
  std::string directory = ".";  // of the range files; it must exist
  std::uint32_t ranges = 1;     // N, 1 to kMaxRanges
  HashSpec hash = {};
  KeyTreatment keys = {};
  std::string note = {};  // distinguishes runs with equal keys
  IfExists if_exists = IfExists::kRefuse;
  HashSpoolOptions spool = {};  // its directory and memory
};

// Calls: create add* finish
class RangeFilesWriter {
 public:
  // Errors: kInvalidArgument.
  static Result<RangeFilesWriter> create(FileSystem& files, const RangeFilesOptions& options);

  // Adds the low words of hashes. Errors: kIo, kNotFound, naming the file.
  Status add(std::span<const Hash128> hashes) { return spool_.add(hashes); }
  // Records that all keys are digests of `bytes` bytes (KeyTreatment::digest_bytes). Precondition: finish()
  // was not called yet.
  void set_digest_bytes(std::uint16_t bytes) { options_.keys.digest_bytes = bytes; }
  // Returns the number of hashes added so far, with repeats.
  std::uint64_t added() const { return spool_.added(); }

  struct Written {
    std::uint64_t keys;  // distinct ones
    std::uint64_t bytes;
    std::uint64_t spooled_bytes;
  };
  // Writes the files. `cancelled` stops it with EINTR; then no file remains, unless the first ones have their
  // names already. Errors: kInvalidArgument if a file may not be replaced; kNotFound if the directory is
  // missing; kCorruption, kIo.
  Result<Written> finish(const std::atomic<bool>* cancelled = nullptr);

 private:
  // A file that is complete except for its front.
  struct Waiting {
    AtomicFile file;
    SpreadFront front;
  };

  RangeFilesWriter(FileSystem& files, RangeFilesOptions options, HashSpool spool)
      : files_(&files), options_(std::move(options)), spool_(std::move(spool)) {}

  Status write_range(std::uint32_t index, const std::atomic<bool>* cancelled);
  Status copy_hashes(HashRange range, HashBlockWriter& blocks, const std::atomic<bool>* cancelled);
  NativeHeader native_header() const;

  FileSystem* files_;
  RangeFilesOptions options_;
  HashSpool spool_;
  std::uint64_t step_ = 0;  // width of the hash range that is read from the spool at a time
  Hash128 id_ = {};
  std::vector<Waiting> waiting_;
};

// A range file that is read. It must not move while it is read; hold it by its pointer.
class RangeFile {
 public:
  // Reads the front. Errors: kInvalidArgument if it is no range file; kCorruption, kUnsupported, kIo.
  static Result<std::unique_ptr<RangeFile>> open(FileSystem& files, const std::string& path);
  RangeFile(const RangeFile&) = delete;
  RangeFile& operator=(const RangeFile&) = delete;

  const std::string& path() const { return file_.path(); }
  const FileFacts& facts() const { return facts_; }
  const SpreadFront& front() const { return front_; }
  // Returns the number of keys of the run that wrote this file and its neighbours.
  std::uint64_t run_keys() const { return front_.native.capacity; }

  // Reads like HashBlockReader.
  Status read_through(std::uint64_t last, std::vector<std::uint64_t>& out) {
    return blocks_.read_through(last, out);
  }
  Status check_end() const { return blocks_.check_end(); }

 private:
  RangeFile(File file, const FileFacts& facts, const SpreadFront& front);

  File file_;
  FileFacts facts_;
  SpreadFront front_;
  HashBlockReader blocks_;
};

}  // namespace bloomery
