#include "python/dialect_keys.h"

#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

std::string_view view_of(const KeyWriter& writer) {
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

}  // namespace

DialectKeys::DialectKeys(const KeyRule& rule, const std::optional<std::string>& form) : type_(rule.type()) {
  if (form) {
    const auto named = key_form_from_name(*form);
    if (!named || is_block_list(*named)) {
      throw py::value_error("expected a key_form such as 'text', 'hex', 'int64' or 'utf16', found '" + *form +
                            "'");
    }
    form_ = *named;
    check(rule.check_form(form_, "key_form"));
    check(rule.check_type(form_, "key_form"));
    if (form_ != KeyForm::kText) {
      type_ = nullptr;
    }
  } else if (const std::optional<KeyForm> recorded = rule.recorded_form()) {
    form_ = *recorded;
  } else if (rule.needs_types()) {
    refuses_text_ = "expected the bytes of a partition key, or key_form='text' with text, found a str";
  } else if (!rule.maker().empty()) {
    refuses_text_ = "expected the bytes of a key, or a key_form, since the keys are made by " + rule.maker() +
                    ", a rule of the program that wrote the filter, found a str";
  } else if (!type_) {
    form_ = rule.usual_form();
  }
  KeyTreatment treatment;
  treatment.form = form_;
  formed_.emplace(treatment);
}

std::string_view DialectKeys::bytes_of_text(std::string_view text) {
  writer_.clear();
  if (type_) {
    check(type_->append(writer_, text));
    return view_of(writer_);
  }
  if (!refuses_text_.empty()) {
    throw py::type_error(refuses_text_);
  }
  if (form_ == KeyForm::kText) {
    return text;
  }
  check(formed_->append(writer_, text));
  return view_of(writer_);
}

std::string_view DialectKeys::bytes_of_bytes(std::string_view bytes) const {
  if (form_ == KeyForm::kUtf16) {
    throw py::type_error("expected a str, or key_form='hex' with the bytes of UTF-16 units, found bytes");
  }
  return bytes;
}

void DialectKeys::check_takes_integers() const {
  if (!type_ && form_ != KeyForm::kInt32 && form_ != KeyForm::kInt64) {
    throw py::type_error(
        "expected bytes or str, or the key_form 'int32' or 'int64' with an int, found an int");
  }
}

std::string_view DialectKeys::bytes_of_integer(const IntegerBits& number) {
  check_takes_integers();
  if (type_) {
    return bytes_of_text(number.is_negative ? std::to_string(static_cast<std::int64_t>(number.bits))
                                            : std::to_string(number.bits));
  }
  writer_.clear();
  append_integer(writer_, number.bits, number.is_negative, form_);
  return view_of(writer_);
}

std::string_view DialectKeys::bytes_of_key(PyObject* key) {
  if (PyBytes_Check(key)) {
    return bytes_of_bytes(bytes_of(key));
  }
  if (PyUnicode_Check(key)) {
    return bytes_of_text(text_of(key));
  }
  if (!is_integer(key)) {
    throw py::type_error("expected a key that is bytes, str or int, found " +
                         std::string(Py_TYPE(key)->tp_name));
  }
  if (type_) {  // an integer of any size: Parquet has decimals
    const auto text = py::reinterpret_steal<py::object>(PyNumber_ToBase(key, 10));
    if (!text) {
      throw py::error_already_set();
    }
    return bytes_of_text(text_of(text.ptr()));
  }
  check_takes_integers();
  return bytes_of_integer(integer_of(key));  // integer_of() may run the key's code, which may use writer_
}

}  // namespace bloomery::python
