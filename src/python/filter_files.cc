// The calls of SharedFilter that must detect changes of its file by others: save(), merge(), and the end of
// an update (access="update").
#include <array>
#include <cerrno>
#include <utility>

#include "base/link_target.h"
#include "filter/native/native_access.h"
#include "python/python_error.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// Returns true if inserts into a filter of this type only set bits. A mapped file of such a type, which
// another process is updating, still has every key that it had when it was opened.
bool only_sets_bits(FilterType type) {
  return type == FilterType::kBloom || type == FilterType::kBlocked;
}

// Copies the current content of the mapping. Its pages may be from different moments.
Result<AnyFilter> copy_of_mapping(const AnyFilter& filter) {
  std::string file;
  filter.serialize(file);
  return AnyFilter::view(
      std::as_bytes(std::span(file)),
      {.access = Access::kCopy, .recorded_keys = RecordedKeys::kKnown, .without_secret = true});
}

Status save_copy(const AnyFilter& filter, const std::string& path, const SaveTo& to) {
  BLOOMERY_ASSIGN_OR_RETURN(AnyFilter copy, copy_of_mapping(filter));
  BLOOMERY_RETURN_IF_ERROR(copy.save(path, to));
  NativeAccess::known_files(filter.native()).add(NativeAccess::known_files(copy.native()));
  return {};
}

}  // namespace

void SharedFilter::merge(SharedFilter& other) {
  check_writable();
  const AnyFilter& with = other.filter();
  if (&other == this) {
    return;
  }
  bool has_changed = false;
  const auto merged = [&]() -> Status {
    const Busy busy(*this);
    const Busy other_busy(other);
    const py::gil_scoped_release released;
    const std::scoped_lock lock(mutex_, other.mutex_);
    const Status done = filter_->merge(with);
    if (done || done.error().errno_value() != EWOULDBLOCK) {
      return done;
    }
    has_changed = !only_sets_bits(with.type());
    if (has_changed) {
      return {};
    }
    BLOOMERY_ASSIGN_OR_RETURN(const AnyFilter copy, copy_of_mapping(with));
    return filter_->merge(copy);
  }();
  if (has_changed) {
    refuse_changed(with, "file", py::none());
  }
  check(merged);
  read_levels();
}

bool SharedFilter::is_updated_file(const std::string& path) const {
  if (!update_) {
    return false;
  }
  FileSystem& files = FileSystem::real();
  const Result<FileFacts> named = files.facts(link_target(path));
  const Result<FileFacts> locked = files.facts(*update_->lock.file());
  return named && locked && named->is_same_file(*locked);
}

void SharedFilter::refuse_changed(const AnyFilter& filter, const std::string& path, const py::object& place) {
  raise_changed(NativeAccess::known_files(filter.native()).changed(FileSystem::real()).value_or(path), place);
}

void SharedFilter::save(const std::string& path, Replace replace, const py::object& place) {
  const AnyFilter& open = filter();
  if (is_updated_file(path)) {
    throw py::value_error("expected close(), which brings the file up to date, found a save() over it");
  }
  bool has_changed = false;
  const Status saved = alone([&]() -> Status {
    SaveTo to{.replace = replace != Replace::kNo};
    std::optional<FileLock> lock;
    if (to.replace) {
      BLOOMERY_ASSIGN_OR_RETURN(lock, FileLock::take(path));
      if (lock->holds_file()) {
        to.lock = &*lock;
      }
    }
    Status written = NativeAccess::save(
        open.native(), path, to, replace == Replace::kAlways ? IfChanged::kReplace : IfChanged::kRefuse);
    has_changed = !written && written.error().errno_value() == ESTALE;
    // The filter's file is locked, and we hold the lock of `path`, so both are one file.
    if (!written && written.error().errno_value() == EWOULDBLOCK) {
      has_changed = !only_sets_bits(open.type());
      written = has_changed ? Status() : save_copy(open, path, to);
    }
    return written;
  });
  if (has_changed) {
    refuse_changed(open, path, place);
  }
  check(saved, place);
}

void SharedFilter::begin_update(Update update) {
  update_.emplace(std::move(update));
  update_->forks = forks_;
}

Status SharedFilter::finish_update() {
  if (!update_ || !filter_ || !is_of_this_process()) {
    return {};
  }
  NativeFilter& native = filter_->native();
  return in_file(update_->in_place ? native.finish_update()
                                   : native.save(update_->path, {.replace = true, .lock = &update_->lock}),
                 update_->path);
}

}  // namespace bloomery::python
