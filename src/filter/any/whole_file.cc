#include "filter/any/whole_file.h"

#include <type_traits>
#include <utility>

namespace bloomery {

bool WholeFile::takes(FilterType type) {
  return is_static_type(type) || type == FilterType::kExact || type == FilterType::kWindowed;
}

Result<WholeFile> WholeFile::begin(const NativeHeader& header, Room room) {
  BLOOMERY_ASSIGN_OR_RETURN(OnePiece bytes, OnePiece::of(header.file_bytes(), room));
  WholeFile file;
  file.bytes_ = std::make_shared<OnePiece>(std::move(bytes));
  switch (header.type) {
    case FilterType::kExact:
      file.filter_ = std::make_shared<ExactFile>();
      break;
    case FilterType::kWindowed:
      file.filter_ = std::make_shared<WindowedFile>();
      break;
    default:
      file.filter_ = std::make_shared<RibbonFile>();
  }
  return file;
}

Status WholeFile::append(const NativeHeader& header, std::span<const std::byte> chunk) {
  BLOOMERY_RETURN_IF_ERROR(bytes_->append(chunk));
  auto* const exact = std::get_if<Shared<ExactFile>>(&filter_);
  return exact == nullptr ? Status() : (*exact)->go_on(header, bytes_->bytes());
}

Status WholeFile::finish(const NativeHeader& header) {
  return std::visit(
      [&](const auto& filter) {
        return filter->is_finished() ? Status() : filter->finish(header, bytes_->bytes());
      },
      filter_);
}

bool WholeFile::is_finished() const {
  return std::visit([](const auto& filter) { return filter != nullptr && filter->is_finished(); }, filter_);
}

void WholeFile::may_contain(std::span<const Hash128> hashes, std::span<std::uint64_t> answers) const {
  std::visit([&](const auto& filter) { filter->may_contain(hashes, answers); }, filter_);
}

bool WholeFile::counts() const {
  const auto* const exact = std::get_if<Shared<ExactFile>>(&filter_);
  return exact != nullptr && (*exact)->counts();
}

std::uint64_t WholeFile::count(const Hash128& hash) const {
  return std::get<Shared<ExactFile>>(filter_)->count(hash);
}

const WindowedFile* WholeFile::windowed() const {
  const auto* const windowed = std::get_if<Shared<WindowedFile>>(&filter_);
  return windowed == nullptr ? nullptr : windowed->get();
}

}  // namespace bloomery
