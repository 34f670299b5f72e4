// Converts the keyword arguments of Python's calls to options of the library. All functions throw TypeError
// or ValueError.
#pragma once

#include <optional>
#include <pybind11/pybind11.h>
#include <string>

#include "bloomery/filter/filter_options.h"
#include "bloomery/filter/filter_plan.h"
#include "bloomery/filter/native_filter.h"
#include "bloomery/hash/hash_secret.h"
#include "python/shared_filter.h"

namespace bloomery::python {

// Returns the secret in 16 bytes, or nothing for None.
std::optional<HashSecret> secret_of(const pybind11::object& given);

// Returns the arguments that filters and ribbons share: the conversion of keys to bytes, and their hash.
FilterOptions options_of(const pybind11::dict& given);

// Returns the plan of a new filter.
FilterPlan plan_of(const pybind11::dict& given);

// Returns the plan of a filter with a given size in bytes, as Python's arguments for it: "capacity" and
// "bits_per_key".
pybind11::dict plan_for_bytes_of(const pybind11::dict& given);

// Converts the argument `replace` of a save: False, True or "newer".
Replace replace_of(const pybind11::object& given);

// Returns the options to open a file, or bytes. The secret must outlive them.
OpenOptions open_options(const std::string& access, bool verify, const HashSecret* secret);

}  // namespace bloomery::python
