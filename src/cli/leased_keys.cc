#include "cli/leased_keys.h"

#include <optional>
#include <utility>

#include <fmt/core.h>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/exit_status.h"
#include "cli/hashed_keys.h"
#include "cli/secret_file.h"
#include "filter/leased/lease_page.h"

namespace bloomery::cli {
namespace {

class LeasedKeys final : public HashedKeys<LeasedFilter> {
 public:
  using HashedKeys::HashedKeys;

  double current_fpp(const BatchKeys&) const override {
    return filter().state().holds ? filter().current_fpp() : 1;
  }
  bool is_static() const override { return false; }
  std::optional<double> target_fpp() const override { return filter().target_fpp(); }
  std::optional<std::uint64_t> capacity() const override { return filter().capacity(); }
  // The filter checks its file itself, and answers maybe if that fails.
  Status file_status() const override { return {}; }
};

// Opens the current filter to check its key treatment against the options. Returns nothing if there is no
// filter or it cannot be opened: then every key is answered maybe.
Result<std::optional<AnyFilter>> filter_of_today(const std::string& name, const KeyOptions& keys) {
  BLOOMERY_ASSIGN_OR_RETURN(const LeasePage page, LeasePage::open(name));
  if (page.generation() == 0) {
    return std::optional<AnyFilter>();
  }
  const std::string secret = keys.key_file().empty() ? key_file_of(name) : keys.key_file();
  Result<AnyFilter> filter =
      open_filter(page.filter_path(page.generation()), secret, {.verify = Verify::kHeaderOnly});
  if (filter) {
    const Status agrees = keys.check_agrees_with(filter->native());
    return agrees ? Result<std::optional<AnyFilter>>(std::move(*filter)) : agrees.error().in_file(name);
  }
  const bool is_argument = filter.error().code() == ErrorCode::kInvalidArgument;
  return is_argument ? Result<std::optional<AnyFilter>>(filter.error()) : std::optional<AnyFilter>();
}

}  // namespace

Result<std::unique_ptr<KeyFilter>> open_leased_keys(std::string_view verb, const std::string& name,
                                                    const KeyOptions& keys, BatchKeys& batch) {
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<AnyFilter> today, filter_of_today(name, keys));
  const HashSpec hash = today ? today->hash_spec() : HashSpec();
  BLOOMERY_ASSIGN_OR_RETURN(
      LeasedFilter filter,
      LeasedFilter::open(name, {.recorded_keys = RecordedKeys::kKnown,
                                .secret = hash.id == HashId::kSipHash ? &hash.secret : nullptr}));
  const LeaseState state = filter.state();
  if (!state.holds) {
    warn(verb,
         fmt::format("warning: {}: {}, so every line may be in", name,
                     state.generation == 0 ? "its first filter is not complete yet"
                                           : "its lease is over: its feeder is away, behind or in doubt"));
  }
  std::unique_ptr<KeyFilter> opened = std::make_unique<LeasedKeys>(std::move(filter), batch);
  return opened;
}

}  // namespace bloomery::cli
