#include "base/atomic_file.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <utility>

#include "base/link_target.h"
#include "base/temporary_name.h"

namespace bloomery {
namespace {

constexpr std::size_t kWriteBytes = std::size_t{8} << 20;  // written between two checks of `cancelled`

constexpr std::uint32_t kGroupBits = 0070;
constexpr std::uint32_t kOtherBits = 0007;

Error exists_already(const std::string& path) {
  return Error::invalid_argument(path, "exists already, and may not be replaced").with_errno(EEXIST);
}

Error lost_its_name(const std::string& path, bool another_has_it) {
  return Error::invalid_argument(path, std::string("expected the file that was locked, found ") +
                                           (another_has_it ? "another" : "none") + " in its place");
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

AtomicFile::AtomicFile(FileSystem& files, const std::string& path, const SaveOptions& options)
    : files_(&files), target_(link_target(path)), name_(path), options_(options) {}

Result<AtomicFile> AtomicFile::create(FileSystem& files, const std::string& path,
                                      const SaveOptions& options) {
  if (path.empty()) {
    return Error::invalid_argument("path", "expected a name, found an empty one");
  }
  AtomicFile file(files, path, options);
  const Result<FileFacts> old = files.facts(file.target_);
  if (!old && old.error().code() != ErrorCode::kNotFound) {
    return old.error();
  }
  if (old && !old->is_regular) {
    return Error::invalid_argument(path, "expected a regular file or none, found a directory or device");
  }
  if (old && options.if_exists == IfExists::kRefuse) {
    return exists_already(path);
  }
  file.permissions_ = options.permissions.value_or(new_file_permissions());
  if (old || options.lock != nullptr) {
    BLOOMERY_RETURN_IF_ERROR(in_file(file.lock_old(), path));
  }
  BLOOMERY_RETURN_IF_ERROR(file.create_temporary());
  if (old) {
    file.name_ = path + " (left as it was)";
    BLOOMERY_RETURN_IF_ERROR(file.settle(file.resemble(*old)));
  }
  return file;
}

// Locks the file at target_, or checks that options_.lock is a lock of that file. Then checks that it may be
// replaced.
Status AtomicFile::lock_old() {
  if (options_.lock != nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts locked, files_->facts(*options_.lock));
    const Result<FileFacts> named = files_->facts(target_);
    return named && named->is_same_file(locked) ? check_old(*options_.lock)
                                                : Status(lost_its_name("", named.has_value()));
  }
  BLOOMERY_ASSIGN_OR_RETURN(old_, open_locked(*files_, target_, OpenFor::kReading));
  return check_old(*old_);
}

Status AtomicFile::check_old(const File& old) const {
  return options_.check_old == nullptr ? Status() : (*options_.check_old)(old);
}

Status AtomicFile::create_temporary() {
  for (int tries = 0;; ++tries) {
    Result<File> file = files_->open(temporary_name(target_ + ".tmp."), OpenFor::kCreatingExclusively);
    if (file) {
      file_ = std::move(file).value();
      return {};
    }
    if (file.error().errno_value() != EEXIST || tries + 1 == kTemporaryNameTries) {
      // The caller named the target, not a temporary file.
      const int errno_value = file.error().errno_value();
      return errno_value == 0 ? file.error() : Error::io(name_, "create a file beside it", errno_value);
    }
  }
}

// Gives the temporary file the owner of the old one, and remembers the old permissions.
Status AtomicFile::resemble(const FileFacts& old) {
  permissions_ = old.permissions;
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts made, files_->facts(file_));
  if (made.owner == old.owner && made.group == old.group) {
    return {};
  }
  constexpr auto kAsItIs = static_cast<std::uint32_t>(-1);
  if (files_->set_owner(file_, old.owner, old.group) || made.group == old.group ||
      files_->set_owner(file_, kAsItIs, old.group)) {
    return {};
  }
  permissions_ = (permissions_ & ~kGroupBits) | (permissions_ & kOtherBits) << 3;
  return {};
}

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this != &other) {
    remove_temporary();
    files_ = std::exchange(other.files_, nullptr);
    file_ = std::move(other.file_);
    target_ = std::move(other.target_);
    name_ = std::move(other.name_);
    options_ = other.options_;
    old_ = std::move(other.old_);
    permissions_ = other.permissions_;
    outcome_ = std::move(other.outcome_);
  }
  return *this;
}

AtomicFile::~AtomicFile() {
  remove_temporary();
}

void AtomicFile::remove_temporary() {
  if (files_ != nullptr && !file_.path().empty()) {
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
    if (options_.cancelled != nullptr && options_.cancelled->load(std::memory_order_relaxed)) {
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
  BLOOMERY_RETURN_IF_ERROR(files_->set_permissions(file_, permissions_));
  BLOOMERY_RETURN_IF_ERROR(file_.sync());
  BLOOMERY_RETURN_IF_ERROR(then == Then::kClose ? file_.close() : files_->lock_exclusively(file_));
  return take_name();
}

Status AtomicFile::take_name() {
  constexpr int kTries = 8;  // a try fails if a file came or went since the last check
  for (int i = 0; i < kTries; ++i) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool taken, try_to_take_name());
    if (taken) {
      return {};
    }
  }
  return Error::io(target_, "rename", EBUSY);
}

// Returns false if a file came or went meanwhile, so that the caller must try again. A file that has the name
// by now is locked and checked first.
Result<bool> AtomicFile::try_to_take_name() {
  const bool may_replace = options_.if_exists == IfExists::kReplace;
  const File* const locked = options_.lock != nullptr ? options_.lock : old_ ? &*old_ : nullptr;
  const Result<FileFacts> named = files_->facts(target_);
  if (!named && named.error().code() != ErrorCode::kNotFound) {
    return named.error();
  }
  if (locked != nullptr) {
    BLOOMERY_ASSIGN_OR_RETURN(const FileFacts facts, files_->facts(*locked));
    if (named && facts.is_same_file(*named)) {
      BLOOMERY_RETURN_IF_ERROR(files_->rename(file_.path(), target_));
      return true;
    }
    if (options_.lock != nullptr) {
      return lost_its_name("", named.has_value());
    }
    old_.reset();
  }
  if (named) {
    if (!may_replace) {
      return exists_already("");
    }
    const Status found = lock_old();
    return found || found.error().code() == ErrorCode::kNotFound ? Result<bool>(false) : found.error();
  }
  const Status renamed = files_->rename_to_new(file_.path(), target_);
  if (renamed) {
    return true;
  }
  if (renamed.error().errno_value() != EEXIST) {
    return renamed.error();
  }
  return may_replace ? Result<bool>(false) : exists_already("");
}

Status AtomicFile::commit(Then then) {
  BLOOMERY_RETURN_IF_ERROR(outcome_);
  assert(files_ != nullptr);
  BLOOMERY_RETURN_IF_ERROR(settle(fill_place_of_target(then)));
  FileSystem& files = *std::exchange(files_, nullptr);
  outcome_ = files.sync_directory_of(target_);  // not by settle(): name_ may say "left as it was"
  old_.reset();
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
