// A live source of a table for tests: views of files and cells in memory that the test sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "table/table_access.h"
#include "table/table_source.h"
#include "tests/table/vector_cells.h"

namespace bloomery {

using MemoryPointer = std::shared_ptr<const table::MemoryCells>;

// Opens the files, and puts the cells in memory after them, the newest last.
inline Result<table::StorePointer> store_of(const std::vector<std::string>& paths,
                                            const std::vector<MemoryPointer>& memory,
                                            const HFileOptions& options = {}) {
  std::vector<table::StoreFilePath> files;
  for (const std::string& path : paths) {
    files.push_back({.path = path, .name = path.substr(path.rfind('/') + 1)});
  }
  BLOOMERY_ASSIGN_OR_RETURN(const auto opened, table::open_store(files, options));
  auto store = std::make_shared<table::OpenStore>();
  store->files = opened->files;
  for (const MemoryPointer& cells : memory) {
    store->files.push_back(std::make_shared<const table::StoreFile>(table::store_file_of(cells)));
  }
  return table::StorePointer(std::move(store));
}

class ViewSource : public table::TableSource {
 public:
  using Families = std::map<std::string, table::StorePointer>;

  ViewSource(const TableSchema& schema, std::vector<table::RegionLayout> regions,
             const TableOptions& options = {})
      : TableSource({.schema = schema, .regions = std::move(regions)}, options),
        views_(layout().regions.size()),
        versions_(layout().regions.size()) {}

  // Replaces the view of a region.
  void set(std::size_t region, Families families) {
    views_[region] = std::move(families);
    ++versions_[region];
  }
  void set_read_point(std::uint64_t read_point) { read_point_ = read_point; }
  // Calls the function once, in the next read_point(), as if another thread had run before it.
  void before_read_point(std::function<void()> call) { before_read_point_ = std::move(call); }
  std::size_t opened() const { return opened_; }

  Result<table::StorePointer> store(std::size_t region, const std::string& family) const override {
    ++opened_;
    const auto found = views_[region].find(family);
    return found == views_[region].end() ? std::make_shared<const table::OpenStore>() : found->second;
  }
  bool is_live() const override { return true; }
  std::uint64_t version(std::size_t region) const override { return versions_[region]; }
  std::uint64_t read_point() const override {
    if (const auto call = std::exchange(before_read_point_, nullptr)) {
      call();
    }
    return read_point_;
  }

 private:
  std::vector<Families> views_;
  std::vector<std::uint64_t> versions_;
  std::uint64_t read_point_ = ~std::uint64_t{0};
  mutable std::function<void()> before_read_point_;
  mutable std::size_t opened_ = 0;
};

}  // namespace bloomery
