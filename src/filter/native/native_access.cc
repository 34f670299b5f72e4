#include "filter/native/native_access.h"

#include <utility>

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

void NativeAccess::move_lock(NativeFilter& filter, NativeFilter& replaced) {
  filter.body().locked_file = std::move(replaced.body().locked_file);
}

}  // namespace bloomery
