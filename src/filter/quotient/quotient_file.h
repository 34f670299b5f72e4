// A quotient file in a key: its tables over the bytes in one piece. It is read-only, since an insert may split a table, which
// then has another size.
//
// Every table must be proven before it is asked, and to prove all of a large file takes seconds. So each is proven when its
// last byte has come: a load of 1 GB has about 3,000 tables. What a front may say is bounded, so that each of these steps is
// small: kMostFileSegments tables of kMostFileQuotients.
//
// An RDB file is loaded in one step anyway; its tables are proven at the end.
//
// Threads: const calls may run together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "bloomery/base/result.h"
#include "bloomery/hash/hash128.h"
#include "filter/native/exception_table.h"
#include "filter/native/native_header.h"
#include "filter/quotient/quotient_layout.h"
#include "filter/quotient/quotient_segments.h"

namespace bloomery {

inline constexpr std::uint64_t kMostFileSegments = std::uint64_t{1} << 14;
inline constexpr std::uint64_t kMostFileQuotients = kMostQuotients;

class QuotientFile {
 public:
  // Proves the tables that are complete in the first `taken` bytes of a file. `place` has room for all of it, and stays.
  // Errors: kCorruption; kUnsupported beyond the bounds above.
  Status go_on(const NativeHeader& header, std::span<std::byte> place, std::uint64_t taken);
  // Proves what is left, now that all bytes are there. Precondition: the checksums in the header hold. Errors: as above.
  Status finish(const NativeHeader& header, std::span<std::byte> file);
  // The calls below are for a file that is finished.
  bool is_finished() const { return is_finished_; }

  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Returns how often the key's fingerprint is in; 0 if the key is an exception.
  std::uint64_t count(const Hash128& hash) const;

 private:
  std::unique_ptr<QuotientSegments> segments_;
  ExceptionTable exceptions_;
  bool is_finished_ = false;
};

}  // namespace bloomery
