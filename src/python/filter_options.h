// The keyword arguments of Python's calls, as the options of the library. All throw TypeError or ValueError.
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

// Returns the secret that 16 bytes are, or nothing for None.
std::optional<HashSecret> secret_of(const pybind11::object& given);

// Returns the arguments that filters and ribbons share: how a key becomes bytes, and its hash.
FilterOptions options_of(const pybind11::dict& given);

// Returns the plan of a new filter.
FilterPlan plan_of(const pybind11::dict& given);

// Returns the plan of a filter of so many bytes, as Python's arguments for it: "capacity" and "bits_per_key".
pybind11::dict plan_for_bytes_of(const pybind11::dict& given);

// Returns what the argument `replace` of a save means: False, True or "newer".
Replace replace_of(const pybind11::object& given);

// Returns the options for opening a file, or bytes. The secret must outlive them.
OpenOptions open_options(const std::string& access, bool verify, const HashSecret* secret);

}  // namespace bloomery::python
