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

namespace {

std::variant<RibbonBuilder, FuseBuilder> builder_of(FilterType type, double fpp,
                                                    const StaticBuildOptions& options) {
  if (type == FilterType::kFuse) {
    return checked(FuseBuilder::create(fpp, options));
  }
  return checked(RibbonBuilder::create(fpp, options));
}

}  // namespace

RibbonBuild::RibbonBuild(FilterType type, double fpp, const StaticBuildOptions& options, py::object progress)
    : options_(options), builder_(builder_of(type, fpp, options)), progress_(std::move(progress)) {}

void RibbonBuild::add(const py::object& keys) {
  // A small filter with the same rule computes the hashes.
  FilterPlan plan{.type = FilterType::kBlocked, .capacity = 1, .fpp = 0.5};
  plan.options.hash = options_.filter.hash;
  plan.options.keys = options_.filter.keys;
  SharedFilter hasher(checked(make_filter(plan)));
  hasher.hash_all(keys, [this](std::span<const Hash128> hashes) {
    return std::visit([hashes](auto& builder) { return builder.add(hashes); }, builder_);
  });
}

AnyFilter RibbonBuild::finish() {
  std::optional<Result<AnyFilter>> built;
  {
    const py::gil_scoped_release released;
    std::visit(
        [&](auto& builder) {
          auto filter = builder.finish(tell(), &stop_);
          built.emplace(filter ? Result<AnyFilter>(AnyFilter(std::move(*filter))) : filter.error());
        },
        builder_);
  }
  rethrow();
  return checked(std::move(*built));
}

void RibbonBuild::save(const py::object& place, bool replace) {
  const std::string path = path_of(place);
  std::optional<Result<StaticBuildWritten>> written;
  {
    const py::gil_scoped_release released;
    const SaveTo to{.replace = replace, .cancelled = &stop_};
    std::visit([&](auto& builder) { written.emplace(builder.finish(path, to, tell())); }, builder_);
  }
  rethrow();
  checked(std::move(*written), place);
}

// An exception of the callback stops the build, and is rethrown afterwards.
StaticBuildProgress RibbonBuild::tell() {
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
