// The keys of block lists: the one of an entry, and those of the questions of a text. It adds to the forms of the layer
// hash what needs other libraries: international names, the public suffix list, and canonical URLs.
//
//   form            an entry or a text             is refused as an entry, unless the place says otherwise
//   cidr            network.h                      a network with bits behind its prefix length
//   domain-suffix   domain_name.h; other letters   a public suffix
//                   become A-labels by UTS #46
//   url-prefix      a URL, of which http:// may    a public suffix with the path "/"
//                   be left out; as a browser
//                   reads it (url/browser_url.h)
//
// Invariant: what is refused here concerns entries. Questions depend on the text and the levels alone, so that they
// find an entry whatever list of suffixes a machine has.
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

// Says what keys are made for. Public suffixes are refused for kInsert only.
enum class KeyPurpose {
  kName,    // to find a key, to remove it, or to compare it
  kInsert,  // to insert it
};

// One thread at a time.
class BlockListKeys {
 public:
  // Precondition: is_block_list(treatment.form).
  BlockListKeys(const KeyTreatment& treatment, const EntryRules& rules, KeyPurpose purpose);

  // Appends the key of an entry. Errors: kInvalidArgument if the text is none.
  Status append_entry(KeyWriter& writer, std::string_view text);
  // Returns whether the last entry is a URL that lies too deep (UrlExpressions::lies_too_deep()).
  bool lay_too_deep() const { return too_deep_; }

  // Appends the questions of a text, and their ends in `writer` to `ends`. Errors: kInvalidArgument if the text can not
  // be in such a list. An address asked of a list of domain names is no error: it asks nothing.
  Status append_questions(KeyWriter& writer, std::vector<std::size_t>& ends, std::string_view text,
                          const KeyLevels& levels);

 private:
  Status append_domain(KeyWriter& writer, std::string_view text);
  Status append_url(KeyWriter& writer, std::string_view text);
  // All return views that hold until the next call of any.
  Result<UrlExpressions> expressions_of_entry(std::string_view text);
  std::optional<UrlExpressions> as_browsers_read(std::string_view text);
  std::optional<UrlExpressions> as_it_stands(std::string_view text);
  // Returns the name in ASCII, which may not be a name. The view holds until the next call.
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
