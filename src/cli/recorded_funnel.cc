#include "cli/recorded_funnel.h"

#include <string>

#include "codec/guava/java_form.h"

namespace bloomery::cli {
namespace {

// Returns true for forms that hash the key's bytes unchanged, so that they are interchangeable.
bool is_of_bytes(KeyForm form) {
  return form == KeyForm::kText || form == KeyForm::kHex || form == KeyForm::kUrl;
}

}  // namespace

Status check_recorded_funnel(std::string_view dialect, KeyForm form) {
  const JavaFunnel* const funnel = java_funnel_of_dialect(dialect);
  if (funnel == nullptr || form == KeyForm::kHex || form == funnel->form ||
      (is_of_bytes(form) && is_of_bytes(funnel->form))) {
    return {};
  }
  return Error::invalid_argument(
      "--key-form", std::string("expected ") + key_form_name(funnel->form) + ", since the filter is of " +
                        std::string(funnel->class_name) + ", found " + key_form_name(form));
}

}  // namespace bloomery::cli
