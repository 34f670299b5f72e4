#include "python/key_column.h"

#include <bit>
#include <cstring>

namespace py = pybind11;

namespace bloomery::python {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t kUnitBytes = 4;  // bytes of a character in NumPy's text

// Appends a character as UTF-8. Accepts any number, since other threads may change the array meanwhile.
void append_utf8(std::string& text, std::uint32_t character) {
  const auto put = [&text](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xc0 | character >> 6);
    put(0x80 | (character & 0x3f));
  } else if (character < 0x10000) {
    put(0xe0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3f));
    put(0x80 | (character & 0x3f));
  } else {
    put(0xf0 | (character >> 18 & 7));
    put(0x80 | (character >> 12 & 0x3f));
    put(0x80 | (character >> 6 & 0x3f));
    put(0x80 | (character & 0x3f));
  }
}

// Returns true if a buffer format is a count and one letter, like NumPy's for S16 and U16.
bool is_counted(std::string_view format, char letter) {
  return format.size() > 1 && format.back() == letter &&
         format.find_first_not_of("0123456789") == format.size() - 1;
}

[[noreturn]] void refuse_format(const std::string& format) {
  throw py::type_error(
      "expected keys that are integers, bytes or text, found elements of the buffer format '" + format + "'");
}

}  // namespace

IntegerBits KeyColumn::integer(std::size_t i) const {
  std::uint64_t bits = 0;
  read_integers(i, {&bits, 1});
  const bool is_signed = values_ ? values_->is_signed_ : is_signed_;
  return {bits, is_signed && static_cast<std::int64_t>(bits) < 0};
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

void KeyColumn::read_own_integers(std::size_t first, std::span<std::uint64_t> numbers) const {
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

// Returns the index of key i among the values of the dictionary, which set_dictionary() has checked.
std::size_t KeyColumn::index(std::size_t i) const {
  std::uint64_t index = 0;
  read_own_integers(i, {&index, 1});
  return static_cast<std::size_t>(index);
}

void KeyColumn::read_integers(std::size_t first, std::span<std::uint64_t> numbers) const {
  read_own_integers(first, numbers);
  if (values_) {
    for (std::uint64_t& number : numbers) {
      values_->read_own_integers(static_cast<std::size_t>(number), {&number, 1});
    }
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

// A view begins with its size in 4 bytes. Up to 12 bytes of a key follow; a longer key has its first four
// bytes there, then the index of its buffer and the offset in that buffer.
std::string_view KeyColumn::view(std::size_t i) const {
  constexpr std::uint32_t kInside = 12;
  const char* at = data_ + i * width_;
  std::uint32_t size = 0;
  std::memcpy(&size, at, sizeof(size));
  if (size <= kInside) {
    return {at + 4, size};
  }
  std::uint32_t place[2];  // buffer and offset
  std::memcpy(place, at + 8, sizeof(place));
  return {static_cast<const char*>(view_buffers_[place[0]]) + place[1], size};
}

std::uint32_t KeyColumn::unit(std::size_t i, std::size_t place) const {
  std::uint32_t read = 0;
  std::memcpy(&read, data_ + static_cast<std::ptrdiff_t>(i) * stride_ + place * kUnitBytes, sizeof(read));
  return read;
}

// Returns the OR of all characters.
std::uint32_t KeyColumn::all_units() const {
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t place = 0; place < width_ / kUnitBytes; ++place) {
      all |= unit(i, place);
    }
  }
  return all;
}

// Each text occupies as many bytes of `room` as it has characters, including padding. The loop has no branch,
// so that the compiler vectorises it.
void KeyColumn::read_ascii(std::size_t first, std::span<std::string_view> keys, std::string& room) const {
  const std::size_t units = width_ / kUnitBytes;
  room.resize(keys.size() * units);
  char* text = room.data();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const char* at = data_ + static_cast<std::ptrdiff_t>(first + i) * stride_;
    for (std::size_t place = 0; place < units; ++place) {
      std::uint32_t character = 0;
      std::memcpy(&character, at + place * kUnitBytes, sizeof(character));
      text[place] = static_cast<char>(character);
    }
    std::size_t size = units;
    while (size > 0 && text[size - 1] == '\0') {
      --size;
    }
    keys[i] = {text, size};
    text += units;
  }
}

// Returns true if all texts can be encoded as UTF-8: they contain no surrogate, and nothing above
// the last character.
bool KeyColumn::is_well_formed() const {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t place = 0; place < width_ / kUnitBytes; ++place) {
      const std::uint32_t found = unit(i, place);
      if (found > 0x10ffff || (found >= 0xd800 && found < 0xe000)) {
        return false;
      }
    }
  }
  return true;
}

// The views are set last, since `room` may move while it grows.
void KeyColumn::read_units(std::size_t first, std::span<std::string_view> keys, std::string& room) const {
  room.clear();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::size_t count = width_ / kUnitBytes;
    while (count > 0 && unit(first + i, count - 1) == 0) {
      --count;
    }
    const std::size_t start = room.size();
    for (std::size_t place = 0; place < count; ++place) {
      append_utf8(room, unit(first + i, place));
    }
    keys[i] = {room.data(), room.size() - start};
  }
  const char* at = room.data();
  for (std::string_view& key : keys) {
    key = {at, key.size()};
    at += key.size();
  }
}

std::string_view KeyColumn::bytes(std::size_t i, std::string& room) const {
  std::string_view key;
  read_bytes(i, {&key, 1}, room);
  return key;
}

std::string_view KeyColumn::digest(std::size_t i, std::size_t width, std::string& room) const {
  const std::string_view key = bytes(i, room);
  const bool is_cut = kind_ == Kind::kFixed && is_padded_ && width_ == width && !key.empty();
  return is_cut ? std::string_view(key.data(), width) : key;
}

void KeyColumn::read_bytes(std::size_t first, std::span<std::string_view> keys, std::string& room) const {
  const auto fill = [&](const auto& key_at) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = key_at(first + i);
    }
  };
  if (values_) {
    return fill([&](std::size_t i) { return values_->bytes(index(i), room); });
  }
  switch (kind_) {
    case Kind::kOffsets32:
      return fill([this](std::size_t i) { return between_offsets<std::int32_t>(i); });
    case Kind::kOffsets64:
      return fill([this](std::size_t i) { return between_offsets<std::int64_t>(i); });
    case Kind::kViews:
      return fill([this](std::size_t i) { return view(i); });
    case Kind::kUcs4:
      return is_ascii_ ? read_ascii(first, keys, room) : read_units(first, keys, room);
    default:
      return fill([this](std::size_t i) { return fixed(i); });
  }
}

std::optional<KeyColumn> KeyColumn::of_buffer(const py::object& object) {
  auto* raw = new Py_buffer;
  if (PyObject_GetBuffer(object.ptr(), raw, PyBUF_FORMAT | PyBUF_INDIRECT) != 0) {
    delete raw;
    if (PyErr_ExceptionMatches(PyExc_MemoryError) != 0) {
      throw py::error_already_set();
    }
    PyErr_Clear();  // NumPy's arrays of dates export no buffer
    return std::nullopt;
  }
  KeyColumn column;
  column.held_ = std::shared_ptr<void>(raw, [](void* held) {
    auto* buffer = static_cast<Py_buffer*>(held);
    PyBuffer_Release(buffer);
    delete buffer;
  });
  if (raw->ndim != 1) {
    throw py::type_error("expected an array of one dimension, found " + std::to_string(raw->ndim));
  }
  std::string format = raw->format == nullptr ? "B" : raw->format;
  if (!format.empty() && (format[0] == '>' || format[0] == '!')) {
    throw py::type_error("expected an array in the byte order of the machine, found another: use astype()");
  }
  if (!format.empty() && (format[0] == '<' || format[0] == '=' || format[0] == '@')) {
    format.erase(0, 1);
  }
  const bool is_indirect = raw->suboffsets != nullptr && raw->suboffsets[0] >= 0;
  if (format == "O" || is_indirect) {
    return std::nullopt;
  }
  column.size_ = static_cast<std::size_t>(raw->shape[0]);
  column.width_ = static_cast<std::size_t>(raw->itemsize);
  // Arrays of ctypes have no strides: their elements are contiguous.
  column.stride_ = raw->strides == nullptr ? raw->itemsize : raw->strides[0];
  column.data_ = static_cast<const char*>(raw->buf);
  const bool is_number_wide =
      column.width_ == 1 || column.width_ == 2 || column.width_ == 4 || column.width_ == 8;
  if (is_number_wide && format.size() == 1 &&
      std::string_view("bhilqn").find(format[0]) != std::string_view::npos) {
    column.is_signed_ = true;
  } else if (is_number_wide && format.size() == 1 &&
             std::string_view("BHILQN").find(format[0]) != std::string_view::npos) {
    column.is_signed_ = false;
  } else if (is_counted(format, 's')) {
    column.kind_ = Kind::kFixed;
    column.is_padded_ = true;
  } else if (is_counted(format, 'w') && column.width_ % kUnitBytes == 0) {
    column.kind_ = Kind::kUcs4;
    column.is_text_ = true;
    column.is_ascii_ = column.all_units() < 0x80;
    if (!column.is_ascii_ && !column.is_well_formed()) {
      return std::nullopt;  // a text that cannot be encoded as UTF-8 raises its own error
    }
  } else if (format == "w" || format == "u") {  // array.array of characters
    return std::nullopt;
  } else {
    refuse_format(format);
  }
  return column;
}

}  // namespace bloomery::python
