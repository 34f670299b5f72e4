#include "bloomery/filter/ribbon_exceptions.h"

#include <array>
#include <string>
#include <utility>

#include "filter/ribbon/ribbon_kernel.h"

namespace bloomery {
namespace {

template <typename Use>
Status for_each_column_piece(std::span<const Hash128> hashes, Use use) {
  // The column gets hashes converted by column_hash(), in batches that stay in the first-level cache.
  std::array<Hash128, 512> turned{};
  for (std::size_t first = 0; first < hashes.size(); first += turned.size()) {
    const auto piece = hashes.subspan(first, std::min(turned.size(), hashes.size() - first));
    std::ranges::transform(piece, turned.begin(), column_hash);
    BLOOMERY_RETURN_IF_ERROR(use(std::span<const Hash128>(turned).first(piece.size())));
  }
  return {};
}

}  // namespace

Result<double> exception_ribbon_fpp(double fpp) {
  if (!(fpp < 0.5)) {
    return Error::invalid_argument("fpp",
                                   "expected less than 0.5 with exceptions, found " + std::to_string(fpp));
  }
  return 2 * fpp;
}

Result<RibbonExceptionBuilder> RibbonExceptionBuilder::create(std::uint64_t members, std::uint64_t candidates,
                                                              const RibbonBuildOptions& options) {
  if (options.filter.hash.id == HashId::kReadyDigest) {
    return Error::invalid_argument("exceptions", "expected keys hashed to 128 bits, found ready digests");
  }
  RibbonBuildOptions column = options;
  column.capacity = std::max<std::uint64_t>(members + candidates, 1);
  column.part = 1;
  column.parts = 1;
  column.metadata.clear();
  column.rejecting = true;
  BLOOMERY_ASSIGN_OR_RETURN(RibbonBuilder builder, RibbonBuilder::create(0.5, column));
  return RibbonExceptionBuilder(std::move(builder));
}

Status RibbonExceptionBuilder::add(std::span<const Hash128> members) {
  return for_each_column_piece(members, [this](auto piece) { return builder_.add(piece); });
}

Status RibbonExceptionBuilder::finish(RibbonFilter& filter, std::span<const Hash128> exceptions,
                                      const RibbonBuilder::Progress& progress,
                                      const std::atomic<bool>* cancelled) {
  BLOOMERY_RETURN_IF_ERROR(
      for_each_column_piece(exceptions, [this](auto piece) { return builder_.reject(piece); }));
  BLOOMERY_ASSIGN_OR_RETURN(RibbonFilter column, builder_.finish(progress, cancelled));
  BLOOMERY_RETURN_IF_ERROR(filter.set_exception_column(std::move(column), builder_.rejected_keys()));
  // The few exceptions that the column could not reject go to the exception table.
  std::vector<Hash128> left;
  append_matching(filter, exceptions, left);
  return filter.add_as_exceptions(left);
}

Result<RibbonFilter> build_from_hashes_with_exceptions(std::span<const Hash128> members,
                                                       std::span<const Hash128> exceptions, double fpp,
                                                       const FilterOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const double ribbon_fpp, exception_ribbon_fpp(fpp));
  BLOOMERY_ASSIGN_OR_RETURN(RibbonFilter filter,
                            RibbonFilter::build_from_hashes(members, ribbon_fpp, options));
  std::vector<Hash128> matching;
  append_matching(filter, exceptions, matching);
  ExceptionCandidates candidates(std::move(matching));
  candidates.meet(members);
  if (const std::size_t both = candidates.conflicts().size(); both != 0) {
    return Error::invalid_argument("exceptions",
                                   "expected no member, found " + std::to_string(both) + " that are in both");
  }
  const std::vector<Hash128> left = candidates.exceptions();
  RibbonBuildOptions build_options;
  build_options.filter = options;
  build_options.memory_bytes = kUnlimitedMemory;
  BLOOMERY_ASSIGN_OR_RETURN(RibbonExceptionBuilder column,
                            RibbonExceptionBuilder::create(filter.inserted(), left.size(), build_options));
  BLOOMERY_RETURN_IF_ERROR(column.add(members));
  BLOOMERY_RETURN_IF_ERROR(column.finish(filter, left));
  return filter;
}

}  // namespace bloomery
