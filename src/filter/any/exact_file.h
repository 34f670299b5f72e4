// An exact set's file in a server's key: its sorted keys are searched in place, without a table. It is
// read-only.
//
// ExactSet builds a table of the keys when it opens a file, in one step that grows with the file. Here each
// chunk of a load verifies the keys that it completes (filter/any/exact_layout.h), so the end of a load is as
// short for a large file. A key needs its 16 bytes of the file, or 24 with its count.
//
// Not here: the search (sorted_hashes.h). Threads: const calls may run together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/any/exact_layout.h"
#include "filter/any/sorted_hashes.h"
#include "filter/native/exception_table.h"
#include "filter/native/native_header.h"

namespace bloomery {

class ExactFile {
 public:
  // Verifies the keys that are complete in the first bytes of a file. `here` extends the bytes of the
  // previous call, possibly at another address. Errors: kCorruption.
  Status go_on(const NativeHeader& header, std::span<const std::byte> here);
  // Verifies the remaining keys. Precondition: the bytes outlive it, and the checksums in the header are
  // right. Errors: kCorruption.
  Status finish(const NativeHeader& header, std::span<const std::byte> file);
  // Precondition of the calls below: is_finished().
  bool is_finished() const { return is_finished_; }

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Returns true if the set counts how often a key was inserted.
  bool counts() const { return front_->counts(); }
  // Returns how often the key was inserted; 0 if it was not, or is an exception. Precondition: counts().
  std::uint64_t count(const Hash128& hash) const;

 private:
  std::optional<ExactFront> front_;  // set once the front has arrived
  std::optional<ExactProof> proof_;  // set with front_
  SortedHashes hashes_;
  std::span<const std::byte> counts_;
  ExceptionTable exceptions_;
  bool is_finished_ = false;
};

}  // namespace bloomery
