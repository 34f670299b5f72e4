// bloomery inspect: what a filter file says of itself, and whether it is true.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "bloomery/filter/bloom_filter.h"
#include "cli/exit_status.h"
#include "cli/numbers.h"
#include "cli/verbs.h"
#include "filter/native_header.h"

namespace bloomery::cli {
namespace {

constexpr const char* kDescription =
    R"(Show what is known of a filter: its plan, its fill, and whether its bytes are whole.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 0.01 --force; bloomery inspect thousand.bloom
  bloomery inspect --json thousand.bloom
  bloomery inspect --verify thousand.bloom && echo whole)";

struct Options {
  std::string file;
  bool json = false;
  bool verify = false;
};

struct Inspected {
  BloomFilter filter;
  std::string integrity;  // ok, dirty, or damaged and why
  bool is_whole;
};

// A file whose header is whole is shown even when its payload is not.
Result<Inspected> open(const std::string& path) {
  Result<BloomFilter> whole = BloomFilter::open(path);
  if (whole) {
    return Inspected{.filter = std::move(*whole), .integrity = "ok", .is_whole = true};
  }
  Result<BloomFilter> doubtful = BloomFilter::open(path, {.verify = Verify::kHeaderOnly});
  if (doubtful) {
    return Inspected{.filter = std::move(*doubtful),
                     .integrity = "damaged: " + whole.error().to_string(),
                     .is_whole = false};
  }
  Result<BloomFilter> dirty = BloomFilter::open(path, {.verify = Verify::kHeaderOnly, .accept_dirty = true});
  if (dirty) {
    return Inspected{.filter = std::move(*dirty),
                     .integrity = "dirty: an add is under way or was interrupted",
                     .is_whole = false};
  }
  return whole.error();
}

nlohmann::ordered_json describe_filter(const Inspected& inspected) {
  const BloomFilter& filter = inspected.filter;
  const auto bits = static_cast<double>(filter.shape().bits);
  const double fill = filter.fill_ratio();
  nlohmann::ordered_json object = {
      {"type", filter_type_name(FilterType::kBloom)},
      {"format_version", kNativeFormatVersion},
      {"hash", hash_name(filter.hash_spec().id)},
      {"seed", filter.hash_spec().seed},
      {"key_form", describe(filter.key_treatment())},
      {"capacity", filter.capacity()},
      {"inserted", filter.inserted()},
      {"target_fpp", filter.target_fpp()},
      {"current_fpp", fpp_at_fill(fill, filter.shape().hash_count)},
      {"fill_ratio", fill},
      {"estimated_count", std::llround(filter.estimated_count())},
      {"bits", filter.shape().bits},
      {"hash_count", filter.shape().hash_count},
      {"bits_per_key", filter.capacity() > 0 ? bits / static_cast<double>(filter.capacity()) : bits},
      {"byte_size", filter.byte_size()},
      {"integrity", inspected.integrity},
  };
  if (!filter.metadata().empty()) {
    object["note"] = filter.metadata();
  }
  return object;
}

Result<int> inspect(const Options& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const Inspected inspected, open(options.file));
  const int status = inspected.is_whole ? kDone : kDamaged;
  const nlohmann::ordered_json object = describe_filter(inspected);
  if (options.json) {
    // Metadata is free bytes: what is not UTF-8 is shown as replacement characters.
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return status;
  }
  if (options.verify) {
    fmt::print("{}: {}\n", options.file, inspected.integrity);
    return status;
  }
  for (const auto& [name, value] : object.items()) {
    fmt::print("{:<16} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  if (inspected.filter.over_capacity()) {
    warn("inspect", "warning: over capacity: it errs more often than it was made to");
  }
  return status;
}

}  // namespace

void add_inspect_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("inspect", kDescription);
  const auto options = std::make_shared<Options>();
  verb->add_option("FILE", options->file, "a filter file")->required();
  verb->add_flag("--json", options->json, "one JSON object");
  verb->add_flag("--verify", options->verify, "print only whether every checksum holds");
  verb->callback([options, &exit_status] {
    const Result<int> status = inspect(*options);
    exit_status = status ? *status : report("inspect", status.error());
  });
}

}  // namespace bloomery::cli
