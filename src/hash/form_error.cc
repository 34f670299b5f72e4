#include "hash/form_error.h"

#include "hash/ascii_text.h"

namespace bloomery {

Error not_of_form(KeyForm form, const std::string& expected, std::string_view text) {
  return Error::invalid_argument(std::string("key form ") + key_form_name(form),
                                 "expected " + expected + ", found " + shown_text(text));
}

}  // namespace bloomery
