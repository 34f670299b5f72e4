// The public suffix list: the names below which anybody can register a name, such as com, co.uk and
// github.io. A block-list entry that is a public suffix would block unrelated sites.
//
// The list only decides what may be an entry: key bytes and questions do not depend on it. At run time,
// libpsl uses the newer of two lists: its own, or the system's (Debian's package publicsuffix). Single labels
// that the list does not contain count as public suffixes too. Only public_suffixes.cc uses libpsl. Source:
// https://publicsuffix.org/list/.
#pragma once

#include <memory>
#include <string>

#include "bloomery/base/result.h"

struct psl_ctx_st;

namespace bloomery {

class PublicSuffixes {
 public:
  // Errors: kUnsupported if the machine has no list.
  static Result<PublicSuffixes> load();

  // Returns true if the name, which is canonical (domain_name.h), is a public suffix.
  bool has(const std::string& name) const;

 private:
  struct Free {
    void operator()(psl_ctx_st* list) const;
  };
  explicit PublicSuffixes(psl_ctx_st* list) : list_(list) {}

  std::unique_ptr<psl_ctx_st, Free> list_;
};

}  // namespace bloomery
