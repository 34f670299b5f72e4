#include "python/object_hasher.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "python/column_hashes.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The number of texts of a list that are hashed together, and the distance of the prefetch in items.
constexpr std::size_t kTexts = 64;
constexpr Py_ssize_t kAhead = 16;

// Prefetches the two cache lines with the header of a str and its first bytes.
void prefetch(PyObject* object) {
  const auto* at = reinterpret_cast<const char*>(object);
  __builtin_prefetch(at);
  __builtin_prefetch(at + 64);
}

// Returns true if the bytes are hexadecimal digits, with an optional line end. Digests have 16 bytes or
// more, which are practically never all hexadecimal digits.
bool look_like_digits(std::string_view bytes) {
  while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r')) {
    bytes.remove_suffix(1);
  }
  return bytes.size() >= 16 && bytes.size() % 2 == 0 && std::ranges::all_of(bytes, [](char byte) {
           return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
                  (byte >= 'A' && byte <= 'F');
         });
}

[[noreturn]] void refuse_by_rule(const KeyTreatment& treatment, const char* found) {
  throw py::type_error("expected keys as the filter's rule makes them (" + describe(treatment) + "), found " +
                       found);
}

}  // namespace

// The command gives a filter of lines the hash xxh3, or a hash with a secret. No such file contains an int,
// so the answer would be a silent no. A program with ints in such a filter must say so by its form.
void ObjectHasher::check_form_takes_integers() const {
  const KeyForm form = treatment_.form;
  if (form != KeyForm::kText && form != KeyForm::kInt32 && form != KeyForm::kInt64) {
    refuse_by_rule(treatment_, "an int");
  }
  if (form == KeyForm::kText && has_lines_) {
    const std::string hash = hash_.id == HashId::kSipHash ? "a secret" : "the hash of the command (xxh3)";
    throw py::type_error("expected text, since the filter has " + hash +
                         " and the form text, whose keys are lines, found an int: give str(key), or "
                         "key_form=\"int64\" to a new filter");
  }
}

void ObjectHasher::check_takes_integers() const {
  if (treatment_.parts != 1) {
    refuse_by_rule(treatment_, "an int");
  }
  check_form_takes_integers();
}

Hash128 ObjectHasher::hash_of_text(std::string_view text) {
  if (is_plain_text_) {
    return hash_bytes(text, hash_);
  }
  if (!texts_) {
    texts_.emplace(treatment_, TextPurpose::kName);
  }
  check(texts_->make({&text, 1}));
  return hash_bytes(texts_->keys().front(), hash_);
}

// The command reads lines, which are bytes too. So bytes are text in forms that accept any text. In the form
// hex they are the digest itself.
Hash128 ObjectHasher::hash_of_bytes(std::string_view bytes) {
  switch (treatment_.form) {
    case KeyForm::kText:
    case KeyForm::kUrl:
      return hash_of_text(bytes);
    case KeyForm::kHex:
      if (treatment_.parts != 1) {
        refuse_by_rule(treatment_, "bytes");
      }
      check_no_digits(bytes);
      check_width(bytes);
      return hash_bytes(bytes, hash_);
    default:
      refuse_by_rule(treatment_, "bytes");
  }
}

void ObjectHasher::check_no_digits(std::string_view bytes) const {
  if (look_like_digits(bytes)) {
    refuse_by_rule(treatment_,
                   "bytes that are hexadecimal digits: give them as a str, or the bytes they stand for");
  }
}

// Refuses a digest of another size than the filter's digests, since it could never match.
void ObjectHasher::check_width(std::string_view bytes) const {
  const std::size_t width = treatment_.digest_bytes;
  if (width != 0 && !bytes.empty() && bytes.size() != width) {
    check(
        Status(Error::invalid_argument("key form hex", "expected " + std::to_string(width) +
                                                           " bytes, as all keys of the filter have, found " +
                                                           std::to_string(bytes.size()))));
  }
}

void ObjectHasher::append_text(KeyWriter& writer, std::string_view text) {
  if (!formed_) {
    formed_.emplace(treatment_);
  }
  check(formed_->append(writer, text));
}

Hash128 ObjectHasher::hash_of_integer(std::uint64_t bits, bool is_negative) const {
  if (treatment_.form != KeyForm::kInt32) {
    return hash_of_8_bytes(bits, hash_);
  }
  KeyWriter writer;
  append_integer(writer, bits, is_negative, KeyForm::kInt32);
  return hash_bytes(writer.bytes(), hash_);
}

void ObjectHasher::append_part(KeyWriter& writer, PyObject* part) {
  const std::size_t start = writer.begin_part();
  if (PyUnicode_Check(part)) {
    append_text(writer, text_of(part));
  } else if (PyBytes_Check(part)) {
    const KeyForm form = treatment_.form;
    if (form == KeyForm::kHex) {
      check_no_digits(bytes_of(part));
      append_key(writer, bytes_of(part));
    } else if (form == KeyForm::kText || form == KeyForm::kUrl) {
      append_text(writer, bytes_of(part));
    } else {
      refuse_by_rule(treatment_, "bytes");
    }
  } else if (is_integer(part)) {
    check_form_takes_integers();
    append_integer(writer, part, treatment_.form);
  } else {
    refuse_key(part);
  }
  writer.end_part(start);
}

Hash128 ObjectHasher::hash_of_tuple(PyObject* tuple) {
  const auto parts = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
  const std::uint16_t expected = treatment_.parts;
  // Refuses a tuple of one element, for example a row of a database cursor. As a key it would differ from
  // its text, which nobody expects.
  if (parts == 0 || (expected == 1 && (parts == 1 || has_lines_))) {
    throw py::type_error(has_lines_ && expected == 1
                             ? "expected one text, since the filter's keys have one part, found a tuple"
                             : "expected a key, or a tuple of at least two parts, found a tuple of " +
                                   std::to_string(parts) + (parts == 0 ? "" : ": give what is in it"));
  }
  if (expected != 1 && expected != kVariableParts && parts != expected) {
    throw py::value_error("expected a key of " + std::to_string(expected) + " parts, found " +
                          std::to_string(parts));
  }
  KeyWriter writer;
  for (std::size_t i = 0; i < parts; ++i) {
    append_part(writer, PyTuple_GET_ITEM(tuple, static_cast<Py_ssize_t>(i)));
  }
  return hash_bytes(writer.bytes(), hash_);
}

Hash128 ObjectHasher::hash_of(PyObject* key) {
  if (PyLong_CheckExact(key) && takes_8_bytes_) {
    return hash_of_8_bytes(bits_of_int(key), hash_);
  }
  if (PyUnicode_Check(key)) {
    return is_plain_text_ ? hash_bytes(text_of(key), hash_) : hash_of_text(text_of(key));
  }
  if (PyBytes_Check(key)) {
    return is_plain_text_ ? hash_bytes(bytes_of(key), hash_) : hash_of_bytes(bytes_of(key));
  }
  if (PyTuple_Check(key)) {
    return hash_of_tuple(key);
  }
  if (is_integer(key)) {
    check_takes_integers();
    const IntegerBits number = integer_of(key);
    return hash_of_integer(number.bits, number.is_negative);
  }
  if (PyByteArray_Check(key) || PyMemoryView_Check(key)) {
    const auto bytes = py::reinterpret_steal<py::object>(PyBytes_FromObject(key));
    if (!bytes) {
      throw py::error_already_set();
    }
    return hash_of_bytes(bytes_of(bytes.ptr()));
  }
  refuse_key(key);
}

void ObjectHasher::append_items(PyObject* list, Py_ssize_t& next, std::size_t most,
                                std::vector<Hash128>& hashes) {
  std::array<std::string_view, kTexts> texts;
  std::size_t waiting = 0;
  const HashSpec spec = hash_;  // a copy stays in registers
  hashes.reserve(hashes.size() + most);
  const auto hash_waiting = [&] {
    if (waiting == 0) {
      return;
    }
    const std::size_t before = hashes.size();
    hashes.resize(before + waiting);
    hash_batch(std::span(texts).first(waiting), hash_, std::span(hashes).subspan(before));
    waiting = 0;
  };
  // A key's own code may change the list, so its size is read again each time.
  for (const std::size_t end = hashes.size() + most;
       hashes.size() + waiting < end && next < PyList_GET_SIZE(list); ++next) {
    if (next + kAhead < PyList_GET_SIZE(list)) {
      prefetch(PyList_GET_ITEM(list, next + kAhead));
    }
    PyObject* const item = PyList_GET_ITEM(list, next);
    if (takes_8_bytes_ && PyLong_CheckExact(item)) {
      hash_waiting();
      hashes.push_back(hash_of_8_bytes(bits_of_int(item), spec));
      continue;
    }
    if (is_plain_text_ && PyUnicode_Check(item) && PyUnicode_IS_COMPACT_ASCII(item)) {
      texts[waiting++] = ascii_of(item);
    } else if (is_plain_text_ && PyBytes_Check(item)) {
      texts[waiting++] = bytes_of(item);
    } else {  // the code of this key may free the waiting texts
      hash_waiting();
      const auto held = py::reinterpret_borrow<py::object>(item);
      hashes.push_back(hash_of(item));
    }
    if (waiting == kTexts) {
      hash_waiting();
    }
  }
  hash_waiting();
}

}  // namespace bloomery::python
