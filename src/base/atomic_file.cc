#include "base/atomic_file.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <system_error>
#include <unistd.h>

namespace bloomery {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{8} << 20;  // between two looks at `cancelled`

// The file that a save to `path` replaces or creates: the end of the chain of symbolic links, also of one
// that names no file yet (realpath(3) gives up on those), or `path` itself.
std::string link_target(const std::string& path) {
  constexpr int kLinksMax = 40;  // as the kernel's own limit; a loop then fails in stat()
  std::filesystem::path target = path;
  std::error_code error;
  for (int links = 0; links < kLinksMax && std::filesystem::is_symlink(target, error); ++links) {
    const std::filesystem::path named = std::filesystem::read_symlink(target, error);
    target = target.parent_path() / named;
  }
  return target.string();
}

Result<File> create_temporary(FileSystem& files, const std::string& target) {
  for (int attempt = 0;; ++attempt) {
    const std::string temporary =
        target + ".tmp." + std::to_string(::getpid()) + "." + std::to_string(attempt);
    Result<File> file = files.open(temporary, OpenFor::kCreatingExclusively);
    // A leftover of a killed process with our number is stepped over, not deleted: it is not ours.
    if (file || file.error().errno_value() != EEXIST || attempt == 99) {
      return file;
    }
  }
}

Result<AtomicFile> create_with(FileSystem& files, const std::string& path,
                               std::span<const std::span<const std::byte>> parts,
                               const SaveOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(files, path, options));
  for (const std::span<const std::byte> part : parts) {
    BLOOMERY_RETURN_IF_ERROR(file.append(part));
  }
  return file;
}

}  // namespace

Result<AtomicFile> AtomicFile::create(FileSystem& files, const std::string& path,
                                      const SaveOptions& options) {
  const std::string target = link_target(path);
  const Result<FileFacts> old = files.facts(target);
  if (!old && old.error().code() != ErrorCode::kNotFound) {
    return old.error();
  }
  if (old && !old->is_regular) {
    return Error::invalid_argument(path, "expected a regular file or none, found a directory or device");
  }
  if (old && options.if_exists == IfExists::kRefuse) {
    return Error::invalid_argument(path, "exists already, and may not be replaced");
  }
  BLOOMERY_ASSIGN_OR_RETURN(File temporary, create_temporary(files, target));
  AtomicFile file(files, std::move(temporary), target, old ? path + " (left as it was)" : path,
                  options.cancelled);
  if (old) {
    BLOOMERY_RETURN_IF_ERROR(file.settle(files.set_permissions(file.file_, old->permissions)));
  }
  return file;
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    remove_temporary();
    files_ = std::exchange(other.files_, nullptr);
    file_ = std::move(other.file_);
    target_ = std::move(other.target_);
    name_ = std::move(other.name_);
    cancelled_ = other.cancelled_;
    outcome_ = std::move(other.outcome_);
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  remove_temporary();
}

void AtomicFile::remove_temporary() {
  if (files_ != nullptr) {
    (void)files_->remove(file_.path());
  }
}

Status AtomicFile::settle(const Status& status) {
  if (!status) {
    outcome_ = in_file(status, name_);
  }
  return outcome_;
}

template <typename Write>
Status AtomicFile::write_pieces(std::span<const std::byte> bytes, const Write& write) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  assert(files_ != nullptr);
  while (!bytes.empty()) {
    if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) {
      return settle(Error::io(file_.path(), "save", EINTR));
    }
    const std::span<const std::byte> piece = bytes.first(std::min(kWriteBytes, bytes.size()));
    BLOOMERY_RETURN_IF_ERROR(settle(write(piece)));
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Status AtomicFile::append(std::span<const std::byte> bytes) {
  return write_pieces(bytes, [this](std::span<const std::byte> piece) { return file_.write_all(piece); });
}

Status AtomicFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  return write_pieces(bytes, [&](std::span<const std::byte> piece) {
    const std::uint64_t piece_offset = offset + static_cast<std::uint64_t>(piece.data() - bytes.data());
    return file_.write_all_at(piece_offset, piece);
  });
}

Status AtomicFile::fill_place_of_target(Then then) {
  BLOOMERY_RETURN_IF_ERROR(file_.sync());
  BLOOMERY_RETURN_IF_ERROR(then == Then::kClose ? file_.close() : files_->lock_exclusively(file_));
  return files_->rename(file_.path(), target_);
}

Status AtomicFile::commit(Then then) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  assert(files_ != nullptr);
  BLOOMERY_RETURN_IF_ERROR(settle(fill_place_of_target(then)));
  FileSystem& files = *std::exchange(files_, nullptr);
  outcome_ = files.sync_directory_of(target_);  // not settled: the old file is not "left as it was"
  return outcome_;
}

Status AtomicFile::commit() {
  return commit(Then::kClose);
}

Result<File> AtomicFile::commit_locked() {
  BLOOMERY_RETURN_IF_ERROR(commit(Then::kKeepLocked));
  return std::move(file_);
}

Status save_atomically(FileSystem& files, const std::string& path,
                       std::span<const std::span<const std::byte>> parts, const SaveOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, create_with(files, path, parts, options));
  return file.commit();
}

Result<File> save_atomically_locked(FileSystem& files, const std::string& path,
                                    std::span<const std::span<const std::byte>> parts,
                                    const SaveOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(AtomicFile file, create_with(files, path, parts, options));
  return file.commit_locked();
}

}  // namespace bloomery
