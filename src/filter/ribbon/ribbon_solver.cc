#include "filter/ribbon/ribbon_solver.h"

#include <array>

#include "base/kernel_choice.h"
#include "filter/ribbon/ribbon_elimination.h"

namespace bloomery {
namespace {

void solve_bands_plainly(std::span<Band* const> bands) {
  solve_by_turns(bands);
}

}  // namespace

constexpr BandSolverKernel kScalarBandSolverKernel = {
    .name = "scalar", .available = [] { return true; }, .solve_bands = solve_bands_plainly};

std::span<const BandSolverKernel> band_solver_kernels() {
  // The fastest kernel comes first. The definition, which runs on every machine, comes last.
  static const std::array<BandSolverKernel, 3> kernels = {kAvx512BandSolverKernel, kBmi2BandSolverKernel,
                                                          kScalarBandSolverKernel};
  return kernels;
}

void solve_bands(std::span<Band* const> bands) {
  static const BandSolverKernel& kernel = chosen_of(band_solver_kernels());
  kernel.solve_bands(bands);
}

}  // namespace bloomery
