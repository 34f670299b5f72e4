// Native files: opening one into a FilterBody, writing one from it, updating one in place.
//
// Update in place:   open (lock, verify, mark dirty, fsync)  change bits*  finish (bits to disk, then the
// clean header) Between open and finish the file says that it is dirty; a crash there is seen at the next
// open. Not here: what the payload means. A filter type checks the header's shape against the payload's size
// itself.
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

// Opens `path` as `options` say. `check` is what the filter's family finds wrong with the fields that only it
// has; it comes before anything of the payload is read. Errors name the file.
Result<std::unique_ptr<FilterBody>> open_native_file(FileSystem& files, const std::string& path,
                                                     const OpenOptions& options, HeaderCheck check = {});

// Reads the header alone. Errors name the file.
Result<NativeHeader> native_file_header(FileSystem& files, const std::string& path);

// The same over bytes in memory (Access::kMap keeps a view of them, kCopy copies; kUpdateInPlace is
// kInvalidArgument).
Result<std::unique_ptr<FilterBody>> open_native_bytes(std::span<const std::byte> bytes,
                                                      const OpenOptions& options, HeaderCheck check = {});

// A native file as it would be written now, from first byte to last. Refers to the body, which must not
// change meanwhile.
class NativeImage {
 public:
  // Reads the whole payload.
  explicit NativeImage(const FilterBody& body);
  NativeImage(const NativeImage&) = delete;  // its parts lie in it
  NativeImage& operator=(const NativeImage&) = delete;
  std::span<const std::span<const std::byte>> parts() const& { return parts_; }
  std::span<const std::span<const std::byte>> parts() && = delete;  // they lie in the image

 private:
  ExceptionTable shortened_;  // the exceptions, where some were withdrawn, without their room
  SegmentedPayload::Image payload_;
  std::array<std::byte, kNativeHeaderBytes> header_ = {};
  std::vector<std::span<const std::byte>> parts_;
};

// Gives a body memory of its own instead of the file's or the caller's bytes. Errors: kCapacity.
Status move_to_memory(FilterBody& body);

// Returns the header as it would be written now: counts, sizes and checksums filled in. Reads the whole
// payload.
NativeHeader current_header(const FilterBody& body);

// Saves as a new file, or where options allow over an old one. A body that holds the lock of the file at `path`
// (Access::kMapLocked, kCopyLocked) saves under it.
Status save_native_file(FileSystem& files, const std::string& path, const FilterBody& body,
                        SaveOptions options);

// Saves over the file whose lock the body holds, or as a new one where it holds none, and holds the lock of
// what it saved: there is no moment at which another process could take it. Errors: also kInvalidArgument
// when `path` names another file than the one that is locked, or, where none is, exists.
Status save_native_file_locked(FileSystem& files, const std::string& path, FilterBody& body);

// Errors: kCorruption when the file that the body is mapped from was cut since.
Status native_file_status(FileSystem& files, const FilterBody& body);

// Precondition: the body was opened with kUpdateInPlace. The mapping stays, but changes from now on are not
// vouched for. Errors: also kInvalidArgument where another file has the name by now: what was changed is in none that
// can be opened.
Status finish_native_update(FileSystem& files, FilterBody& body);

}  // namespace bloomery
