#include "python/object_hasher.h"

#include <array>
#include <span>
#include <string>

#include "python/column_hashes.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// The texts of a list that are hashed together, and how many items ahead an object is fetched into the cache.
constexpr std::size_t kTexts = 64;
constexpr Py_ssize_t kAhead = 16;

// Fetches the two cache lines that have the header of a str and its first bytes.
void prefetch(PyObject* object) {
  const auto* at = reinterpret_cast<const char*>(object);
  __builtin_prefetch(at);
  __builtin_prefetch(at + 64);
}

}  // namespace

void ObjectHasher::check_takes_integers() const {
  const KeyForm form = treatment_.form;
  if (treatment_.parts != 1 ||
      (form != KeyForm::kText && form != KeyForm::kInt32 && form != KeyForm::kInt64)) {
    throw py::type_error("expected keys as the filter's rule makes them (" + describe(treatment_) +
                         "), found an int");
  }
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
    if (!formed_) {
      formed_.emplace(treatment_);
    }
    check(formed_->append(writer, text_of(part)));
  } else if (PyBytes_Check(part)) {
    append_key(writer, bytes_of(part));
  } else if (is_integer(part)) {
    append_integer(writer, part, treatment_.form);
  } else {
    refuse_key(part);
  }
  writer.end_part(start);
}

Hash128 ObjectHasher::hash_of_tuple(PyObject* tuple) {
  const auto parts = static_cast<std::size_t>(PyTuple_GET_SIZE(tuple));
  const std::uint16_t expected = treatment_.parts;
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
  if (PyUnicode_Check(key)) {
    return hash_of_text(text_of(key));
  }
  if (PyBytes_Check(key)) {
    return hash_bytes(bytes_of(key), hash_);
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
    return hash_bytes(bytes_of(bytes.ptr()), hash_);
  }
  refuse_key(key);
}

void ObjectHasher::append_items(PyObject* list, Py_ssize_t& next, std::size_t most,
                                std::vector<Hash128>& hashes) {
  std::array<std::string_view, kTexts> texts;
  std::size_t waiting = 0;
  const auto hash_waiting = [&] {
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
    if (PyUnicode_Check(item) && is_plain_text_ && PyUnicode_IS_COMPACT_ASCII(item)) {
      texts[waiting++] = ascii_of(item);
    } else if (PyBytes_Check(item)) {
      texts[waiting++] = bytes_of(item);
    } else {  // the code of this key may free the texts that wait
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
