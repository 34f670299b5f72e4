// The error of a text that is not of its key form.
#pragma once

#include <string>
#include <string_view>

#include "bloomery/base/error.h"
#include "hash/ascii_text.h"

namespace bloomery {

// Makes the error "key form F: expected ..., found 'text'", where `form` is F, such as "hex". Long text is
// cut, and every byte that is not printable ASCII is escaped.
inline Error not_of_form(std::string_view form, const std::string& expected, std::string_view text) {
  return Error::invalid_argument("key form " + std::string(form),
                                 "expected " + expected + ", found " + shown_text(text));
}

}  // namespace bloomery
