#include "codec/big_words.h"

#include <algorithm>
#include <vector>

#include "base/endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kWordsAPiece = 8192;  // words per write

}  // namespace

Result<WordBits> read_big_words(const std::byte* bytes, std::uint64_t words) {
  BLOOMERY_ASSIGN_OR_RETURN(WordBits bits, WordBits::zeroed(words * 64));
  for (std::uint64_t& word : bits.words()) {
    word = load_big64(bytes);
    bytes += 8;
  }
  return bits;
}

Status write_big_words(const WordBits& bits, const DialectFilter::Sink& sink) {
  std::span<const std::uint64_t> left = bits.words();
  std::vector<std::byte> piece(std::min(left.size(), kWordsAPiece) * 8);
  while (!left.empty()) {
    const auto words = left.first(std::min(left.size(), kWordsAPiece));
    for (std::size_t i = 0; i < words.size(); ++i) {
      store_big(piece.data() + i * 8, words[i]);
    }
    BLOOMERY_RETURN_IF_ERROR(sink(std::span(piece).first(words.size() * 8)));
    left = left.subspan(words.size());
  }
  return {};
}

}  // namespace bloomery
