#include "python/key_chunks.h"

#include <algorithm>
#include <string>
#include <utility>

#include "python/arrow_interface.h"
#include "python/column_hashes.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

template <typename Struct>
void release_struct(Struct* owned) {
  if (owned->release != nullptr) {
    owned->release(owned);
  }
  delete owned;
}
template <typename Struct>
std::shared_ptr<Struct> owned_struct() {
  return {new Struct{}, release_struct<Struct>};
}

template <typename Struct>
Struct* pointer_in(const py::object& capsule, const char* name) {
  auto* const pointer = static_cast<Struct*>(PyCapsule_GetPointer(capsule.ptr(), name));
  if (pointer == nullptr) {
    throw py::error_already_set();
  }
  return pointer;
}

// Returns the result of a method of Arrow's interface, or a null object if the method cannot export the
// object: a Series of pandas with keys of several types has the method, too.
py::object exported(const py::object& object, const char* method) {
  try {
    return object.attr(method)();
  } catch (py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) {
      throw;
    }
    return {};
  }
}

void check_stream(ArrowArrayStream* stream, int result) {
  if (result == 0) {
    return;
  }
  if (PyErr_Occurred() != nullptr) {
    throw py::error_already_set();
  }
  const char* const why = stream->get_last_error(stream);
  throw py::value_error("expected the chunks of a column, found an error: " +
                        std::string(why == nullptr ? "of the stream" : why));
}

}  // namespace

void check_no_mask(const py::object& object) {
  // If an array is masked, its creator has imported the module.
  const auto module = py::reinterpret_steal<py::object>(PyImport_GetModule(py::str("numpy.ma").ptr()));
  if (!module) {
    PyErr_Clear();
    return;
  }
  if (py::isinstance(object, module.attr("MaskedArray")) &&
      py::cast<bool>(module.attr("is_masked")(object))) {
    throw py::value_error("expected an array without masked values, found some: use compressed()");
  }
}

void KeyChunks::push_back(KeyColumn column) {
  ends_.push_back(size() + column.size());
  columns_.push_back(std::move(column));
}

KeyChunks KeyChunks::of_stream(const py::object& capsule) {
  auto* const stream = pointer_in<ArrowArrayStream>(capsule, "arrow_array_stream");
  const std::shared_ptr<ArrowSchema> schema = owned_struct<ArrowSchema>();
  check_stream(stream, stream->get_schema(stream, schema.get()));
  KeyChunks chunks(KeyColumn::of_arrow(*schema, nullptr, nullptr));
  for (;;) {
    const std::shared_ptr<ArrowArray> array = owned_struct<ArrowArray>();
    check_stream(stream, stream->get_next(stream, array.get()));
    if (array->release == nullptr) {
      return chunks;
    }
    chunks.push_back(KeyColumn::of_arrow(*schema, array.get(), array));
  }
}

std::optional<KeyChunks> KeyChunks::of(const py::object& object) {
  check_no_mask(object);
  const auto single = [](const KeyColumn& column) {
    KeyChunks chunks(column);
    chunks.push_back(column);
    return chunks;
  };
  if (PyObject_CheckBuffer(object.ptr()) != 0) {
    const std::optional<KeyColumn> column = KeyColumn::of_buffer(object);
    return column ? std::optional(single(*column)) : std::nullopt;
  }
  if (py::hasattr(object, "__arrow_c_array__")) {
    if (const py::object pair = exported(object, "__arrow_c_array__")) {
      const py::tuple capsules(pair);
      const auto* const schema = pointer_in<ArrowSchema>(capsules[0], "arrow_schema");
      const auto* const array = pointer_in<ArrowArray>(capsules[1], "arrow_array");
      const std::shared_ptr<void> held(new py::tuple(capsules),
                                       [](void* tuple) { delete static_cast<py::tuple*>(tuple); });
      return single(KeyColumn::of_arrow(*schema, array, held));
    }
  }
  if (py::hasattr(object, "__arrow_c_stream__")) {
    if (const py::object capsule = exported(object, "__arrow_c_stream__")) {
      return of_stream(capsule);
    }
  }
  return std::nullopt;
}

void KeyChunks::hash(std::size_t first, const HashSpec& spec, std::span<Hash128> hashes) const {
  auto number = static_cast<std::size_t>(std::ranges::upper_bound(ends_, first) - ends_.begin());
  while (!hashes.empty()) {
    const KeyColumn& column = columns_[number];
    const std::size_t start = ends_[number] - column.size();
    const std::size_t count = std::min(hashes.size(), ends_[number] - first);
    hash_column(column, first - start, spec, hashes.first(count));
    hashes = hashes.subspan(count);
    first += count;
    ++number;
  }
}

}  // namespace bloomery::python
