#include "python/filter_options.h"

#include <algorithm>
#include <chrono>
#include <pybind11/chrono.h>
#include <pybind11/stl.h>

#include "bloomery/filter/plan_for_bytes.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

template <typename T>
const char* kind_of() {
  if constexpr (std::is_same_v<T, bool>) {
    return "a bool";
  } else if constexpr (std::is_integral_v<T>) {
    return "an int";
  } else if constexpr (std::is_same_v<T, std::string>) {
    return "a str";
  } else {
    return "a number";
  }
}

// Converts an argument to a T. Throws TypeError, or ValueError for a number that is out of range.
template <typename T>
T argument(const py::dict& given, const char* name) {
  const py::object value = given[name];
  try {
    return py::cast<T>(value);
  } catch (const py::cast_error&) {
    const std::string found = ", found " + py::cast<std::string>(py::repr(value));
    if (is_integer(value.ptr())) {
      throw py::value_error("expected another value for " + std::string(name) + found);
    }
    throw py::type_error("expected " + std::string(kind_of<T>()) + " for " + name + found);
  }
}

KeyTreatment treatment_of(const py::dict& given) {
  const auto name = argument<std::string>(given, "key_form");
  const auto form = key_form_from_name(name);
  if (!form) {
    throw py::value_error("expected a key_form such as 'text', 'hex' or 'int64', found '" + name + "'");
  }
  const KeyTreatment treatment = {.form = *form,
                                  .trim = argument<bool>(given, "trim"),
                                  .ignore_case = argument<bool>(given, "ignore_case"),
                                  .parts = argument<std::uint16_t>(given, "parts"),
                                  .url = {.sort_query = argument<bool>(given, "sort_query"),
                                          .drop_tracking = argument<bool>(given, "drop_tracking")}};
  if (treatment.parts == 0 || (is_block_list(*form) && treatment.parts != 1)) {
    throw py::value_error("expected at least one part, and one part for block lists");
  }
  return treatment;
}

HashId hash_id_of(const std::string& name) {
  if (name == "mix8-xxh3") {
    return HashId::kMix8Xxh3;
  }
  if (name == "xxh3") {
    return HashId::kXxh3;
  }
  if (name == "ready") {
    return HashId::kReadyDigest;
  }
  throw py::value_error("expected the hash 'mix8-xxh3', 'xxh3' or 'ready', found '" + name + "'");
}

Window window_of(const py::object& length, std::uint32_t generations) {
  try {
    if (is_integer(length.ptr())) {
      return Window::keys(py::cast<std::uint64_t>(length), generations);
    }
    return Window::time(py::cast<std::chrono::microseconds>(length), generations);  // a timedelta
  } catch (const py::cast_error&) {
    throw py::type_error("expected a window that is a number of keys or a timedelta, found " +
                         std::string(Py_TYPE(length.ptr())->tp_name));
  }
}

// Sets the type and the setting for a name.
void set_type(FilterPlan& plan, const std::string& name) {
  if (name == "blocked:dense") {
    plan.options.setting = BlockedSetting::kDense;
  }
  const std::string type = name == "blocked:dense" || name == "blocked:fast" ? "blocked" : name;
  for (std::uint16_t number = 1; number <= static_cast<std::uint16_t>(FilterType::kWindowed); ++number) {
    if (type == filter_type_name(*filter_type_of(number))) {
      plan.type = *filter_type_of(number);
      return;
    }
  }
  throw py::value_error("expected a type such as 'blocked', 'bloom' or 'quotient', found '" + name + "'");
}

}  // namespace

std::optional<HashSecret> secret_of(const py::object& given) {
  if (given.is_none()) {
    return std::nullopt;
  }
  if (!PyBytes_Check(given.ptr())) {
    throw py::type_error("expected a secret of 16 bytes, found " +
                         std::string(Py_TYPE(given.ptr())->tp_name));
  }
  const std::string_view bytes = bytes_of(given.ptr());
  HashSecret secret;
  if (bytes.size() != secret.bytes.size()) {
    throw py::value_error("expected a secret of 16 bytes, found " + std::to_string(bytes.size()));
  }
  std::copy(bytes.begin(), bytes.end(), secret.bytes.begin());
  return secret;
}

FilterOptions options_of(const py::dict& given) {
  FilterOptions options;
  options.keys = treatment_of(given);
  options.hash.id = hash_id_of(argument<std::string>(given, "hash"));
  options.hash.seed = argument<std::uint64_t>(given, "seed");
  if (const auto secret = secret_of(given["secret"])) {
    options.hash = keyed_hash(*secret);
  }
  return options;
}

FilterPlan plan_of(const py::dict& given) {
  FilterPlan plan;
  plan.options = options_of(given);
  set_type(plan, argument<std::string>(given, "type"));
  plan.capacity = argument<std::uint64_t>(given, "capacity");
  plan.exact_below = argument<std::uint64_t>(given, "exact_below");
  plan.options.growth_doublings = argument<std::uint32_t>(given, "growth_doublings");
  plan.fpp = argument<std::optional<double>>(given, "fpp");
  plan.bits_per_key = argument<std::optional<double>>(given, "bits_per_key");
  if (!given["window"].is_none()) {
    plan.options.window = window_of(given["window"], argument<std::uint32_t>(given, "generations"));
  }
  return given["bytes"].is_none() ? plan
                                  : checked(plan_for_bytes(plan, argument<std::uint64_t>(given, "bytes")));
}

py::dict plan_for_bytes_of(const py::dict& given) {
  const FilterPlan plan = plan_of(given);
  py::dict planned;
  planned["capacity"] = plan.capacity;
  planned["bits_per_key"] = plan.bits_per_key;
  return planned;
}

Replace replace_of(const py::object& given) {
  if (PyBool_Check(given.ptr())) {
    return given.ptr() == Py_True ? Replace::kUnlessChanged : Replace::kNo;
  }
  if (PyUnicode_Check(given.ptr()) && text_of(given.ptr()) == "newer") {
    return Replace::kAlways;
  }
  const std::string message =
      "expected replace=False, True or \"newer\", found " + py::cast<std::string>(py::repr(given));
  if (PyUnicode_Check(given.ptr())) {
    throw py::value_error(message);
  }
  throw py::type_error(message);
}

OpenOptions open_options(const std::string& access, bool verify, const HashSecret* secret) {
  OpenOptions options;
  options.recorded_keys = RecordedKeys::kKnown;  // a str is converted to a key by the filter's rule
  if (access != "map" && access != "copy") {
    throw py::value_error("expected the access 'map', 'copy' or 'update', found '" + access + "'");
  }
  options.access = access == "map" ? Access::kMap : Access::kCopy;
  options.verify = verify ? Verify::kChecksums : Verify::kHeaderOnly;
  options.secret = secret;
  return options;
}

}  // namespace bloomery::python
