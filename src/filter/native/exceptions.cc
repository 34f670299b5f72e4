#include "bloomery/filter/exceptions.h"

#include <array>
#include <utility>

#include "filter/native/exception_table.h"

namespace bloomery {

ExceptionCandidates::ExceptionCandidates(std::vector<Hash128> matching)
    : table_(std::make_unique<ExceptionTable>(ExceptionTable::of(std::move(matching)))) {}
ExceptionCandidates::ExceptionCandidates(ExceptionCandidates&&) noexcept = default;
ExceptionCandidates& ExceptionCandidates::operator=(ExceptionCandidates&&) noexcept = default;
ExceptionCandidates::~ExceptionCandidates() = default;

void ExceptionCandidates::meet(std::span<const Hash128> members) {
  constexpr std::size_t kPiece = 1024;
  std::array<std::uint64_t, answer_words(kPiece)> strangers{};
  for (std::size_t first = 0; first < members.size() && !table_->empty(); first += kPiece) {
    const auto piece = members.subspan(first, std::min(kPiece, members.size() - first));
    strangers.fill(~std::uint64_t{0});
    table_->clear_excepted(piece, strangers);
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (((strangers[i / 64] >> (i % 64)) & 1) == 0 && table_->withdraw(piece[i])) {
        conflicts_.push_back(piece[i]);
      }
    }
  }
}

std::vector<Hash128> ExceptionCandidates::exceptions() const {
  return table_->entries();
}

}  // namespace bloomery
