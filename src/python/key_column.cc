#include "python/key_column.h"

#include <bit>
#include <cstdlib>
#include <cstring>
#include <string>

namespace py = pybind11;

namespace bloomery::python {
namespace {

static_assert(std::endian::native == std::endian::little);

// The structs of Arrow's C data interface (https://arrow.apache.org/docs/format/CDataInterface.html), whose layout is
// fixed.
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

[[noreturn]] void refuse(const std::string& what) {
  throw py::type_error("expected keys that are integers, bytes or text, found " + what);
}

// Arrow may leave the nulls uncounted.
bool has_nulls(const ArrowArray& array) {
  if (array.null_count == 0 || array.n_buffers == 0 || array.buffers[0] == nullptr) {
    return false;
  }
  const auto* valid = static_cast<const unsigned char*>(array.buffers[0]);
  for (std::int64_t i = array.offset; i < array.offset + array.length; ++i) {
    if (((valid[i / 8] >> (i % 8)) & 1) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

IntegerBits KeyColumn::integer(std::size_t i) const {
  std::uint64_t bits = 0;
  read_integers(i, {&bits, 1});
  return {bits, is_signed_ && static_cast<std::int64_t>(bits) < 0};
}

template <typename Number>
void KeyColumn::widen(std::size_t first, std::span<std::uint64_t> numbers) const {
  const char* at = data_ + static_cast<std::ptrdiff_t>(first) * stride_;
  for (std::uint64_t& number : numbers) {
    Number read = 0;
    std::memcpy(&read, at, sizeof(read));
    number =
        static_cast<std::uint64_t>(+read);  // + widens to int; a negative number keeps its value modulo 2^64
    at += stride_;
  }
}

void KeyColumn::read_integers(std::size_t first, std::span<std::uint64_t> numbers) const {
  switch (width_) {
    case 1:
      return is_signed_ ? widen<std::int8_t>(first, numbers) : widen<std::uint8_t>(first, numbers);
    case 2:
      return is_signed_ ? widen<std::int16_t>(first, numbers) : widen<std::uint16_t>(first, numbers);
    case 4:
      return is_signed_ ? widen<std::int32_t>(first, numbers) : widen<std::uint32_t>(first, numbers);
    default:
      return widen<std::uint64_t>(first, numbers);
  }
}

template <typename Offset>
std::string_view KeyColumn::between_offsets(std::size_t i) const {
  const auto* offsets = static_cast<const Offset*>(offsets_);
  return {data_ + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}

std::string_view KeyColumn::fixed(std::size_t i) const {
  const char* at = data_ + static_cast<std::ptrdiff_t>(i) * stride_;
  std::size_t size = width_;
  while (is_padded_ && size > 0 && at[size - 1] == '\0') {
    --size;
  }
  return {at, size};
}

std::string_view KeyColumn::bytes(std::size_t i) const {
  std::string_view key;
  read_bytes(i, {&key, 1});
  return key;
}

void KeyColumn::read_bytes(std::size_t first, std::span<std::string_view> keys) const {
  const auto fill = [&](const auto& key_at) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = key_at(first + i);
    }
  };
  switch (kind_) {
    case Kind::kOffsets32:
      return fill([this](std::size_t i) { return between_offsets<std::int32_t>(i); });
    case Kind::kOffsets64:
      return fill([this](std::size_t i) { return between_offsets<std::int64_t>(i); });
    default:
      return fill([this](std::size_t i) { return fixed(i); });
  }
}

std::optional<KeyColumn> KeyColumn::of(const py::object& object) {
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    return of_buffer(object);
  }
  if (py::hasattr(object, "__arrow_c_array__")) {
    return of_arrow(object);
  }
  if (py::hasattr(object, "__arrow_c_stream__")) {
    throw py::type_error("expected an Arrow array, found several: give its chunks one by one");
  }
  return std::nullopt;
}

std::optional<KeyColumn> KeyColumn::of_buffer(const py::object& object) {
  auto* raw = new Py_buffer;
  if (PyObject_GetBuffer(object.ptr(), raw, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    delete raw;
    PyErr_Clear();  // NumPy's arrays of text and of dates give no buffer
    return std::nullopt;
  }
  KeyColumn column;
  column.held_ = std::shared_ptr<void>(raw, [](void* held) {
    auto* buffer = static_cast<Py_buffer*>(held);
    PyBuffer_Release(buffer);
    delete buffer;
  });
  std::string format = raw->format == nullptr ? "B" : raw->format;
  if (format == "O") {
    return std::nullopt;
  }
  if (raw->ndim != 1) {
    throw py::value_error("expected an array of one dimension, found " + std::to_string(raw->ndim));
  }
  if (!format.empty() && (format[0] == '>' || format[0] == '!')) {
    throw py::value_error("expected an array in the byte order of the machine, found another: use astype()");
  }
  if (!format.empty() && (format[0] == '<' || format[0] == '=' || format[0] == '@')) {
    format.erase(0, 1);
  }
  column.size_ = static_cast<std::size_t>(raw->shape[0]);
  column.width_ = static_cast<std::size_t>(raw->itemsize);
  column.stride_ = raw->strides[0];
  column.data_ = static_cast<const char*>(raw->buf);
  if (format.size() == 1 && std::string_view("bhilqn").find(format[0]) != std::string_view::npos) {
    column.is_signed_ = true;
  } else if (format.size() == 1 && std::string_view("BHILQN").find(format[0]) != std::string_view::npos) {
    column.is_signed_ = false;
  } else if (!format.empty() && format.back() == 's') {
    column.kind_ = Kind::kFixed;
    column.is_padded_ = true;
  } else if (!format.empty() && format.back() == 'w') {  // NumPy's text, in UCS-4
    return std::nullopt;
  } else {
    refuse("elements of the buffer format '" + format + "'");
  }
  return column;
}

std::optional<KeyColumn> KeyColumn::of_arrow(const py::object& object) {
  const py::tuple capsules = object.attr("__arrow_c_array__")();
  auto* schema =
      static_cast<ArrowSchema*>(PyCapsule_GetPointer(py::object(capsules[0]).ptr(), "arrow_schema"));
  auto* array = static_cast<ArrowArray*>(PyCapsule_GetPointer(py::object(capsules[1]).ptr(), "arrow_array"));
  if (schema == nullptr || array == nullptr) {
    throw py::error_already_set();
  }
  KeyColumn column;
  column.held_ = std::shared_ptr<void>(new py::tuple(capsules),
                                       [](void* held) { delete static_cast<py::tuple*>(held); });
  const std::string format = schema->format;
  if (schema->dictionary != nullptr) {
    refuse("an Arrow array that is encoded by a dictionary: use dictionary_decode()");
  }
  if (has_nulls(*array)) {
    throw py::value_error(
        "expected an Arrow array without nulls, found some: use drop_null() or fill_null()");
  }
  column.size_ = static_cast<std::size_t>(array->length);
  const auto offset = static_cast<std::size_t>(array->offset);
  if (format.size() == 1 && std::string_view("cCsSiIlL").find(format[0]) != std::string_view::npos) {
    constexpr std::string_view kLetters = "cCsSiIlL";
    column.width_ = std::size_t{1} << (kLetters.find(format[0]) / 2);
    column.stride_ = static_cast<std::ptrdiff_t>(column.width_);
    column.is_signed_ = format[0] >= 'a';
    column.data_ = static_cast<const char*>(array->buffers[1]) + offset * column.width_;
  } else if (format == "u" || format == "z" || format == "U" || format == "Z") {
    column.is_text_ = format == "u" || format == "U";
    column.kind_ = format == "u" || format == "z" ? Kind::kOffsets32 : Kind::kOffsets64;
    column.data_ = static_cast<const char*>(array->buffers[2]);
    column.offsets_ =
        static_cast<const char*>(array->buffers[1]) +
        offset * (column.kind_ == Kind::kOffsets32 ? sizeof(std::int32_t) : sizeof(std::int64_t));
  } else if (format.starts_with("w:")) {
    column.kind_ = Kind::kFixed;
    column.width_ = static_cast<std::size_t>(std::strtoull(format.c_str() + 2, nullptr, 10));
    column.stride_ = static_cast<std::ptrdiff_t>(column.width_);
    column.data_ = static_cast<const char*>(array->buffers[1]) + offset * column.width_;
  } else {
    refuse("an Arrow array of the format '" + format + "'");
  }
  return column;
}

}  // namespace bloomery::python
