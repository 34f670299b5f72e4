#include "python/dialect_keys.h"

#include "codec/guava/java_form.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// Text and bytes are hashed as they are, so one may stand for the other.
bool is_of_bytes(KeyForm form) {
  return form == KeyForm::kText || form == KeyForm::kHex || form == KeyForm::kUrl;
}

std::string_view view_of(const KeyWriter& writer) {
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

}  // namespace

DialectKeys::DialectKeys(const std::string& dialect, const std::optional<std::string>& form,
                         std::shared_ptr<const KeyType> type)
    : dialect_(dialect), type_(std::move(type)) {
  const bool is_cassandra = dialect.starts_with("cassandra");
  const JavaFunnel* const funnel = java_funnel_of_dialect(dialect);
  if (form) {
    const auto named = key_form_from_name(*form);
    if (!named || is_block_list(*named)) {
      throw py::value_error("expected a key_form such as 'text', 'hex', 'int64' or 'utf16', found '" + *form +
                            "'");
    }
    form_ = *named;
    if (is_cassandra && !is_of_bytes(form_)) {
      throw py::value_error("expected the key_form 'text' or 'hex' for Cassandra's filters, found '" + *form +
                            "'");
    }
    if (funnel != nullptr && form_ != KeyForm::kHex && form_ != funnel->form &&
        !(is_of_bytes(form_) && is_of_bytes(funnel->form))) {
      throw py::value_error("expected the key_form '" + std::string(key_form_name(funnel->form)) +
                            "', since the filter is of " + std::string(funnel->class_name) + ", found '" +
                            *form + "'");
    }
    if (type_ && !type_->takes(form_)) {
      throw py::value_error("expected keys of the type of the column, " + type_->name() +
                            ", found the key_form '" + *form + "'");
    }
    if (form_ != KeyForm::kText) {
      type_ = nullptr;
    }
  } else if (funnel != nullptr) {
    form_ = funnel->form;
  } else {
    takes_text_ = !is_cassandra;
  }
  KeyTreatment treatment;
  treatment.form = form_;
  formed_.emplace(treatment);
}

std::string_view DialectKeys::bytes_of_key(PyObject* key) {
  if (PyBytes_Check(key)) {
    return bytes_of(key);
  }
  if (PyUnicode_Check(key)) {
    writer_.clear();
    if (type_) {
      check(type_->append(writer_, text_of(key)));
      return view_of(writer_);
    }
    if (!takes_text_) {
      throw py::type_error(
          "expected the bytes of a partition key, or key_form='text' with text, found a str");
    }
    if (form_ == KeyForm::kText) {
      return text_of(key);
    }
    check(formed_->append(writer_, text_of(key)));
    return view_of(writer_);
  }
  if (!is_integer(key)) {
    throw py::type_error("expected a key that is bytes, str or int, found " +
                         std::string(Py_TYPE(key)->tp_name));
  }
  if (type_) {
    const auto text = py::reinterpret_steal<py::object>(PyNumber_ToBase(key, 10));
    if (!text) {
      throw py::error_already_set();
    }
    writer_.clear();
    check(type_->append(writer_, text_of(text.ptr())));
    return view_of(writer_);
  }
  if (form_ != KeyForm::kInt32 && form_ != KeyForm::kInt64) {
    throw py::type_error(
        "expected bytes or str, or the key_form 'int32' or 'int64' with an int, found an int");
  }
  const IntegerBits number = integer_of(key);  // the key's own code may ask the filter
  writer_.clear();
  append_integer(writer_, number.bits, number.is_negative, form_);
  return view_of(writer_);
}

}  // namespace bloomery::python
