#include "cli/table/write_place.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace bloomery::cli {
void StorePlace::add_to(CLI::App& verb) {
  verb.add_option("ROOT", root_, "the root directory, which `bloomery table create` made")->required();
  memory_.add_to(verb);
}

Result<StoreOptions> StorePlace::options() const {
  StoreOptions options{.compacts = false};
  BLOOMERY_ASSIGN_OR_RETURN(options.memory, memory_.parse());
  return options;
}

Result<Store> open_or_create(const std::string& root, const StoreOptions& options) {
  auto opened = Store::open(root, options);
  const bool is_none = !opened && opened.error().code() == ErrorCode::kInvalidArgument;
  return is_none ? Store::create(root, options) : std::move(opened);
}

Status use_and_close(Store& store, const std::function<Status(Store&)>& work) {
  const Status worked = work(store);
  const Status closed = store.close();
  return worked ? closed : worked;
}

Status StorePlace::use(const StoreOptions& options, const std::function<Status(Store&)>& work) const {
  BLOOMERY_ASSIGN_OR_RETURN(Store store, Store::open(root_, options));
  return use_and_close(store, work);
}

void WritePlace::add_to(CLI::App& verb) {
  store_.add_to(verb);
  verb.add_option("TABLE", table_, "[NAMESPACE:]NAME, a table of it")->required();
  verb.add_option("--durability", durability_,
                  "what is true when it ends: on the disk (FSYNC_WAL), with the kernel (SYNC_WAL), within a "
                  "second (ASYNC_WAL), or in files (SKIP_WAL); else what the table's DURABILITY says")
      ->transform(CLI::IsMember(std::vector<std::string>(kDurabilityNames.begin(), kDurabilityNames.end()),
                                CLI::ignore_case))
      ->capture_default_str();
}

Status WritePlace::write(bool is_flushed, const Work& work) const {
  const auto name = std::ranges::find(kDurabilityNames, durability_);
  const bloomery::WriteOptions options{.durability =
                                           static_cast<Durability>(name - kDurabilityNames.begin())};
  BLOOMERY_ASSIGN_OR_RETURN(StoreOptions store, store_.options());
  store.compacts = is_flushed;
  store.flushes_at_close = is_flushed;
  return store_.use(store, [&](Store& opened) -> Status {
    BLOOMERY_ASSIGN_OR_RETURN(StoreTable table, opened.table(table_));
    return work(table, options);
  });
}

}  // namespace bloomery::cli
