#include "cli/filter_update.h"

#include <utility>

#include "cli/secret_file.h"

namespace bloomery::cli {

Result<FilterUpdate> FilterUpdate::begin(const std::string& name, const KeyOptions& keys, bool accept_dirty) {
  BLOOMERY_ASSIGN_OR_RETURN(FileLock lock, FileLock::take(name));
  FilterUpdate update(name, std::move(lock), keys.key_file(), accept_dirty);
  BLOOMERY_ASSIGN_OR_RETURN(
      update.filter_,
      open_filter(name, update.key_file_, {.verify = Verify::kHeaderOnly, .accept_dirty = accept_dirty}));
  BLOOMERY_RETURN_IF_ERROR(keys.check_agrees_with(update.found().native()));
  return update;
}

Status FilterUpdate::open(bool in_place) {
  in_place_ = in_place;
  filter_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(filter_,
                            open_filter(name_, key_file_,
                                        {.access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked,
                                         .accept_dirty = accept_dirty_,
                                         .lock = &lock_}));
  return {};
}

Status FilterUpdate::finish() {
  NativeFilter& native = filter_->native();
  return in_file(in_place_ ? native.finish_update() : native.save(name_, {.replace = true, .lock = &lock_}),
                 name_);
}

}  // namespace bloomery::cli
