// bloomery inspect: shows the facts that a filter file records, and verifies its checksums.
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/byte_text.h"
#include "base/file.h"
#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/block_list.h"
#include "bloomery/filter/leased_filter.h"
#include "cli/dialect_choice.h"
#include "cli/exit_status.h"
#include "cli/inspected_files.h"
#include "cli/numbers.h"
#include "cli/question_fpp.h"
#include "cli/verbs.h"
#include "filter/native/native_header.h"
#include "hfile/recognition.h"
#include "verify/proof_record.h"

namespace bloomery::cli {
namespace {

constexpr const char* kInspectDescription =
    R"(Show what is known of a filter: its plan, its fill, and whether its bytes are whole.

  seq 1000 | bloomery build -o thousand.bloom -n 1000 -p 0.01 --force; bloomery inspect thousand.bloom
  bloomery inspect --json thousand.bloom
  bloomery inspect --verify thousand.bloom && echo whole
  bloomery inspect --dialect guava users.bf      # a filter of another system; many are recognised without
  bloomery inspect /var/lib/app/db               # a LevelDB or RocksDB database: levels, files, ranges, filters, logs
  bloomery inspect users.leased                  # what a feeder keeps current: its lease, its filter
  bloomery inspect sales.parquet                 # its columns: types, row groups, filters)";

struct InspectOptions {
  std::string file;
  bool json = false;
  bool verify = false;
  DialectChoice dialect;
};

struct Inspected {
  AnyFilter filter;
  std::string integrity;  // "ok", "in use: ...", "dirty: ..." or "damaged: ..."
  int status;
};

std::string damage(const Error& error) {
  return ("damaged: " + error.to_string()).append(remedy_for(error));
}

// Opens a file for display. A file with an intact header is shown even if its payload is damaged.
Result<Inspected> open(const InspectOptions& options) {
  const std::string& path = options.file;
  Result<AnyFilter> whole =
      AnyFilter::open(path, {.recorded_keys = RecordedKeys::kKnown, .without_secret = true});
  if (whole && whole->native().opened_during_update()) {
    return Inspected{.filter = std::move(*whole),
                     .integrity = "in use: another process updates it, so its checksum proves nothing now",
                     .status = options.verify ? kTrouble : kDone};
  }
  if (whole) {
    const Status verified = whole->verify();
    return Inspected{.filter = std::move(*whole),
                     .integrity = verified ? "ok" : damage(verified.error()),
                     .status = verified ? kDone : kDamaged};
  }
  Result<AnyFilter> doubtful = AnyFilter::open(
      path, {.verify = Verify::kHeaderOnly, .recorded_keys = RecordedKeys::kKnown, .without_secret = true});
  if (doubtful) {
    return Inspected{.filter = std::move(*doubtful), .integrity = damage(whole.error()), .status = kDamaged};
  }
  Result<AnyFilter> dirty = AnyFilter::open(path, {.verify = Verify::kHeaderOnly,
                                                   .recorded_keys = RecordedKeys::kKnown,
                                                   .accept_dirty = true,
                                                   .without_secret = true});
  if (dirty) {
    return Inspected{.filter = std::move(*dirty),
                     .integrity =
                         "dirty: an update in place was interrupted; add --after-crash with the same "
                         "input mends it",
                     .status = kDamaged};
  }
  return whole.error();
}

nlohmann::ordered_json describe_plan(const AnyFilter& filter) {
  const NativeFilter& native = filter.native();
  nlohmann::ordered_json object = {
      {"type", filter.type_name()},
      {"format_version", kNativeFormatVersion},
      {"hash", hash_name(native.hash_spec().id)},
  };
  if (native.hash_key_id() != 0) {
    object["key_id"] = show_key_id(native.hash_key_id());
  } else {
    object["seed"] = native.hash_spec().seed;
  }
  object["key_form"] = describe(native.key_treatment());
  object["capacity"] = native.capacity();
  object["inserted"] = native.inserted();
  object["target_fpp"] = native.target_fpp();
  return object;
}

nlohmann::ordered_json describe_ribbon(const RibbonFilter& ribbon) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(ribbon.inserted(), 1));
  return {
      {"current_fpp", ribbon.current_fpp()},
      {"columns", ribbon.columns()},
      {"shards", ribbon.shard_count()},
      {"first_shard", ribbon.first_shard()},
      {"held_shards", ribbon.held_shards()},
      {"bits_per_key", static_cast<double>(ribbon.byte_size() + ribbon.column_bytes()) * 8 / keys},
      {"byte_size", ribbon.byte_size()},
  };
}

nlohmann::ordered_json describe_quotient(const QuotientFilter& quotient) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(quotient.inserted(), 1));
  return {
      {"current_fpp", quotient.current_fpp()},
      {"load", quotient.fill_ratio()},
      {"segments", quotient.segment_count()},
      {"remainder_bits", quotient.shape().remainder_bits},
      {"estimated_count", std::llround(quotient.estimated_count())},
      {"bits_per_key", static_cast<double>(quotient.byte_size()) * 8 / keys},
      {"byte_size", quotient.byte_size()},
  };
}

nlohmann::ordered_json describe_bits(const AnyFilter& filter) {
  const NativeFilter& native = filter.native();
  const auto bits = static_cast<double>(filter.bits());
  nlohmann::ordered_json object = {
      {"current_fpp", filter.current_fpp()},
      {"fill_ratio", filter.fill_ratio()},
      {"estimated_count", std::llround(filter.estimated_count())},
      {"bits", filter.bits()},
      {"hash_count", filter.hash_count()},
      {"bits_per_key", native.capacity() > 0 ? bits / static_cast<double>(native.capacity()) : bits},
      {"byte_size", native.byte_size()},
  };
  if (const auto* const counting = std::get_if<CountingBloomFilter>(&filter.variant())) {
    object["saturated_counters"] = counting->saturated_count();
  }
  return object;
}

nlohmann::ordered_json describe_exact(const ExactSet& set) {
  return {
      {"current_fpp", 0},
      {"keys", set.size()},
      {"exact_below", set.plan().exact_below},
      {"becomes", set.plan().type_name()},
      {"byte_size", set.byte_size()},
  };
}

nlohmann::ordered_json describe_layers(const ScalableFilter& scalable) {
  nlohmann::ordered_json layers = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < scalable.layer_count(); ++i) {
    const LayerFacts layer = scalable.layer(i);
    layers.push_back(
        {{"keys", layer.keys}, {"bits", layer.shape.bits()}, {"hash_count", layer.shape.hash_count}});
  }
  const double keys = std::max(scalable.estimated_count(), 1.0);
  return {{"bits_per_key", static_cast<double>(scalable.byte_size()) * 8 / keys}, {"layers", layers}};
}

nlohmann::ordered_json describe_window(const WindowedFilter& windowed) {
  const Window& window = windowed.window();
  const bool by_age = window.kind == WindowKind::kAge;
  const auto shown = [by_age](std::uint64_t length) -> nlohmann::ordered_json {
    return by_age ? nlohmann::ordered_json(show_seconds(length)) : nlohmann::ordered_json(length);
  };
  nlohmann::ordered_json generations = nlohmann::ordered_json::array();
  for (const WindowGeneration& generation : windowed.generations()) {
    generations.push_back({{"keys", generation.keys},
                           {"newest_age", shown(generation.newest_age)},
                           {"oldest_age", shown(generation.oldest_age)}});
  }
  return {{"window", shown(window.length)},
          {"window_kind", by_age ? "age" : "keys"},
          {"forgotten_after", shown(window.remembered_at_most())},
          {"generations", generations}};
}

nlohmann::ordered_json describe_fuse(const FuseFilter& fuse) {
  const auto keys = static_cast<double>(std::max<std::uint64_t>(fuse.inserted(), 1));
  return {
      {"current_fpp", fuse.current_fpp()},
      {"fingerprint_bits", fuse.shape().bits},
      {"cells_of_a_key", fuse.shape().arity()},
      {"keys_set_aside", fuse.keys_set_aside()},
      {"shards", fuse.shard_count()},
      {"first_shard", fuse.first_shard()},
      {"held_shards", fuse.held_shards()},
      {"bits_per_key", static_cast<double>(fuse.byte_size()) * 8 / keys},
      {"byte_size", fuse.byte_size()},
  };
}

nlohmann::ordered_json describe_shape(const AnyFilter& filter) {
  if (const auto* const fuse = std::get_if<FuseFilter>(&filter.variant())) {
    return describe_fuse(*fuse);
  }
  if (const auto* const ribbon = std::get_if<RibbonFilter>(&filter.variant())) {
    return describe_ribbon(*ribbon);
  }
  if (const auto* const quotient = std::get_if<QuotientFilter>(&filter.variant())) {
    return describe_quotient(*quotient);
  }
  if (const auto* const exact = std::get_if<ExactSet>(&filter.variant())) {
    return describe_exact(*exact);
  }
  nlohmann::ordered_json object = describe_bits(filter);
  if (const auto* const scalable = std::get_if<ScalableFilter>(&filter.variant())) {
    object.update(describe_layers(*scalable));
  } else if (const auto* const windowed = std::get_if<WindowedFilter>(&filter.variant())) {
    object.update(describe_window(*windowed));
  }
  return object;
}

// Describes the questions of a block list. Without the secret its levels are unknown, so the number is null.
nlohmann::ordered_json describe_questions(const AnyFilter& filter) {
  nlohmann::ordered_json object;
  const KeyForm form = filter.key_treatment().form;
  const std::optional<std::size_t> questions = questions_of(filter);
  if (!questions) {
    return {{"questions", nullptr}};
  }
  if (form != KeyForm::kUrlPrefix) {
    object["levels"] = describe(form, levels_of(filter));
  }
  object["questions"] = *questions;
  object["joint_fpp"] = joint_fpp(filter.current_fpp(), static_cast<double>(*questions));
  object["joint_target"] = joint_fpp(filter.target_fpp(), static_cast<double>(*questions));
  return object;
}

nlohmann::ordered_json describe_filter(const Inspected& inspected) {
  const NativeFilter& native = inspected.filter.native();
  const auto* const ribbon = std::get_if<RibbonFilter>(&inspected.filter.variant());
  nlohmann::ordered_json object = describe_plan(inspected.filter);
  object.update(describe_shape(inspected.filter));
  if (ribbon != nullptr && ribbon->column_bytes() != 0) {
    object["rejected_keys"] = ribbon->rejected_keys();
    object["exception_column_bytes"] = ribbon->column_bytes();
  }
  if (native.exception_count() != 0) {
    object["exceptions"] = native.exception_count();
  }
  if (is_block_list(native.key_treatment().form) &&
      inspected.status != kDamaged) {  // the filter is queried for its levels, which damage would falsify
    object.update(describe_questions(inspected.filter));
  }
  object["file_bytes"] = native.file_bytes();
  object["integrity"] = inspected.integrity;
  if (!native.metadata().empty()) {
    object["note"] = native.metadata();
  }
  return object;
}

void print_object(const InspectOptions& options, const nlohmann::ordered_json& object) {
  if (options.json) {
    // Bytes of the note that are not UTF-8 are shown as replacement characters.
    fmt::print("{}\n", object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
    return;
  }
  if (options.verify) {
    fmt::print("{}: {}\n", printable_text(options.file),
               printable_text(object["integrity"].get<std::string>()));
    return;
  }
  for (const auto& [name, value] : object.items()) {
    if (name == "families") {
      continue;  // the files are printed later, one per line
    }
    fmt::print("{:<16} {}\n", name,
               printable_text(value.is_string() ? value.get<std::string>() : value.dump()));
  }
}

Result<int> inspect_dialect(const InspectOptions& options, const std::string& dialect) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.dialect.memory());
  BLOOMERY_ASSIGN_OR_RETURN(const std::unique_ptr<DialectFilter> filter,
                            open_dialect(options.file, dialect, memory, MissingFilters::kAnyKey));
  BLOOMERY_ASSIGN_OR_RETURN(const FileFacts file, FileSystem::real().facts(options.file));
  nlohmann::ordered_json object = describe_dialect_filter(*filter, file.size_bytes);
  const KeptProof proof = kept_proof(options.file);
  object["proven"] = proof.valid ? proof.valid->to_string() : "no: " + proof.reason;
  if (const Status whole = filter->file_status(); !whole) {
    return whole.error().in_file(options.file);
  }
  print_object(options, object);
  if (!options.json && !options.verify) {
    warn_over_capacity("inspect", filter->facts());
  }
  return static_cast<int>(kDone);
}

Result<int> inspect_hfile(const InspectOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.dialect.memory());
  BLOOMERY_ASSIGN_OR_RETURN(const nlohmann::ordered_json object, summarize_hfile(options.file, memory));
  print_object(options, object);
  return static_cast<int>(object["integrity"] == "ok" ? kDone : kDamaged);
}

Result<int> inspect_leased(const InspectOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const nlohmann::ordered_json object, describe_leased_file(options.file));
  print_object(options, object);
  return static_cast<int>(kDone);
}

Result<int> inspect_cassandra(const InspectOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const CassandraDirectory directory, options.dialect.open_sstables(options.file));
  BLOOMERY_ASSIGN_OR_RETURN(nlohmann::ordered_json object, describe_cassandra(directory));
  if (options.json || options.verify) {
    print_object(options, object);
    return static_cast<int>(kDone);
  }
  const nlohmann::ordered_json sstables = object["sstables"];
  object.erase("sstables");
  print_object(options, object);
  print_sstables(sstables);
  return static_cast<int>(kDone);
}

Result<int> inspect_database(const InspectOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const DatabaseOptions how, options.dialect.for_database(options.file));
  BLOOMERY_ASSIGN_OR_RETURN(const Database database, Database::open(options.file, how));
  const nlohmann::ordered_json object = describe_database(database);
  if (const Status whole = database.file_status(); !whole) {
    return whole.error().in_file(options.file);
  }
  print_object(options, object);
  if (!options.json && !options.verify) {
    print_database_files(database);
  }
  return static_cast<int>(object["integrity"] == "ok" ? kDone : kDamaged);
}

// Prints the columns of a .parquet file, if --dialect names none. Returns nothing for other files.
Result<std::optional<int>> inspect_parquet(const InspectOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(const FileMemory memory, options.dialect.memory());
  BLOOMERY_ASSIGN_OR_RETURN(std::optional<nlohmann::ordered_json> object,
                            describe_parquet_file(options.file, memory));
  if (!object) {
    return std::optional<int>();
  }
  const nlohmann::ordered_json columns = (*object)["columns"];
  if (!options.json) {
    (*object)["columns"] = columns.size();
  }
  print_object(options, *object);
  if (!options.json && !options.verify) {
    fmt::print("\n{}", show_parquet_columns(columns, (*object)["row_groups"].get<std::uint64_t>()));
  }
  return std::optional(static_cast<int>(kDone));
}

Result<int> inspect(const InspectOptions& options) {
  std::error_code unknown;
  if (std::filesystem::is_directory(options.file, unknown)) {
    return options.dialect.names_sstables(options.file) ? inspect_cassandra(options)
                                                        : inspect_database(options);
  }
  if (LeasedFilter::is_one(options.file)) {
    return inspect_leased(options);
  }
  const NamedDialect named = options.dialect.named();
  if (!named.is_known() || (named.row->has_columns != nullptr && named.option.empty())) {
    BLOOMERY_ASSIGN_OR_RETURN(const std::optional<int> listed, inspect_parquet(options));
    if (listed) {
      return *listed;
    }
  }
  if (!named.is_known()) {
    BLOOMERY_ASSIGN_OR_RETURN(const bool is_hfile, hfile::looks_like_hfile(options.file));
    if (is_hfile) {
      return inspect_hfile(options);
    }
  }
  BLOOMERY_ASSIGN_OR_RETURN(const std::optional<std::string> dialect, options.dialect.of_file(options.file));
  if (dialect) {
    return inspect_dialect(options, *dialect);
  }
  BLOOMERY_ASSIGN_OR_RETURN(const Inspected inspected, open(options));
  const nlohmann::ordered_json object = describe_filter(inspected);
  if (const Status whole = inspected.filter.native().file_status(); !whole) {
    return whole.error().in_file(options.file);
  }
  print_object(options, object);
  if (!options.json && !options.verify) {
    warn_over_capacity("inspect", inspected.filter);
  }
  return inspected.status;
}

}  // namespace

void add_inspect_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("inspect", kInspectDescription);
  const auto options = std::make_shared<InspectOptions>();
  verb->add_option("FILE", options->file,
                   "a filter file, or a directory: a LevelDB or RocksDB database, or Cassandra's sstables")
      ->required();
  verb->add_flag("--json", options->json, "one JSON object");
  verb->add_flag("--verify", options->verify, "print only whether every checksum holds");
  options->dialect.add_to(*verb);
  options->dialect.add_memory_to(*verb);
  options->dialect.add_database_to(*verb);
  verb->callback([options, &exit_status] {
    const Result<int> status = inspect(*options);
    exit_status = status ? *status : report("inspect", status.error());
  });
}

}  // namespace bloomery::cli
