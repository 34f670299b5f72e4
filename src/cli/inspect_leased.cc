#include <filesystem>

#include "bloomery/filter/any_filter.h"
#include "cli/inspected_files.h"
#include "cli/secret_file.h"
#include "filter/leased/lease_page.h"

namespace bloomery::cli {

// Reads only the filter's header, because a feeder may be changing its payload.
Result<nlohmann::ordered_json> describe_leased_file(const std::string& path) {
  BLOOMERY_ASSIGN_OR_RETURN(const LeasePage page, LeasePage::open(path));
  const std::uint64_t now = boot_clock_ns();
  const std::uint64_t generation = page.generation();
  const bool holds = generation != 0 && page.vouches_for(generation, now);
  nlohmann::ordered_json object = {{"type", "leased filter"},
                                   {"lease", holds ? "holds" : "over: every answer is maybe"},
                                   {"remaining_ms", holds ? page.remaining_ns(now) / 1'000'000 : 0},
                                   {"bound_ms", page.bound_ns() / 1'000'000},
                                   {"position", page.position()},
                                   {"generation", generation}};
  if (generation == 0) {
    object["filter"] = "none is complete yet";
  } else {
    const std::string filter_path = page.filter_path(generation);
    object["filter"] = filter_path;
    const Result<AnyFilter> filter =
        open_filter(filter_path, key_file_of(path), {.verify = Verify::kHeaderOnly});
    if (filter) {
      object["capacity"] = filter->capacity();
      object["target_fpp"] = filter->target_fpp();
      object["inserted"] = filter->native().inserted();
      object["filter_bytes"] = filter->native().file_bytes();
    } else {
      object["trouble"] = filter.error().to_string();
    }
  }
  const LeaseRecord record = page.read_record();
  object["keys_since_build"] = record.keys;
  object["deletes_since_build"] = record.deletes;
  object["integrity"] = "ok";
  return object;
}

}  // namespace bloomery::cli
