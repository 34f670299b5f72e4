// A ribbon or a fuse filter that is built from the keys of an iterable, with a Python callback for the
// progress.
#pragma once

#include <atomic>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>
#include <variant>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/fuse_builder.h"
#include "bloomery/filter/ribbon_builder.h"

namespace bloomery::python {

// Calls: add (finish | save).
class RibbonBuild {
 public:
  RibbonBuild(FilterType type, double fpp, const StaticBuildOptions& options, pybind11::object progress);

  void add(const pybind11::object& keys);
  AnyFilter finish();
  void save(const pybind11::object& place, bool replace);

 private:
  StaticBuildProgress tell();
  // Rethrows the exception of the callback.
  void rethrow();

  StaticBuildOptions options_;
  std::variant<RibbonBuilder, FuseBuilder> builder_;
  pybind11::object progress_;
  std::optional<pybind11::error_already_set> thrown_;
  std::atomic<bool> stop_ = false;
};

}  // namespace bloomery::python
