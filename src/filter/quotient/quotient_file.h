// A quotient filter file in a server's key: its tables over one contiguous buffer. It is read-only, since an
// insert may split a table and so change its size.
//
// Every table must be verified before it is queried, and verifying all tables of a large file lasts seconds.
// So each is verified when its last byte has arrived: a file of 1 GB has about 3,000 tables. Limits on the
// front keep each of these steps small: kMostFileSegments tables of kMostFileQuotients.
//
// An RDB file is loaded in one step anyway; its tables are verified at the end.
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
  // Verifies the tables that are complete in the first `taken` bytes of a file. `place` has room for the
  // entire file and must outlive this object. Errors: kCorruption; kUnsupported beyond the bounds above.
  Status go_on(const NativeHeader& header, std::span<std::byte> place, std::uint64_t taken);
  // Verifies the remaining tables once all bytes have arrived. Precondition: the checksums in the header are
  // right. Errors: kCorruption; kUnsupported beyond the bounds above.
  Status finish(const NativeHeader& header, std::span<std::byte> file);
  // Precondition of the calls below: is_finished().
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
