// An exact set's file in a key: its sorted keys are searched where they lie, without a table. It is read-only.
//
// ExactSet makes a table of the keys when it opens a file, in one step that grows with the file. Here each chunk proves the
// keys that it completes (filter/any/exact_layout.h), so the end of a load takes no longer for a large file. A key takes its 16
// bytes of the file, or 24 with its count.
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
  // Proves the keys that are complete in the first bytes of a file, which are the same as before and more. The address may be
  // another one. Errors: kCorruption.
  Status go_on(const NativeHeader& header, std::span<const std::byte> here);
  // Proves what is left. The bytes outlive it. Precondition: the checksums in the header hold. Errors: as above.
  Status finish(const NativeHeader& header, std::span<const std::byte> file);
  // The calls below are for a file that is finished.
  bool is_finished() const { return is_finished_; }

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Whether the set counts how often a key was inserted.
  bool counts() const { return front_->counts(); }
  // Returns that number; 0 if the key is an exception. Precondition: counts().
  std::uint64_t count(const Hash128& hash) const;

 private:
  std::optional<ExactFront> front_;  // there when it has come
  std::optional<ExactProof> proof_;  // likewise
  SortedHashes hashes_;
  std::span<const std::byte> counts_;
  ExceptionTable exceptions_;
  bool is_finished_ = false;
};

}  // namespace bloomery
