#include "store/compaction.h"

#include <algorithm>
#include <utility>

#include "hfile/protobuf_writer.h"
#include "store/auto_filters.h"
#include "store/flush.h"
#include "table/layout/family_write_options.h"

namespace bloomery::store {
Compaction::Compaction(StoreFiles& store, std::shared_ptr<Region> region, FamilySchema schema)
    : store_(store), region_(std::move(region)), schema_(std::move(schema)) {}

Result<std::unique_ptr<Compaction>> Compaction::begin(StoreFiles& store, std::shared_ptr<Region> region,
                                                      RegionFamily& family, const FamilySchema& schema,
                                                      const StoreOptions& store_options, FileRange files,
                                                      bool is_major, std::int64_t now_ms) {
  std::unique_ptr<Compaction> compaction(new Compaction(store, std::move(region), schema));
  const auto& all = family.files->files;
  compaction->is_major_ = is_major && files.end - files.begin == all.size();
  compaction->now_ms_ = now_ms;
  compaction->inputs_.assign(all.begin() + static_cast<std::ptrdiff_t>(files.begin),
                             all.begin() + static_cast<std::ptrdiff_t>(files.end));
  BLOOMERY_ASSIGN_OR_RETURN(HFileWriteOptions options, table::write_options_of(compaction->schema_));
  std::int64_t sequence = 0;
  options.is_major_compaction = compaction->is_major_;
  for (const auto& file : compaction->inputs_) {
    sequence = std::max(sequence, file->sequence_id);
    options.compacted_files.push_back(file->name);
    compaction->input_bytes_ += file->file->file_bytes();
  }
  set_filters(options, family, compaction->schema_, keys_of(compaction->inputs_), compaction->inputs_,
              store_options);
  compaction->output_.name = store.new_name();
  compaction->output_.path = family.directory + "/" + compaction->output_.name;
  BLOOMERY_ASSIGN_OR_RETURN(
      compaction->writer_,
      begin_store_file(store.file_system(), compaction->output_.path, std::move(options), sequence, now_ms));
  compaction->reads_as_ = file_options(store_options);
  compaction->cells_.emplace(compaction->inputs_, compaction->schema_, compaction->is_major_, now_ms);
  return compaction;
}

// Passes a cell of the merge, and writes it if it stays.
Status Compaction::merge_cell() {
  const Cell& cell = cells_->cell();
  merged_bytes_ += cell.key.row.size() + cell.key.qualifier.size() + cell.value.size();
  if (cells_->is_kept()) {
    BLOOMERY_RETURN_IF_ERROR(writer_->append(cell));
  }
  return cells_->next();
}

// Opens the new file, and begins to read it into the cache if there is room.
Status Compaction::open_output() {
  BLOOMERY_RETURN_IF_ERROR(writer_->finish());
  writer_.reset();
  BLOOMERY_ASSIGN_OR_RETURN(opened_, table::open_store_file(output_, reads_as_, store_.file_system()));
  const auto& cache = reads_as_.cache;
  if (cache != nullptr && cache->counters().bytes + opened_->file->file_bytes() <= cache->most_bytes()) {
    warming_.emplace(std::vector{opened_}, false, nullptr);
    BLOOMERY_RETURN_IF_ERROR(warming_->start({}));
  }
  return {};
}

Result<bool> Compaction::step(std::uint64_t bytes) {
  if (!is_started_) {
    BLOOMERY_RETURN_IF_ERROR(cells_->start());
    is_started_ = true;
  }
  for (merged_bytes_ = 0; merged_bytes_ < bytes;) {
    if (opened_ == nullptr) {
      BLOOMERY_RETURN_IF_ERROR(cells_->is_at_end() ? open_output() : merge_cell());
    } else if (warming_ && !warming_->is_at_end()) {
      merged_bytes_ += warming_->cell().value.size() + warming_->cell().key.row.size();
      BLOOMERY_RETURN_IF_ERROR(warming_->next());
    } else {
      warming_.reset();
      return true;
    }
  }
  return false;
}

CompactionNote Compaction::note() const {
  CompactionNote note{.table = region_->table(),
                      .family = schema_,
                      .is_major = is_major_,
                      .now_ms = now_ms_,
                      .output = output_.path};
  for (const auto& file : inputs_) {
    note.inputs.push_back(file->path());
  }
  return note;
}

Result<bool> Compaction::prepare() {
  RegionFamily* const family = region_->find(schema_.name);
  const auto has = [&](const table::StoreFilePointer& file) {
    return std::ranges::find(family->files->files, file) != family->files->files.end();
  };
  if (region_->is_dropped || family == nullptr || !std::ranges::all_of(inputs_, has)) {
    (void)store_.file_system().remove(output_.path);
    return false;
  }
  family->new_files = table::with_file(*family->files, opened_, inputs_);
  return true;
}

Status Compaction::install(const Environment& environment) {
  RegionFamily& family = *region_->find(schema_.name);
  if (environment.on_compaction) {
    environment.on_compaction(note(), false);
  }
  auto tracked = family.list->tracked();
  std::erase_if(tracked, [&](const table::TrackedFile& file) {
    return std::ranges::any_of(inputs_, [&](const auto& input) { return input->name == file.name; });
  });
  tracked.push_back({.name = output_.name, .size_bytes = opened_->file->file_bytes()});
  BLOOMERY_RETURN_IF_ERROR(family.list->update(std::move(tracked), environment.clock->now_ms()));
  if (environment.on_compaction) {
    environment.on_compaction(note(), true);
  }
  return {};
}

std::string Compaction::input_of(const Error& error) const {
  for (const auto& file : inputs_) {
    if (error.subject().starts_with(file->path())) {
      return file->path();
    }
  }
  return "";
}

std::string Compaction::description() const {
  hfile::ByteWriter message;
  hfile::append_bytes_field(message, 1, region_->table());
  hfile::append_bytes_field(message, 2, region_->name());
  hfile::append_bytes_field(message, 3, schema_.name);
  for (const auto& file : inputs_) {
    hfile::append_bytes_field(message, 4, file->name);
  }
  hfile::append_bytes_field(message, 5, output_.name);
  hfile::append_bytes_field(message, 6, schema_.name);
  return std::string(message.text());
}

void Compaction::remove_inputs() {
  for (const auto& file : inputs_) {
    (void)store_.file_system().remove(file->path());
  }
}

}  // namespace bloomery::store
