// Native files: opens one into a FilterBody, writes one from it, updates one in place.
//
// An update in place has three steps:
//
//    open      lock the file, verify it, mark it dirty, fsync
//    change    set bits in the mapping, any number of times
//    finish    write the bits to disk, then the clean header
//
// Between open and finish the file is marked dirty, so the next open detects a crash. This file does not
// interpret the payload: a filter type itself checks the header's shape against the payload's size.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "bloomery/base/result.h"
#include "filter/native/filter_body.h"
#include "filter/native/save_options.h"

namespace bloomery {

// Opens `path` with `options`. `check` validates the header fields that only the filter's family has. It runs
// before any of the payload is read. Errors name the file.
Result<std::unique_ptr<FilterBody>> open_native_file(FileSystem& files, const std::string& path,
                                                     const OpenOptions& options, HeaderCheck check = {});

// Reads the header alone. Errors name the file.
Result<NativeHeader> native_file_header(FileSystem& files, const std::string& path);

// Opens bytes in memory. Access::kMap keeps a view of them, and kCopy copies them. Any other access is
// kInvalidArgument.
Result<std::unique_ptr<FilterBody>> open_native_bytes(std::span<const std::byte> bytes,
                                                      const OpenOptions& options, HeaderCheck check = {});

// The complete bytes of the native file that would be written now. It refers to the body, which must not
// change meanwhile.
class NativeImage {
 public:
  // Reads the entire payload.
  explicit NativeImage(const FilterBody& body);
  NativeImage(const NativeImage&) = delete;  // parts_ refers to its members
  NativeImage& operator=(const NativeImage&) = delete;
  std::span<const std::span<const std::byte>> parts() const& { return parts_; }
  std::span<const std::span<const std::byte>> parts() && = delete;  // they refer to the image
  std::span<const std::byte, kNativeHeaderBytes> header() const { return header_; }

 private:
  ExceptionTable shortened_;  // the exceptions without withdrawn entries, if any
  SegmentedPayload::Image payload_;
  std::array<std::byte, kNativeHeaderBytes> header_ = {};
  std::vector<std::span<const std::byte>> parts_;
};

// Moves a body from the file's or the caller's bytes to its own memory. Errors: kCapacity.
Status move_to_memory(FilterBody& body);

// Returns the header that would be written now, with counts, sizes and checksums. Reads the entire payload.
NativeHeader current_header(const FilterBody& body);

// Saves as a new file, or over an old one if `options` allow it. A body that holds the lock of the file at
// `path` (Access::kMapLocked, kCopyLocked) saves under that lock. Errors: also kIo with ESTALE if the body
// was read from or saved to the old file, and that has changed since (known_files.h).
Status save_native_file(FileSystem& files, const std::string& path, const FilterBody& body,
                        SaveOptions options, IfChanged if_changed = IfChanged::kRefuse);

// Saves over the file whose lock the body holds, or as a new file if it holds none. The body then holds the
// lock of the saved file, without a moment at which another process could acquire it. Errors: also
// kInvalidArgument if `path` names another file than the locked one, or if no file is locked and `path`
// exists.
Status save_native_file_locked(FileSystem& files, const std::string& path, FilterBody& body);

// Checks that the file that the body is mapped from was not truncated since. Errors: kCorruption if it was.
Status native_file_status(FileSystem& files, const FilterBody& body);

// Ends an update in place. Precondition: the body was opened with kUpdateInPlace. The mapping stays, but
// later changes are not covered by the header. Errors: also kInvalidArgument if another file has the name by
// now; the changes are then lost.
Status finish_native_update(FileSystem& files, FilterBody& body);

}  // namespace bloomery
