#include "table/filter/filter_lists.h"

#include <algorithm>

#include "base/message.h"

namespace bloomery::table {
namespace {

// How far an answer moves the scan, whether it includes the cell or not.
enum class Step { kCell, kColumn, kRow, kHint };

Step step_of(FilterAnswer answer) {
  switch (answer) {
    case FilterAnswer::kInclude:
    case FilterAnswer::kSkip:
      return Step::kCell;
    case FilterAnswer::kIncludeAndNextColumn:
    case FilterAnswer::kNextColumn:
      return Step::kColumn;
    case FilterAnswer::kIncludeAndNextRow:
    case FilterAnswer::kNextRow:
      return Step::kRow;
    case FilterAnswer::kHint:
      return Step::kHint;
  }
  return Step::kCell;
}

FilterAnswer answer_of(bool is_included, Step step) {
  switch (step) {
    case Step::kCell:
      return is_included ? FilterAnswer::kInclude : FilterAnswer::kSkip;
    case Step::kColumn:
      return is_included ? FilterAnswer::kIncludeAndNextColumn : FilterAnswer::kNextColumn;
    case Step::kRow:
      return is_included ? FilterAnswer::kIncludeAndNextRow : FilterAnswer::kNextRow;
    case Step::kHint:
      return is_included ? FilterAnswer::kInclude : FilterAnswer::kHint;
  }
  return FilterAnswer::kSkip;
}

FilterAnswer both_of(FilterAnswer a, FilterAnswer b) {
  return answer_of(includes(a) && includes(b), std::max(step_of(a), step_of(b)));
}

// A hint of one member counts as a step to the next cell, as its distance is not known.
FilterAnswer either_of(FilterAnswer a, FilterAnswer b) {
  const bool is_included = includes(a) || includes(b);
  if (a == FilterAnswer::kHint && b == FilterAnswer::kHint) {
    return FilterAnswer::kHint;
  }
  const bool has_hint = a == FilterAnswer::kHint || b == FilterAnswer::kHint;
  return answer_of(is_included, has_hint ? Step::kCell : std::min(step_of(a), step_of(b)));
}

class ListState : public FilterState {
 public:
  ListState(std::vector<FilterStatePointer> members, bool is_reversed)
      : members_(std::move(members)), is_reversed_(is_reversed) {}

  void filter_cells(std::vector<KeptCell>& cells) override {
    for (const auto& member : members_) {
      member->filter_cells(cells);
    }
  }

 protected:
  // Returns true if `a` comes before `b` in the direction of the scan.
  bool is_before(const CellKey& a, const CellKey& b) const { return is_reversed_ ? b < a : a < b; }

  std::vector<FilterStatePointer> members_;

 private:
  bool is_reversed_;
};

class AllState : public ListState {
 public:
  using ListState::ListState;

  void reset() override {
    for (const auto& member : members_) {
      member->reset();
    }
    hinting_.clear();
  }
  bool is_done() override {
    return std::ranges::any_of(members_, [](const auto& member) { return member->is_done(); });
  }
  bool drops_row_key(std::string_view row) override;
  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override;
  void transform(Cell& cell) override {
    for (const auto& member : members_) {
      member->transform(cell);
    }
  }
  bool drops_row() override {
    return std::ranges::any_of(members_, [](const auto& member) { return member->drops_row(); });
  }

 private:
  std::vector<FilterState*> hinting_;  // members whose last answer was a hint
};

// Calls the members until one is done. If a hinting member accepts the row, the row is not dropped: that
// member needs the row's cells for its hint.
bool AllState::drops_row_key(std::string_view row) {
  bool is_dropped = false;
  bool can_hint = false;
  for (const auto& member : members_) {
    if (member->is_done()) {
      return true;
    }
    if (member->drops_row_key(row)) {
      is_dropped = true;
    } else {
      can_hint = can_hint || member->is_hinting();
    }
  }
  return is_dropped && !can_hint;
}

FilterAnswer AllState::filter_cell(const Cell& cell) {
  hinting_.clear();
  FilterAnswer answer = FilterAnswer::kInclude;
  for (const auto& member : members_) {
    if (!includes(answer) && !member->is_hinting()) {
      continue;
    }
    if (member->is_done()) {
      answer = both_of(answer, FilterAnswer::kNextRow);
      continue;
    }
    const FilterAnswer of_member = member->filter_cell(cell);
    if (of_member == FilterAnswer::kHint) {
      hinting_.push_back(member.get());
    }
    answer = includes(answer) || of_member == FilterAnswer::kHint ? both_of(answer, of_member) : answer;
  }
  return answer;
}

std::optional<FlatKey> AllState::hint(const CellKey& cell) {
  std::optional<FlatKey> farthest;
  for (FilterState* const member : hinting_) {
    if (member->is_done()) {
      continue;
    }
    auto hint = member->hint(cell);
    if (hint && (!farthest || is_before(farthest->key(), hint->key()))) {
      farthest = std::move(hint);
    }
  }
  return farthest;
}

class OneState : public ListState {
 public:
  OneState(std::vector<FilterStatePointer> members, bool is_reversed)
      : ListState(std::move(members), is_reversed), last_(members_.size()) {}

  void reset() override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      members_[i]->reset();
      last_[i] = {};
    }
  }
  bool is_done() override {
    return !members_.empty() &&
           std::ranges::all_of(members_, [](const auto& member) { return member->is_done(); });
  }
  bool drops_row_key(std::string_view row) override;
  FilterAnswer filter_cell(const Cell& cell) override;
  std::optional<FlatKey> hint(const CellKey& cell) override;
  void transform(Cell& cell) override {
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (last_[i].included) {
        members_[i]->transform(cell);
      }
    }
  }
  bool drops_row() override {
    return !members_.empty() &&
           std::ranges::all_of(members_, [](const auto& member) { return member->drops_row(); });
  }

 private:
  struct LastAnswer {
    std::optional<FlatKey> cell = {};  // the cell of `answer`; nothing if it moves by one cell
    FilterAnswer answer = FilterAnswer::kInclude;
    bool included = false;  // the member included the current cell
  };
  std::optional<FilterAnswer> still_covers(FilterState& member, const LastAnswer& last, const CellKey& key);

  std::vector<LastAnswer> last_;
};

// Calls all members that are not done, also after one has accepted the row, since members keep state.
bool OneState::drops_row_key(std::string_view row) {
  bool is_dropped = !members_.empty();
  for (const auto& member : members_) {
    if (!member->is_done() && !member->drops_row_key(row)) {
      is_dropped = false;
    }
  }
  return is_dropped;
}

std::optional<FilterAnswer> OneState::still_covers(FilterState& member, const LastAnswer& last,
                                                   const CellKey& key) {
  if (!last.cell) {
    return std::nullopt;
  }
  const CellKey before = last.cell->key();
  switch (step_of(last.answer)) {
    case Step::kCell:
      return std::nullopt;
    case Step::kColumn:
      return before.family == key.family && before.qualifier == key.qualifier
                 ? std::optional(FilterAnswer::kNextColumn)
                 : std::nullopt;
    case Step::kRow:
      return before.family == key.family ? std::optional(FilterAnswer::kNextRow) : std::nullopt;
    case Step::kHint: {
      const auto hint = member.hint(before);
      return hint && is_before(key, hint->key()) ? std::optional(FilterAnswer::kHint) : std::nullopt;
    }
  }
  return std::nullopt;
}

FilterAnswer OneState::filter_cell(const Cell& cell) {
  if (members_.empty()) {
    return FilterAnswer::kInclude;
  }
  std::optional<FilterAnswer> answer;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    FilterState& member = *members_[i];
    LastAnswer& last = last_[i];
    last.included = false;
    if (member.is_done()) {
      continue;
    }
    const auto covered = still_covers(member, last, cell.key);
    const FilterAnswer of_member = covered ? *covered : member.filter_cell(cell);
    last.answer = of_member;
    last.included = includes(of_member);
    last.cell = step_of(of_member) == Step::kCell ? std::nullopt : std::optional(FlatKey(cell.key));
    answer = answer ? either_of(*answer, of_member) : of_member;
  }
  return answer.value_or(FilterAnswer::kSkip);
}

std::optional<FlatKey> OneState::hint(const CellKey& cell) {
  std::optional<FlatKey> nearest;
  for (const auto& member : members_) {
    if (member->is_done()) {
      continue;
    }
    auto hint = member->hint(cell);
    if (!hint) {
      return std::nullopt;
    }
    if (!nearest || is_before(hint->key(), nearest->key())) {
      nearest = std::move(hint);
    }
  }
  return nearest;
}

class SkipState : public FilterState {
 public:
  explicit SkipState(FilterStatePointer filter) : filter_(std::move(filter)) {}

  void reset() override {
    filter_->reset();
    is_dropped_ = false;
  }
  FilterAnswer filter_cell(const Cell& cell) override {
    const FilterAnswer answer = filter_->filter_cell(cell);
    is_dropped_ = is_dropped_ || answer != FilterAnswer::kInclude;
    return answer;
  }
  void transform(Cell& cell) override { filter_->transform(cell); }
  bool drops_row() override { return is_dropped_; }

 private:
  FilterStatePointer filter_;
  bool is_dropped_ = false;
};

class WhileState : public FilterState {
 public:
  explicit WhileState(FilterStatePointer filter) : filter_(std::move(filter)) {}

  void reset() override { filter_->reset(); }
  bool is_done() override { return is_done_ || filter_->is_done(); }
  bool drops_row_key(std::string_view row) override {
    if (is_done()) {
      return true;
    }
    is_done_ = filter_->drops_row_key(row);
    return is_done_;
  }
  FilterAnswer filter_cell(const Cell& cell) override {
    const FilterAnswer answer = filter_->filter_cell(cell);
    is_done_ = is_done_ || answer != FilterAnswer::kInclude;
    return answer;
  }
  void transform(Cell& cell) override { filter_->transform(cell); }
  bool drops_row() override {
    const bool is_dropped = filter_->drops_row();
    is_done_ = is_done_ || is_dropped;
    return is_dropped;
  }

 private:
  FilterStatePointer filter_;
  bool is_done_ = false;
};

void append_member(std::string& out, const Filter& filter) {
  out += filter.form().is_list() ? "(" : "";
  filter.form().append_text(out);
  out += filter.form().is_list() ? ")" : "";
}

}  // namespace

void ListForm::append_text(std::string& out) const {
  for (const Filter& member : members_) {
    if (&member != &members_.front()) {
      out += message(" ", word_, " ");
    }
    append_member(out, member);
  }
}

bool ListForm::has_row_filter() const {
  return std::ranges::any_of(members_, [](const Filter& member) { return member.form().has_row_filter(); });
}

bool ListForm::is_essential(std::string_view family) const {
  return members_.empty() || std::ranges::any_of(members_, [&](const Filter& member) {
           return member.form().is_essential(family);
         });
}

std::vector<FilterStatePointer> ListForm::start_members(const FilterStart& start) const {
  std::vector<FilterStatePointer> states;
  states.reserve(members_.size());
  for (const Filter& member : members_) {
    states.push_back(member.form().start(start));
  }
  return states;
}

FilterStatePointer AllForm::start(const FilterStart& start) const {
  return std::make_unique<AllState>(start_members(start), start.is_reversed);
}

FilterStatePointer OneForm::start(const FilterStart& start) const {
  return std::make_unique<OneState>(start_members(start), start.is_reversed);
}

void WrapperForm::append_text(std::string& out) const {
  out += message(word_, " ");
  append_member(out, filter_);
}

FilterStatePointer SkipForm::start(const FilterStart& start) const {
  return std::make_unique<SkipState>(start_wrapped(start));
}

FilterStatePointer WhileForm::start(const FilterStart& start) const {
  return std::make_unique<WhileState>(start_wrapped(start));
}

}  // namespace bloomery::table
