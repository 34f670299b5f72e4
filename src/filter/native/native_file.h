// Native files: opens one into a FilterBody, writes one from it, updates one in place.
//
// An update in place has three steps:
//
//    open      lock the file, verify it, mark it dirty, fsync
//    change    set bits in the mapping, any number of times
//    finish    write the bits to disk, then the clean header
//
// Between open and finish the file says that it is dirty. The next open so sees a crash in between. The
// meaning of the payload is not known here: a filter type checks the header's shape against the payload's
// size itself.
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

// Opens `path` as `options` say. `check` reports what the filter's family finds wrong with the header fields
// that only it has. It runs before anything of the payload is read. Errors name the file.
Result<std::unique_ptr<FilterBody>> open_native_file(FileSystem& files, const std::string& path,
                                                     const OpenOptions& options, HeaderCheck check = {});

// Reads the header alone. Errors name the file.
Result<NativeHeader> native_file_header(FileSystem& files, const std::string& path);

// Opens bytes in memory. Access::kMap keeps a view of them, kCopy copies them, and kUpdateInPlace is
// kInvalidArgument.
Result<std::unique_ptr<FilterBody>> open_native_bytes(std::span<const std::byte> bytes,
                                                      const OpenOptions& options, HeaderCheck check = {});

// A native file as it would be written now, from first byte to last. It refers to the body, which must not
// change meanwhile.
class NativeImage {
 public:
  // Reads the whole payload.
  explicit NativeImage(const FilterBody& body);
  NativeImage(const NativeImage&) = delete;  // parts_ refers to its members
  NativeImage& operator=(const NativeImage&) = delete;
  std::span<const std::span<const std::byte>> parts() const& { return parts_; }
  std::span<const std::span<const std::byte>> parts() && = delete;  // they refer to the image
  std::span<const std::byte, kNativeHeaderBytes> header() const { return header_; }

 private:
  ExceptionTable shortened_;  // the exceptions without the room of withdrawn ones, if some were
  SegmentedPayload::Image payload_;
  std::array<std::byte, kNativeHeaderBytes> header_ = {};
  std::vector<std::span<const std::byte>> parts_;
};

// Moves a body to memory of its own, away from the file's or the caller's bytes. Errors: kCapacity.
Status move_to_memory(FilterBody& body);

// Returns the header as it would be written now: counts, sizes and checksums filled in. Reads the whole
// payload.
NativeHeader current_header(const FilterBody& body);

// Saves as a new file, or over an old one if `options` allow it. A body that holds the lock of the file at
// `path` (Access::kMapLocked, kCopyLocked) saves under that lock. Errors: also kIo with ESTALE if the old file is one that the
// body was read from or saved to, and has changed since (known_files.h).
Status save_native_file(FileSystem& files, const std::string& path, const FilterBody& body,
                        SaveOptions options, IfChanged if_changed = IfChanged::kRefuse);

// Saves over the file whose lock the body holds, or as a new file if it holds none. The body then holds the
// lock of what it saved: there is no moment at which another process could take it. Errors: also
// kInvalidArgument if `path` names another file than the locked one, or if no file is locked and `path`
// exists.
Status save_native_file_locked(FileSystem& files, const std::string& path, FilterBody& body);

// Checks that the file that the body is mapped from was not cut since. Errors: kCorruption if it was.
Status native_file_status(FileSystem& files, const FilterBody& body);

// Ends an update in place. Precondition: the body was opened with kUpdateInPlace. The mapping stays, but
// later changes are not vouched for. Errors: also kInvalidArgument if another file has the name by now; the
// changes are then in no file that can be opened.
Status finish_native_update(FileSystem& files, FilterBody& body);

}  // namespace bloomery
