// The public suffix list: the names below which anybody can register a name, such as com, co.uk and github.io. An
// entry of a block list that is one of them would stand for strangers.
//
// The list decides what may be an entry and nothing else: key bytes and questions do not depend on it. It is the one
// that libpsl finds when the program runs: the newest of the system's (Debian's package publicsuffix) and its own.
// Single labels that the list does not know count as public suffixes too. Source: https://publicsuffix.org/list/.
// This is the only place that uses libpsl.
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

  // Returns whether the name, which is canonical (domain_name.h), is a public suffix.
  bool has(const std::string& name) const;

 private:
  struct Free {
    void operator()(psl_ctx_st* list) const;
  };
  explicit PublicSuffixes(psl_ctx_st* list) : list_(list) {}

  std::unique_ptr<psl_ctx_st, Free> list_;
};

}  // namespace bloomery
