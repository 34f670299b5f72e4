#include "hash/form_error.h"

#include "hash/ascii_text.h"

namespace bloomery {

Error not_of_form(std::string_view form, const std::string& expected, std::string_view text) {
  return Error::invalid_argument("key form " + std::string(form),
                                 "expected " + expected + ", found " + shown_text(text));
}

}  // namespace bloomery
