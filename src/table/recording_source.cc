#include "table/recording_source.h"

#include <memory>

namespace bloomery::table {

hfile::Surroundings RecordingSource::surroundings(BlockLog& log) {
  return {
      .between = [&log](hfile::BlockSource& disk) { return std::make_unique<RecordingSource>(disk, log); }};
}

Result<hfile::BlockPointer> RecordingSource::fetch(const hfile::BlockAddress& address,
                                                   hfile::ReadAhead* /*ahead*/) {
  log_.push_back(address);
  return disk_.read(address);
}

}  // namespace bloomery::table
