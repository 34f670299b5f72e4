// Finds the source whose row comes first, repeatedly, while one source at a time advances.
//
// It is a tree of losers. A leaf is a source. An inner node keeps the source that lost there, and the winner
// moves on to its parent. When the winner advances, only the nodes between its leaf and the root are
// replayed: three for 8 sources.
//
//   winner 2 ── loser 5 ─┬─ loser 1 ─┬─ source 1
//                        │           └─ source 2
//                        └─ loser 7 ─┬─ source 7
//                                    └─ source 5
//
// Most games are decided by two numbers and read no row. A row is treated as big-endian words of 8 bytes,
// padded with zeros. Each source has the number of the first word that differs from the row which beat it
// last, and that word. All rows in play come after the row of the last winner. So the one that shares more
// words with it comes first, and of two that share equally many the one with the smaller word. The loser's
// numbers remain valid against the new winner. If both are equal, the following words decide. If the rows are
// equal, the caller decides.
//
// Reversed, all words are inverted, and the greater row comes first. If a source goes back, which only damage
// can cause, all are compared anew.
//
// Source of the idea: G. Graefe, Implementing Sorting in Database Systems (2006), offset-value coding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/endian.h"
#include "base/short_copy.h"

namespace bloomery::table {

// `Sources` has:
//
//   std::optional<std::string_view> row_of(std::size_t source)     nothing at the source's end
//   bool comes_first(std::size_t a, std::size_t b)                 for two at the same row
class RowTournament {
 public:
  explicit RowTournament(bool is_reversed) : mask_(is_reversed ? ~std::uint64_t{0} : 0) {}

  // Begins with this many sources.
  template <typename Sources>
  void start(std::size_t count, const Sources& sources) {
    places_.resize(count);
    words_.resize(count);
    play_all(sources);
  }
  // Call it after the first source has moved. Precondition: !is_at_end().
  template <typename Sources>
  void move_first(const Sources& sources) {
    const std::optional<std::string_view> row = sources.row_of(first());
    if (places_.size() == 1) {
      move_only(row);
    } else {
      move_among(row, sources);
    }
  }

  bool is_at_end() const { return winner_.distance() == kEnd; }
  // Returns the source that comes first. Precondition: !is_at_end().
  std::size_t first() const { return winner_.source(); }
  // Changes whenever the row of the first source changes.
  std::uint64_t row_number() const { return row_number_; }

 private:
  // Smaller distances come first. 0 is a row that equals the last winner's in all words.
  static constexpr std::uint32_t kFarthest = std::uint32_t{1} << 24;
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
  static constexpr std::uint64_t kNobody = ~std::uint64_t{0};  // a node that no source has reached yet
  static constexpr std::size_t kNoRow = ~std::size_t{0};

  struct Entry {
    std::uint64_t place = 0;  // distance and source, 32 bits each
    std::uint64_t word = 0;

    static Entry of(std::uint32_t distance, std::size_t source, std::uint64_t word) {
      return {std::uint64_t{distance} << 32 | source, word};
    }
    std::uint32_t distance() const { return static_cast<std::uint32_t>(place >> 32); }
    std::size_t source() const { return static_cast<std::uint32_t>(place); }
  };

  static Entry differs_at(std::size_t word_number, std::size_t source, std::uint64_t word) {
    return Entry::of(kFarthest - static_cast<std::uint32_t>(word_number), source, word);
  }
  static std::size_t words_of(std::string_view row) { return (row.size() + 7) / 8; }
  std::uint64_t whole_word(std::string_view row, std::size_t i) const {
    return load_big64(reinterpret_cast<const std::byte*>(row.data()) + 8 * i) ^ mask_;
  }
  std::uint64_t word_at(std::string_view row, std::size_t i) const {
    const std::size_t at = 8 * i;
    if (at + 8 <= row.size()) {
      return whole_word(row, i);
    }
    if (at >= row.size()) {
      return mask_;
    }
    const auto* const bytes = reinterpret_cast<const std::byte*>(row.data());
    const std::size_t missing = at + 8 - row.size();
    if (row.size() >= 8) {
      return (load_big64(bytes + row.size() - 8) << (8 * missing)) ^ mask_;
    }
    std::byte padded[8] = {};
    std::memcpy(padded, bytes + at, 8 - missing);
    return load_big64(padded) ^ mask_;
  }
  std::size_t parent_of(std::size_t source) const { return (places_.size() + source) / 2; }

  template <typename Sources>
  void move_among(const std::optional<std::string_view>& row, const Sources& sources) {
    const std::size_t source = first();
    std::optional<Entry> player = row ? entry_of(source, *row) : Entry::of(kEnd, source, 0);
    if (!player) {
      play_all(sources);
      return;
    }
    for (std::size_t node = parent_of(source); node != 0; node /= 2) {
      player = play(node, *player, sources);
    }
    take_winner(*player, sources);
  }

  // With a single source there is no game, and only the row's number counts.
  void move_only(const std::optional<std::string_view>& row) {
    if (!row) {
      winner_ = Entry::of(kEnd, 0, 0);
    } else if (!equal_short(*row, only_row_)) {
      ++row_number_;
      assign_short(only_row_, *row);
    }
  }

  // Returns nothing if the row is before the last winner's.
  std::optional<Entry> entry_of(std::size_t source, std::string_view row) const {
    const std::size_t whole = std::min(row.size(), row_bytes_) / 8;
    std::size_t i = 0;
    while (i < whole && whole_word(row, i) == row_words_[i]) {
      ++i;
    }
    for (const std::size_t words = std::max(words_of(row), row_words_.size()); i < words; ++i) {
      const std::uint64_t word = word_at(row, i);
      const std::uint64_t before = i < row_words_.size() ? row_words_[i] : mask_;
      if (word != before) {
        return word < before ? std::nullopt : std::optional(differs_at(i, source, word));
      }
    }
    return Entry::of(0, source, 0);
  }

  // Plays the first game of each node. A source waits at a node until the other one arrives.
  template <typename Sources>
  void play_all(const Sources& sources) {
    row_words_.clear();
    row_bytes_ = kNoRow;
    std::ranges::fill(places_, kNobody);
    Entry winner = Entry::of(kEnd, 0, 0);
    for (std::size_t source = 0; source < places_.size(); ++source) {
      const std::optional<std::string_view> row = sources.row_of(source);
      Entry player = row ? differs_at(0, source, word_at(*row, 0)) : Entry::of(kEnd, source, 0);
      std::size_t node = parent_of(source);
      for (; node != 0 && places_[node] != kNobody; node /= 2) {
        player = play(node, player, sources);
      }
      if (node == 0) {
        winner = player;
      } else {
        put(node, player);
      }
    }
    take_winner(winner, sources);
    if (places_.size() == 1 && !is_at_end()) {
      only_row_ = *sources.row_of(0);
    }
  }

  void put(std::size_t node, const Entry& loser) {
    places_[node] = loser.place;
    words_[node] = loser.word;
  }

  // Returns the winner and leaves the loser in the node. It is branch-free, as the result is unpredictable.
  template <typename Sources>
  Entry play(std::size_t node, Entry player, const Sources& sources) {
    const Entry waiting{places_[node], words_[node]};
    const bool is_tie = waiting.distance() == player.distance() && waiting.word == player.word;
    if (is_tie && player.distance() != kEnd) {
      return play_tie(node, player, sources);
    }
    const bool is_nearer = waiting.distance() < player.distance();
    const bool is_as_near = waiting.distance() == player.distance();
    const bool is_less = waiting.word < player.word;
    const std::uint64_t changes = -static_cast<std::uint64_t>(is_nearer | (is_as_near & is_less));
    const std::uint64_t place = (waiting.place ^ player.place) & changes;
    const std::uint64_t word = (waiting.word ^ player.word) & changes;
    places_[node] ^= place;
    words_[node] ^= word;
    return {player.place ^ place, player.word ^ word};
  }

  // Compares the rows after their common word, and sets the loser's numbers against the winner.
  template <typename Sources>
  Entry play_tie(std::size_t node, Entry player, const Sources& sources) {
    const Entry waiting{places_[node], words_[node]};
    const std::string_view mine = *sources.row_of(waiting.source());
    const std::string_view other = *sources.row_of(player.source());
    const auto finish = [&](bool waiting_wins, std::uint32_t distance, std::uint64_t word) {
      const Entry& loser = waiting_wins ? player : waiting;
      const Entry& winner = waiting_wins ? waiting : player;
      put(node, Entry::of(distance, loser.source(), word));
      return winner;
    };
    const std::size_t words = player.distance() == 0 ? 0 : std::max(words_of(mine), words_of(other));
    for (std::size_t i = kFarthest - player.distance() + 1; i < words; ++i) {
      const std::uint64_t word = word_at(mine, i);
      const std::uint64_t other_word = word_at(other, i);
      if (word != other_word) {
        return finish(word < other_word, kFarthest - static_cast<std::uint32_t>(i),
                      std::max(word, other_word));
      }
    }
    const bool is_shorter = (mine.size() < other.size()) == (mask_ == 0);
    const bool wins =
        mine.size() != other.size() ? is_shorter : sources.comes_first(waiting.source(), player.source());
    return finish(wins, 0, 0);
  }

  // Stores the winner's row. The words before the one in its entry are those of the last winner.
  template <typename Sources>
  void take_winner(const Entry& winner, const Sources& sources) {
    winner_ = winner;
    if (is_at_end()) {
      return;
    }
    const std::string_view row = *sources.row_of(first());
    if (winner.distance() == 0 && row.size() == row_bytes_) {
      return;
    }
    ++row_number_;
    row_bytes_ = row.size();
    const std::size_t words = words_of(row);
    if (words != row_words_.size()) {
      row_words_.resize(words, mask_);  // padding, where the row has no bytes
    }
    std::size_t i = winner.distance() == 0 ? words : kFarthest - winner.distance();
    if (i < words) {
      row_words_[i++] = winner.word;
    }
    for (; i < words; ++i) {
      row_words_[i] = word_at(row, i);
    }
  }

  std::uint64_t mask_;
  // The losers of the nodes, in two arrays, so that each number stays in its own register. Element 0 is
  // unused.
  std::vector<std::uint64_t> places_;
  std::vector<std::uint64_t> words_;
  Entry winner_ = Entry::of(kEnd, 0, 0);
  std::vector<std::uint64_t> row_words_;  // the words of the winner's row
  std::size_t row_bytes_ = kNoRow;
  std::string only_row_;  // the row, if there is one source
  std::uint64_t row_number_ = 0;
};

}  // namespace bloomery::table
