#include "cli/filter_update.h"

#include <utility>

#include <CLI/CLI.hpp>

#include "cli/secret_file.h"

namespace bloomery::cli {

void UpdateChoice::add_to(CLI::App& verb) {
  wait.add_to(verb);
  verb.add_flag(
      "--atomic", atomic,
      "change a copy and rename it, so that FILTER is whole at every moment; reads and writes all of it");
}

Result<FilterUpdate> FilterUpdate::begin(std::string_view verb, const std::string& name,
                                         const KeyOptions& keys, const UpdateChoice& choice,
                                         const std::atomic<bool>& stop) {
  BLOOMERY_ASSIGN_OR_RETURN(FileLock lock, choice.wait.take(verb, name, &stop));
  FilterUpdate update(name, std::move(lock), keys.key_file(), choice);
  BLOOMERY_ASSIGN_OR_RETURN(
      update.filter_, open_filter(name, update.key_file_,
                                  {.verify = Verify::kHeaderOnly, .accept_dirty = choice.accept_dirty}));
  BLOOMERY_RETURN_IF_ERROR(keys.check_agrees_with(update.found().native()));
  return update;
}

Status FilterUpdate::open(Way way) {
  in_place_ = way == Way::kInPlace && !choice_.atomic && found().updates_in_place();
  filter_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(filter_, open_filter(name_, key_file_,
                                                 {.access = way == Way::kToAsk ? Access::kMapLocked
                                                            : in_place_        ? Access::kUpdateInPlace
                                                                               : Access::kCopyLocked,
                                                  .accept_dirty = choice_.accept_dirty,
                                                  .lock = &lock_}));
  return {};
}

Status FilterUpdate::finish() {
  NativeFilter& native = filter_->native();
  return in_file(in_place_ ? native.finish_update() : native.save(name_, {.replace = true, .lock = &lock_}),
                 name_);
}

}  // namespace bloomery::cli
