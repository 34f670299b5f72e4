// The type-independent state of a filter: plan, counts, bytes, and the file that they came from.
//
// In addition, a filter type keeps its shape and a pointer into `storage` for its hot path.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "filter/native/exception_table.h"
#include "filter/native/header_watch.h"
#include "filter/native/known_files.h"
#include "filter/native/native_header.h"
#include "filter/native/storage.h"

namespace bloomery {

// Makes test_and_insert() of one key exclusive. The hash of a key chooses its stripe.
class StripedLock {
 public:
  std::mutex& of(std::uint64_t hash) { return stripes_[hash % kStripes].mutex; }

 private:
  static constexpr std::size_t kStripes = 64;
  struct alignas(64) Stripe {
    std::mutex mutex;
  };
  std::array<Stripe, kStripes> stripes_;
};

// A growing payload, which is not one contiguous buffer. A filter type keeps it in its body. The
// type-independent code uses it instead of `storage`.
class SegmentedPayload {
 public:
  // The payload's form in a file: a front that is made for it, and segments that are not copied.
  struct Image {
    std::vector<std::byte> front;
    std::vector<std::span<const std::byte>> pieces;  // each of full words
  };

  virtual ~SegmentedPayload() = default;
  virtual bool is_writable() const = 0;
  // Returns the bytes of its image.
  virtual std::uint64_t byte_size() const = 0;
  virtual Image image() const = 0;
  // Removes all keys.
  virtual void clear() = 0;
  // Returns the mapping that it reads, if it still reads one.
  virtual const MappedFile* mapping() const { return nullptr; }
};

// The front of a payload: the bytes in `storage` before the bits, in which a windowed filter keeps its plan
// and state.
class PayloadFront {
 public:
  virtual ~PayloadFront() = default;
  // Returns a multiple of 8.
  virtual std::uint64_t byte_size() const = 0;
  // Resets the state to that of an empty filter.
  virtual void clear() = 0;
  // Returns the bytes of the front in a clean file.
  virtual std::vector<std::byte> image() const = 0;
  // Writes image() to `storage`. An update in place calls this when it ends.
  virtual void settle() = 0;
};

struct FilterBody {
  // Its `inserted`, its checksums and its sizes are updated when the file is written.
  NativeHeader header;
  // Accessed by relaxed_load() and the like, except by NativeFilter::count_inserted_alone().
  std::uint64_t inserted = 0;
  std::string metadata;
  Storage storage;
  std::unique_ptr<PayloadFront> front;          // stored in `storage`, before the bits
  std::unique_ptr<SegmentedPayload> segmented;  // instead of `storage`, which then has no bytes
  // The exception column of a ribbon: a native file inside this one. Mapped bytes belong to `storage`.
  Storage column;
  ExceptionTable exceptions;
  std::atomic<std::uint64_t> withdrawn{0};  // exceptions that became members since the opening
  StripedLock locks;
  std::mutex removes;  // held by a remover, which first checks that a key may be in and then removes it
  // The file that an update in place writes to. It is closed when the update is finished.
  std::optional<File> updated_file;
  // The locked file that the filter was opened from (Access::kMapLocked, kCopyLocked).
  std::optional<File> locked_file;
  // True if another process was updating the file when it was opened. `header` then is the header before the
  // update, marked clean.
  bool live = false;
  // Detects later updates by another process, if the file is mapped and no crash left it dirty. It reads its
  // own mapping.
  HeaderWatch watch;
  MappedFile watched;
  // The files that the filter was read from and saved to.
  mutable KnownFiles known;

  // Returns true if another process has updated the payload's file since it was opened, or was updating it
  // then.
  bool is_updated_by_others() const { return live || (storage.mapping() != nullptr && watch.changed()); }
  bool is_writable() const { return segmented ? segmented->is_writable() : storage.is_writable(); }
  // Returns true if written pages are copied to memory first (Access::kMap, kMapLocked).
  bool copies_on_write() const { return storage.is_writable() && storage.mapping() && !updated_file; }
  // Returns the mapping that holds the payload, if one does.
  const MappedFile* mapping() const { return segmented ? segmented->mapping() : storage.mapping(); }
  std::uint64_t front_bytes() const { return front ? front->byte_size() : 0; }
  std::uint64_t payload_bytes() const { return segmented ? segmented->byte_size() : storage.bytes().size(); }
};

// Returns ok if two filters can be merged, otherwise an error that names all differences. `differences` lists
// those that are not in the headers, as "name (left and right)", separated by ", ".
Status check_same_plan(const NativeHeader& left, const NativeHeader& right, std::string differences = {});

// Adds the differences of hash and key options to `differences`, in the same form.
void note_hash_differences(std::string& differences, const NativeHeader& left, const NativeHeader& right);

// Updates the digest width of a header for a union with `other`: two different widths result in no width.
void join_digest_widths(NativeHeader& header, const NativeHeader& other);

}  // namespace bloomery
