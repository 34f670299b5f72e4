// The keys of block lists: the key of an entry, and the keys that a query for a text needs ("questions").
// This file adds the parts of key forms that need libraries: international names, the public suffix list, and
// canonical URLs.
//
//   form            an entry or a text             is refused as an entry, unless the key place allows it
//   cidr            network.h                      a network with bits after its prefix length
//   domain-suffix   domain_name.h; other letters   a public suffix
//                   become A-labels by UTS #46
//   url-prefix      a URL, of which http:// may    a public suffix with the path "/"
//                   be omitted; as a browser
//                   reads it (url/browser_url.h)
//
// Invariant: refusals concern only entries. Questions depend only on the text and the levels, so that they
// find an entry whatever suffix list a machine has.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_levels.h"
#include "bloomery/hash/key_writer.h"
#include "keys/key_place.h"
#include "keys/public_suffixes.h"
#include "keys/url/canonical_url.h"
#include "keys/url/url_expressions.h"

namespace bloomery {

// The purpose of keys. Public suffixes are refused for kInsert only.
enum class KeyPurpose {
  kName,    // to find a key, to remove it, or to compare it
  kInsert,  // to insert it
};

// Threads: one at a time.
class BlockListKeys {
 public:
  // Precondition: is_block_list(treatment.form).
  BlockListKeys(const KeyTreatment& treatment, const EntryRules& rules, KeyPurpose purpose);

  // Appends the key of an entry. Errors: kInvalidArgument if the text is not an entry.
  Status append_entry(KeyWriter& writer, std::string_view text);
  // Returns true if the last entry is a URL that is too deep to be found (UrlExpressions::lies_too_deep()).
  bool lay_too_deep() const { return too_deep_; }

  // Appends the questions of a text, and their ends in `writer` to `ends`. Errors: kInvalidArgument if
  // no such list can contain the text. An address queried in a list of domain names is no error: it
  // has no questions.
  Status append_questions(KeyWriter& writer, std::vector<std::size_t>& ends, std::string_view text,
                          const KeyLevels& levels);

 private:
  Status append_domain(KeyWriter& writer, std::string_view text);
  Status append_url(KeyWriter& writer, std::string_view text);
  // The following functions return views that are valid until the next call of any of them.
  Result<UrlExpressions> expressions_of_entry(std::string_view text);
  std::optional<UrlExpressions> as_browsers_read(std::string_view text);
  std::optional<UrlExpressions> as_it_stands(std::string_view text);
  // Returns the name in ASCII, which may be invalid. The view is valid until the next call.
  Result<std::string_view> ascii_name(std::string_view text);
  // Errors: kInvalidArgument if the name is a public suffix and must not be one.
  Status check_suffix(const std::string& name, std::string_view text);

  KeyTreatment treatment_;
  EntryRules rules_;
  KeyPurpose purpose_;
  UrlCanonicalizer urls_;
  std::optional<PublicSuffixes> suffixes_;  // read for the first entry that needs it
  std::string text_;                        // the name or URL that is being read
  bool too_deep_ = false;
};

}  // namespace bloomery
