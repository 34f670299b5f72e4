#include "python/ribbon_build.h"

#include <span>
#include <utility>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/filter_plan.h"
#include "python/file_path.h"
#include "python/python_error.h"
#include "python/shared_filter.h"

namespace py = pybind11;

namespace bloomery::python {

RibbonBuild::RibbonBuild(double fpp, const RibbonBuildOptions& options, py::object progress)
    : options_(options),
      builder_(checked(RibbonBuilder::create(fpp, options))),
      progress_(std::move(progress)) {}

void RibbonBuild::add(const py::object& keys) {
  // A small filter with the same rule computes the hashes.
  FilterPlan plan{.type = FilterType::kBlocked, .capacity = 1, .fpp = 0.5};
  plan.options.hash = options_.filter.hash;
  plan.options.keys = options_.filter.keys;
  SharedFilter hasher(checked(make_filter(plan)));
  hasher.hash_all(keys, [this](std::span<const Hash128> hashes) { return builder_.add(hashes); });
}

RibbonFilter RibbonBuild::finish() {
  std::optional<Result<RibbonFilter>> built;
  {
    const py::gil_scoped_release released;
    built.emplace(builder_.finish(tell(), &stop_));
  }
  rethrow();
  return checked(std::move(*built));
}

void RibbonBuild::save(const py::object& place, bool replace) {
  const std::string path = path_of(place);
  std::optional<Result<RibbonBuilder::Written>> written;
  {
    const py::gil_scoped_release released;
    written.emplace(builder_.finish(path, {.replace = replace, .cancelled = &stop_}, tell()));
  }
  rethrow();
  checked(std::move(*written), place);
}

// An exception of the callback stops the build, and is rethrown afterwards.
RibbonBuilder::Progress RibbonBuild::tell() {
  return [this](std::uint32_t done, std::uint32_t total) {
    const py::gil_scoped_acquire acquired;
    if (thrown_ || (progress_.is_none() && PyErr_CheckSignals() == 0)) {
      return;
    }
    try {
      if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
      }
      progress_(done, total);
    } catch (py::error_already_set& error) {
      thrown_.emplace(error);
      stop_ = true;
    }
  };
}

void RibbonBuild::rethrow() {
  if (thrown_) {
    throw py::error_already_set(*thrown_);
  }
}

}  // namespace bloomery::python
