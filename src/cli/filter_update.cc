#include "cli/filter_update.h"

#include <utility>

#include "cli/secret_file.h"

namespace bloomery::cli {

Result<AnyFilter> look_at(const std::string& name, const KeyOptions& keys, bool accept_dirty) {
  BLOOMERY_ASSIGN_OR_RETURN(
      AnyFilter filter,
      open_filter(name, keys.key_file(), {.verify = Verify::kHeaderOnly, .accept_dirty = accept_dirty}));
  BLOOMERY_RETURN_IF_ERROR(keys.check_agrees_with(filter.native()));
  return filter;
}

Result<FilterUpdate> FilterUpdate::open(const std::string& name, const KeyOptions& keys, bool in_place,
                                        bool accept_dirty) {
  const Access access = in_place ? Access::kUpdateInPlace : Access::kCopyLocked;
  BLOOMERY_ASSIGN_OR_RETURN(
      AnyFilter filter, open_filter(name, keys.key_file(), {.access = access, .accept_dirty = accept_dirty}));
  return FilterUpdate(name, std::move(filter), in_place);
}

Status FilterUpdate::finish() {
  const Status done =
      in_place_ ? filter_.native().finish_update() : filter_.native().save(name_, {.replace = true});
  return done ? Status() : done.error().in_file(name_);
}

}  // namespace bloomery::cli
