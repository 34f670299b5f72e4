#include "filter/native/native_access.h"

#include <utility>

#include "filter/native/native_file.h"

namespace bloomery {

void NativeAccess::copy_state(NativeFilter& filter, const NativeFilter& replaced) {
  FilterBody& body = filter.body();
  const FilterBody& from = replaced.body();
  body.header.hash = from.header.hash;
  body.header.hash_key_id = from.header.hash_key_id;
  body.header.keys.digest_bytes = from.header.keys.digest_bytes;
  body.metadata = from.metadata;
  body.withdrawn = replaced.withdrawn_exceptions();
  if (filter.type() != FilterType::kQuotient) {  // a quotient filter counts its keys itself
    body.inserted = replaced.inserted();
  }
}

void NativeAccess::move_files(NativeFilter& filter, NativeFilter& replaced) {
  filter.body().locked_file = std::move(replaced.body().locked_file);
  filter.body().known.add(replaced.body().known);
}

Status NativeAccess::save(const NativeFilter& filter, const std::string& path, const SaveTo& to,
                          IfChanged if_changed) {
  return save_native_file(FileSystem::real(), path, filter.body(), save_options(to), if_changed);
}

}  // namespace bloomery
