// A ribbon that is built from the keys of an iterable, with a Python callback for the progress.
#pragma once

#include <atomic>
#include <optional>
#include <pybind11/pybind11.h>
#include <string>

#include "bloomery/filter/ribbon_builder.h"

namespace bloomery::python {

// Calls: add (finish | save).
class RibbonBuild {
 public:
  RibbonBuild(double fpp, const RibbonBuildOptions& options, pybind11::object progress);

  void add(const pybind11::object& keys);
  RibbonFilter finish();
  void save(const pybind11::object& place, bool replace);

 private:
  RibbonBuilder::Progress tell();
  // Rethrows the exception of the callback.
  void rethrow();

  RibbonBuildOptions options_;
  RibbonBuilder builder_;
  pybind11::object progress_;
  std::optional<pybind11::error_already_set> thrown_;
  std::atomic<bool> stop_ = false;
};

}  // namespace bloomery::python
