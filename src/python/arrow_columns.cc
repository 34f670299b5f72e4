// Arrays of Arrow as columns: the members of KeyColumn that depend on Arrow's types.
#include <cstdlib>
#include <cstring>
#include <utility>

#include "python/key_column.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

[[noreturn]] void refuse_arrow(const std::string& what) {
  throw py::type_error("expected keys that are integers, bytes or text, found " + what);
}

[[noreturn]] void refuse_nulls() {
  throw py::value_error("expected an Arrow array without nulls, found some: use drop_null() or fill_null()");
}

// Returns the name of an Arrow format for a message.
std::string kind_of_format(std::string_view format) {
  if (format == "+s") {
    return "a table: give one of its columns";
  }
  const std::string_view first = format.substr(0, 1);
  const char* const kind = first == "e" || first == "f" || first == "g" ? "floats, "
                           : first == "b"                               ? "bools, "
                           : first == "t"                               ? "dates or times, "
                           : first == "d"                               ? "decimal numbers, "
                           : first == "n"                               ? "nulls alone, "
                                                                        : "";
  return std::string(kind) + "an Arrow array of the format '" + std::string(format) + "'";
}

bool is_valid(const ArrowArray& array, std::size_t i) {
  const auto* valid = static_cast<const unsigned char*>(array.buffers[0]);
  const std::size_t at = static_cast<std::size_t>(array.offset) + i;
  return ((valid[at / 8] >> (at % 8)) & 1) != 0;
}

bool may_have_nulls(const ArrowArray& array) {
  return array.null_count != 0 && array.n_buffers != 0 && array.buffers[0] != nullptr;
}

// Searches for a null if the null count is not 0, since Arrow allows an unknown count.
bool has_nulls(const ArrowArray& array) {
  if (may_have_nulls(array)) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(array.length); ++i) {
      if (!is_valid(array, i)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

// Sets the members that follow from the format. Throws TypeError for a format that cannot be a key.
void KeyColumn::set_arrow_type(std::string_view format) {
  constexpr std::string_view kIntegers = "cCsSiIlL";
  if (format.size() == 1 && kIntegers.find(format[0]) != std::string_view::npos) {
    width_ = std::size_t{1} << (kIntegers.find(format[0]) / 2);
    is_signed_ = format[0] >= 'a';
  } else if (format == "u" || format == "z" || format == "U" || format == "Z") {
    kind_ = format == "u" || format == "z" ? Kind::kOffsets32 : Kind::kOffsets64;
    width_ = kind_ == Kind::kOffsets32 ? sizeof(std::int32_t) : sizeof(std::int64_t);
    is_text_ = format == "u" || format == "U";
  } else if (format == "vu" || format == "vz") {
    kind_ = Kind::kViews;
    width_ = 16;
    is_text_ = format == "vu";
  } else if (format.starts_with("w:")) {
    kind_ = Kind::kFixed;
    width_ = static_cast<std::size_t>(std::strtoull(std::string(format.substr(2)).c_str(), nullptr, 10));
  } else {
    refuse_arrow(kind_of_format(format));
  }
  stride_ = static_cast<std::ptrdiff_t>(width_);
}

void KeyColumn::set_arrow_bytes(const ArrowArray& array) {
  size_ = static_cast<std::size_t>(array.length);
  const std::size_t skipped = static_cast<std::size_t>(array.offset) * width_;
  const auto* const second = static_cast<const char*>(array.buffers[1]) + skipped;
  if (kind_ == Kind::kOffsets32 || kind_ == Kind::kOffsets64) {
    offsets_ = second;
    data_ = static_cast<const char*>(array.buffers[2]);
  } else {
    data_ = second;
    view_buffers_ = array.buffers + 2;
  }
}

// Makes this column the indices into a column of values. Throws for an index that is out of range or points
// to a null.
void KeyColumn::set_dictionary(const ArrowSchema& schema, const ArrowArray* array) {
  const ArrowArray* const words = array == nullptr ? nullptr : array->dictionary;
  ArrowArray without_nulls = {};
  if (words != nullptr) {
    without_nulls = *words;
    without_nulls.null_count = 0;  // a null that no key refers to is harmless
  }
  if (kind_ != Kind::kInteger || schema.dictionary->dictionary != nullptr) {
    refuse_arrow("an Arrow array with a dictionary of another kind");
  }
  const auto values = std::make_shared<const KeyColumn>(
      of_arrow(*schema.dictionary, words == nullptr ? nullptr : &without_nulls, nullptr));
  for (std::size_t i = 0; i < size_; ++i) {
    const std::size_t found = index(i);
    if (found >= values->size()) {
      throw py::value_error("expected indices into a dictionary of " + std::to_string(values->size()) +
                            " values, found " + std::to_string(found));
    }
    if (may_have_nulls(*words) && !is_valid(*words, found)) {
      refuse_nulls();
    }
  }
  values_ = values;
}

KeyColumn KeyColumn::of_arrow(const ArrowSchema& schema, const ArrowArray* array,
                              std::shared_ptr<void> held) {
  KeyColumn column;
  column.held_ = std::move(held);
  column.set_arrow_type(schema.format);
  if (array != nullptr) {
    if (has_nulls(*array)) {
      refuse_nulls();
    }
    column.set_arrow_bytes(*array);
  }
  if (schema.dictionary != nullptr) {
    column.set_dictionary(schema, array);
  }
  return column;
}

}  // namespace bloomery::python
