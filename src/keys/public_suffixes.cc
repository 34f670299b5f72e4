#include "keys/public_suffixes.h"

#include <libpsl.h>

namespace bloomery {

void PublicSuffixes::Free::operator()(psl_ctx_st* list) const {
  psl_free(list);
}

Result<PublicSuffixes> PublicSuffixes::load() {
  psl_ctx_st* const list = psl_latest(nullptr);
  if (list == nullptr) {
    return Error::unsupported("public suffix list", 0, "expected one on this machine, found none");
  }
  return PublicSuffixes(list);
}

bool PublicSuffixes::has(const std::string& name) const {
  return psl_is_public_suffix(list_.get(), name.c_str()) != 0;
}

}  // namespace bloomery
