// The cells of a store file in key order: those of its HFile, or those in memory up to a read point.
//
// It has the moves of an HFileScanner. Those of cells in memory have no errors.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "bloomery/base/result.h"
#include "bloomery/hfile/hfile_reader.h"
#include "hfile/reader_access.h"
#include "hfile/scan_state.h"
#include "table/read/memory_cells.h"
#include "table/read/store_file.h"

namespace bloomery::table {

class CellSource {
 public:
  // The file must outlive the source.
  CellSource(const StoreFile& file, std::uint64_t read_point) {
    if (file.memory != nullptr) {
      memory_ = file.memory->cursor(read_point);
    } else {
      scanner_ = hfile::ReaderAccess::reader_of(file.file).scan();
      state_ = &hfile::ReaderAccess::state_of(*scanner_);
    }
  }

  bool is_memory() const { return memory_ != nullptr; }
  // The state of the HFile's scanner. Precondition: !is_memory().
  hfile::ScanState& state() { return *state_; }
  const hfile::ScanState& state() const { return *state_; }

  Result<bool> seek_to_first() { return memory_ ? memory_->seek_to_first() : scanner_->seek_to_first(); }
  Result<bool> seek_to_last() { return memory_ ? memory_->seek_to_last() : scanner_->seek_to_last(); }
  Result<bool> seek(const CellKey& key) { return memory_ ? memory_->seek(key) : scanner_->seek(key); }
  Result<bool> seek_before(const CellKey& key) {
    return memory_ ? memory_->seek_before(key) : scanner_->seek_before(key);
  }
  Result<bool> next() { return memory_ ? memory_->next() : scanner_->next(); }
  Result<bool> leave_block(hfile::Step found) { return hfile::ReaderAccess::leave_block(*scanner_, found); }
  const Cell& cell() const { return memory_ ? memory_->cell() : state_->cell(); }

 private:
  std::unique_ptr<MemoryCursor> memory_;
  std::optional<HFileScanner> scanner_;  // present without memory
  hfile::ScanState* state_ = nullptr;    // the state of the scanner
};

}  // namespace bloomery::table
