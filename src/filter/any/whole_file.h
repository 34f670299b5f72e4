// A read-only filter file in a server's key: its bytes in one contiguous buffer, and the filter over them.
//
//   type       filter                                        at each chunk             at the end of a load
//   ribbon     of the library (RibbonFile)                   nothing                   opens it
//   exact      searches the sorted keys (exact_file.h)       verifies complete keys    verifies the last
//   windowed   queries live generations (windowed_file.h)    nothing                   checks the front
//
// Copies share bytes and filter, which are freed with the last of them.
//
// Not here: checksums (src/redis_module/file_value.h). Threads: one thread loads it. Then const calls may run
// together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "bloomery/base/result.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/hash/hash128.h"
#include "filter/any/exact_file.h"
#include "filter/native/native_header.h"
#include "filter/pages/one_piece.h"
#include "filter/windowed/windowed_file.h"

namespace bloomery {

// A ribbon file in a server's key: the library's filter over one contiguous buffer. It is read-only, since a
// ribbon is static.
//
// Its shards are verified at their first query, and a damaged one answers maybe.
//
// Threads: const calls may run together.
class RibbonFile {
 public:
  // The bytes outlive this object. `header` has the secret of its hash. Errors: kCorruption.
  Status finish(const NativeHeader& header, std::span<const std::byte> file) {
    const HashSecret* const secret = header.hash.id == HashId::kSipHash ? &header.hash.secret : nullptr;
    BLOOMERY_ASSIGN_OR_RETURN(AnyFilter filter, AnyFilter::view(file, {.verify = Verify::kChecksums,
                                                                       .recorded_keys = RecordedKeys::kKnown,
                                                                       .secret = secret}));
    filter_.emplace(std::move(filter));
    return {};
  }
  bool is_finished() const { return filter_.has_value(); }
  // Precondition: is_finished().
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
    filter_->may_contain_batch(hashes, answers);
  }

 private:
  std::optional<AnyFilter> filter_;
};

class WholeFile {
 public:
  static bool takes(FilterType type);
  // Prepares memory for the bytes of a file, before the first of them arrives. Precondition:
  // takes(header.type). Errors: kCapacity.
  static Result<WholeFile> begin(const NativeHeader& header, Room room);

  // A file without bytes, which may only be released.
  WholeFile() = default;

  // Appends the next bytes. Errors: kCapacity if memory is lacking; kCorruption and kUnsupported for bytes
  // that are invalid for the type.
  Status append(const NativeHeader& header, std::span<const std::byte> chunk);
  // Opens the filter if it is not open yet. Precondition: all bytes have arrived, and their checksums are
  // right. Errors: kCapacity, kCorruption, kUnsupported.
  Status finish(const NativeHeader& header);
  bool is_finished() const;

  // Returns the bytes that have arrived.
  std::span<const std::byte> bytes() const { return bytes_->bytes(); }
  std::uint64_t memory_bytes() const { return bytes_ == nullptr ? 0 : bytes_->memory_bytes(); }

  // Precondition of the calls below: the file is finished.
  void may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const;
  // Returns true if the file counts how often a key is in.
  bool counts() const;
  // Returns how often the key is in; 0 if it is not, or is an exception. Precondition: counts().
  std::uint64_t count(const Hash128& hash) const;
  // The filter of a windowed file, or null.
  const WindowedFile* windowed() const;

 private:
  template <typename Of>
  using Shared = std::shared_ptr<Of>;

  std::shared_ptr<OnePiece> bytes_;
  std::variant<Shared<RibbonFile>, Shared<ExactFile>, Shared<WindowedFile>> filter_;
};

}  // namespace bloomery
