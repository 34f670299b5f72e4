// The classes NativeGuard and NativeWrite of the module. python/bloomery/_guard.py makes bloomery.Guard of
// them.
//
// The load of a key is a function of Python that each read brings along (guard/read_guard.h).
//
// Threads: a read releases the GIL while it waits, and takes it for its load. A child of fork() has neither
// the guard's threads nor its locks in a known state, so it refuses a guard of its parent, and leaks it.
#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/guard/guard.h"
#include "bloomery/guard/guard_metrics.h"
#include "bloomery/hash/hash_secret.h"
#include "guard/read_guard.h"
#include "python/bytes_or_text.h"
#include "python/file_path.h"
#include "python/filter_options.h"
#include "python/module_parts.h"
#include "python/python_error.h"
#include "python/shared_filter.h"
#include "python/without_gil.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

// Runs the function of a read in its thread, and keeps the exception that it threw.
Result<guard::Loaded> run_load(const py::object& key, const py::object& load, std::exception_ptr& thrown) {
  const py::gil_scoped_acquire gil;
  try {
    const py::object row = load(key);
    if (row.is_none()) {
      return guard::Loaded();
    }
    if (!PyBytes_Check(row.ptr())) {
      throw py::type_error("expected bytes or None from the load of a key, found " +
                           std::string(Py_TYPE(row.ptr())->tp_name));
    }
    return guard::Loaded(bytes_or_text(row));
  } catch (...) {
    thrown = std::current_exception();
    return Error(ErrorCode::kIo, "guard",
                 "expected the row of a key, found that its load raised an exception");
  }
}

guard::GuardMode mode_of(const std::string& name) {
  if (name == "enforce") {
    return guard::GuardMode::kEnforce;
  }
  if (name == "shadow") {
    return guard::GuardMode::kShadow;
  }
  if (name != "off") {
    throw py::value_error("expected a mode enforce, shadow or off, found " + name);
  }
  return guard::GuardMode::kOff;
}

std::chrono::milliseconds milliseconds_of(double seconds) {
  if (!(seconds >= 0 && seconds <= 1e9)) {
    throw py::value_error("expected a time of 0 to 1e9 seconds, found " + std::to_string(seconds));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// A value that a child of fork() can neither use nor destroy.
template <typename Value>
class OfThisProcess {
 public:
  explicit OfThisProcess(std::unique_ptr<Value> value) : value_(std::move(value)), forks_(forks()) {}
  OfThisProcess(const OfThisProcess&) = delete;
  OfThisProcess& operator=(const OfThisProcess&) = delete;
  ~OfThisProcess() {
    if (forks_ == forks_so_far) {
      without_gil([this] { value_.reset(); });
    } else {
      static_cast<void>(value_.release());
    }
  }
  Value& value() {
    if (forks_ != forks_so_far) {
      throw std::runtime_error("expected a guard of this process, found its parent's: make one after fork()");
    }
    return *value_;
  }

 private:
  std::unique_ptr<Value> value_;
  std::uint64_t forks_;
};

using OpenWrite = OfThisProcess<guard::Write>;
using OpenGuard = OfThisProcess<guard::Guard>;

std::unique_ptr<OpenGuard> open_guard(const py::object& place, const py::object& secret_bytes,
                                      const py::dict& given) {
  const std::optional<HashSecret> secret = secret_of(secret_bytes);
  guard::GuardOptions options;
  options.mode = mode_of(py::cast<std::string>(given["mode"]));
  options.bound.time = milliseconds_of(py::cast<double>(given["bound"]));
  const auto keep = milliseconds_of(py::cast<double>(given["keep"]));
  options.negative.bytes = py::cast<std::uint64_t>(given["absent_bytes"]);
  options.negative.keep = milliseconds_of(py::cast<double>(given["keep_absent"]));
  options.load_deadline = milliseconds_of(py::cast<double>(given["load_deadline"]));
  options.loads_at_once = py::cast<std::uint32_t>(given["loads_at_once"]);
  const auto cache_bytes = py::cast<std::uint64_t>(given["cache_bytes"]);
  const std::string path = path_of(place);
  return std::make_unique<OpenGuard>(
      checked(without_gil([&] {
                return guard::make_read_guard(path, secret ? &*secret : nullptr, cache_bytes, keep, options);
              }),
              place));
}

py::object read(OpenGuard& self, const py::object& key, const py::object& load) {
  guard::Guard& guarded = self.value();
  std::exception_ptr thrown;
  const std::string_view text = view_of_text(key);
  const Result<guard::Answer> answer =
      without_gil([&] { return guard::read(guarded, text, [&] { return run_load(key, load, thrown); }); });
  if (thrown) {
    std::rethrow_exception(thrown);
  }
  if (!answer) {
    raise(answer.error());
  }
  return answer->value ? py::object(py::bytes(*answer->value)) : py::object(py::none());
}

std::unique_ptr<OpenWrite> begin_write(OpenGuard& self, const py::object& key, bool is_insert) {
  guard::Guard& guarded = self.value();
  const std::string_view text = view_of_text(key);
  return std::make_unique<OpenWrite>(without_gil(
      [&] { return std::make_unique<guard::Write>(is_insert ? guarded.write(text) : guarded.erase(text)); }));
}

}  // namespace

void add_guard_class(py::module_& module) {
  py::class_<OpenWrite>(module, "NativeWrite").def("end", [](OpenWrite& self) {
    guard::Write& write = self.value();
    check(without_gil([&] { return write.end(); }));
  });
  py::class_<OpenGuard>(module, "NativeGuard")
      .def(py::init(&open_guard))
      .def("read", &read)
      .def("write", &begin_write)
      .def("metrics",
           [](OpenGuard& self, const std::string& labels) {
             return guard::prometheus_text(self.value().metrics(), labels);
           })
      .def("state", [](OpenGuard& self) { return guard::state_name(self.value().state()); })
      .def("set_mode",
           [](OpenGuard& self, const std::string& mode) { self.value().set_mode(mode_of(mode)); });
}

}  // namespace bloomery::python
