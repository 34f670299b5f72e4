// What filters of every type have behind their kernels: plan, counts, bytes, and the file they came from.
//
// A filter type keeps its shape and a pointer into `storage` beside this for its hot path, and leaves the
// rest to it.
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
#include "filter/native/native_header.h"
#include "filter/native/storage.h"

namespace bloomery {

// Makes test_and_insert() of one key exclusive: keys share a stripe by their hash.
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

// A payload that is not one buffer, since it grows. A filter type keeps it in its body, where everything that
// is the same for all types finds it instead of `storage`.
class SegmentedPayload {
 public:
  // As it stands in a file: a front that is made for it, and pieces that are where they are.
  struct Image {
    std::vector<std::byte> front;
    std::vector<std::span<const std::byte>> pieces;  // of whole words
  };

  virtual ~SegmentedPayload() = default;
  virtual bool is_writable() const = 0;
  // Of its image.
  virtual std::uint64_t byte_size() const = 0;
  virtual Image image() const = 0;
  // Takes everything out.
  virtual void clear() = 0;
  // The mapping that it reads, while it reads one.
  virtual const MappedFile* mapping() const { return nullptr; }
};

// What stands in `storage` before the bits of a filter whose payload begins with a plan and a state of its
// own.
class PayloadFront {
 public:
  virtual ~PayloadFront() = default;
  // A multiple of 8.
  virtual std::uint64_t byte_size() const = 0;
  // As it is without keys.
  virtual void clear() = 0;
};

struct FilterBody {
  // `inserted`, the checksums and the sizes in it are brought up to date when it is written.
  NativeHeader header;
  std::atomic<std::uint64_t> inserted{0};
  std::string metadata;
  Storage storage;
  std::unique_ptr<PayloadFront> front;          // in `storage`, behind which its bits begin
  std::unique_ptr<SegmentedPayload> segmented;  // in the place of `storage`, which then has no bytes
  // Of a ribbon, its exception column: a native file inside this one. Mapped bytes belong to `storage`.
  Storage column;
  ExceptionTable exceptions;
  std::atomic<std::uint64_t> withdrawn{0};  // exceptions that became members since the opening
  StripedLock locks;
  std::mutex removes;  // one remover at a time: it looks whether a key can be in, and takes it out then
  // The file an update in place writes to; closed when the update is finished.
  std::optional<File> updated_file;
  // The file a locked filter was opened from (Access::kMapLocked, kCopyLocked).
  std::optional<File> locked_file;

  bool is_writable() const { return segmented ? segmented->is_writable() : storage.is_writable(); }
  // Every page that is written to costs memory (Access::kMap, kMapLocked).
  bool copies_on_write() const { return storage.is_writable() && storage.mapping() && !updated_file; }
  // The mapping that the payload is in, if it is in one.
  const MappedFile* mapping() const { return segmented ? segmented->mapping() : storage.mapping(); }
  std::uint64_t front_bytes() const { return front ? front->byte_size() : 0; }
  std::uint64_t payload_bytes() const { return segmented ? segmented->byte_size() : storage.bytes().size(); }
};

// Names all that keeps two filters from merging, or answers ok. `differences` are those that are not in the
// headers, as "name (left and right)", with ", " between.
Status check_same_plan(const NativeHeader& left, const NativeHeader& right, std::string differences = {});

}  // namespace bloomery
