// Gives library code the public reader of a file that it opened itself, and the state of a scanner. Callers
// include bloomery/hfile/hfile_reader.h.
#pragma once

#include <memory>

#include "bloomery/base/result.h"

namespace bloomery {

class HFileReader;
class HFileScanner;

namespace hfile {

class OpenFile;
class ScanState;
enum class Step;

struct ReaderAccess {
  static HFileReader reader_of(std::shared_ptr<const OpenFile> file);
  static ScanState& state_of(const HFileScanner& scanner);
  // The second half of HFileScanner::next(), after the state's step().
  static Result<bool> leave_block(HFileScanner& scanner, Step found);
};

}  // namespace hfile
}  // namespace bloomery
