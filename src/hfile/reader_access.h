// Gives library code the public reader of a file that it opened itself, and the state of a scanner.
#pragma once

#include <memory>
#include <utility>

#include "bloomery/hfile/hfile_reader.h"
#include "hfile/open_file.h"
#include "hfile/scan_state.h"

namespace bloomery::hfile {

struct ReaderAccess {
  static HFileReader reader_of(std::shared_ptr<const OpenFile> file) { return HFileReader(std::move(file)); }
  static ScanState& state_of(const HFileScanner& scanner) { return *scanner.state_; }
  // The second half of HFileScanner::next(), after the state's step().
  static Result<bool> leave_block(HFileScanner& scanner, Step found) { return scanner.leave_block(found); }
};

}  // namespace bloomery::hfile
