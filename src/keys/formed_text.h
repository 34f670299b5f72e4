// Converts one text to key bytes, as a KeyTreatment says. It supports the form `url` in addition to those of
// append_formed() (key_form.h). Canonical URLs need a library for international names, so they are made here
// and not in `hash`.
#pragma once

#include <optional>
#include <string_view>

#include "bloomery/base/result.h"
#include "bloomery/hash/key_form.h"
#include "bloomery/hash/key_writer.h"
#include "hash/ascii_text.h"
#include "keys/url/canonical_url.h"

namespace bloomery {

// Threads: one at a time.
class FormedText {
 public:
  explicit FormedText(const KeyTreatment& treatment) : treatment_(treatment) {
    if (treatment_.form == KeyForm::kUrl) {
      urls_.emplace(treatment_.url, treatment_.ignore_case ? UrlCanonicalizer::Letters::kFolded
                                                           : UrlCanonicalizer::Letters::kAsTheyAre);
      treatment_.form = KeyForm::kText;  // the form of a canonical text, and of a text that is not a URL
    }
  }

  // Errors: kInvalidArgument if the text is not of the form. Precondition: the form is not a block-list form.
  Status append(KeyWriter& writer, std::string_view text) {
    was_url_ = true;
    if (!urls_) {
      return append_formed(writer, text, treatment_);
    }
    const std::optional<std::string_view> canonical =
        urls_->canonical(treatment_.trim ? trimmed(text) : text);
    if (canonical) {
      append_key(writer, *canonical);
      return {};
    }
    was_url_ = false;
    return append_formed(writer, text, treatment_);
  }
  // Returns false if the form is url and the last text was not a URL.
  bool was_url() const { return was_url_; }

 private:
  KeyTreatment treatment_;
  std::optional<UrlCanonicalizer> urls_;
  bool was_url_ = true;
};

}  // namespace bloomery
