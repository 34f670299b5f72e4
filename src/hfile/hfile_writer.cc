#include "bloomery/hfile/hfile_writer.h"

#include "hfile/write_state.h"

namespace bloomery {

HFileWriter::HFileWriter(std::unique_ptr<hfile::WriteState> state) : state_(std::move(state)) {}
HFileWriter::HFileWriter(HFileWriter&&) noexcept = default;
HFileWriter& HFileWriter::operator=(HFileWriter&&) noexcept = default;
HFileWriter::~HFileWriter() = default;

Result<HFileWriter> HFileWriter::create(const std::string& path, const HFileWriteOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(auto state, hfile::WriteState::create(path, options));
  return HFileWriter(std::move(state));
}

Status HFileWriter::append(const Cell& cell) {
  return state_->append(cell);
}

Status HFileWriter::append_meta_block(std::string_view name, std::string_view content) {
  return state_->append_meta_block(name, content);
}

Status HFileWriter::finish() {
  return state_->finish();
}

std::uint64_t HFileWriter::cell_count() const {
  return state_->cell_count();
}

}  // namespace bloomery
