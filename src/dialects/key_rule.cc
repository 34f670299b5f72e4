#include "dialects/key_rule.h"

#include "base/message.h"
#include "dialects/dialect_rows.h"

namespace bloomery {

KeyRule::KeyRule(const DialectFilter& filter)
    : dialect_(filter.dialect()), type_(filter.key_type()), maker_(filter.keys_made_by()) {}

bool KeyRule::needs_types() const {
  return named_dialect(dialect_).row->key_type != nullptr;
}

bool KeyRule::is_text_column() const {
  const NamedDialect named = named_dialect(dialect_);
  return named.row->has_columns != nullptr && !named.option.empty() && type_ == nullptr;
}

KeyForm KeyRule::usual_form() const {
  return named_dialect(dialect_).row->description.usual_key_form;
}

std::optional<KeyForm> KeyRule::recorded_form() const {
  const NamedDialect named = named_dialect(dialect_);
  return named.row->recorded_form(named.option);
}

Result<std::shared_ptr<const KeyType>> KeyRule::type_by(const KeyTypeSources& sources) const {
  return named_dialect(dialect_).row->key_type(sources);
}

Status KeyRule::check_form(KeyForm form, const std::string& option) const {
  const NamedDialect named = named_dialect(dialect_);
  const Status checked = named.row->check_form(named.option, form);
  return checked ? Status() : Error::invalid_argument(option, checked.error().detail());
}

Status KeyRule::check_type(KeyForm form, const std::string& option) const {
  if (type_ == nullptr || type_->takes(form)) {
    return {};
  }
  return Error::invalid_argument(
      option, message("expected none, or hex for the bytes of values, since ", dialect_,
                      " has values of the type ", type_->name(), "; found ", key_form_name(form)));
}

}  // namespace bloomery
