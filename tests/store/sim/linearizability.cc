#include "tests/store/sim/linearizability.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace bloomery::store::sim {
namespace {

using Kind = RegisterOperation::Kind;

// A moment: how many operations of each thread have happened, and the value then.
struct Moment {
  std::vector<std::size_t> done;
  RegisterValue value;

  auto operator<=>(const Moment&) const = default;
};

// Returns the value after the operation. Sets `is_right` to whether the operation's answer is that of `value`.
RegisterValue value_after(const RegisterOperation& operation, const RegisterValue& value, bool& is_right) {
  const bool holds = operation.checked == value;
  switch (operation.kind) {
    case Kind::kGet:
      is_right = operation.found == value;
      return value;
    case Kind::kPut:
      return operation.given;
    case Kind::kDelete:
      return std::nullopt;
    case Kind::kIncrement:
      is_right = operation.found == value.value_or(0) + operation.given;
      return operation.found;
    case Kind::kCheckAndPut:
      is_right = operation.holds == holds;
      return holds ? RegisterValue(operation.given) : value;
    case Kind::kCheckAndDelete:
      is_right = operation.holds == holds;
      return holds ? std::nullopt : value;
  }
  return value;
}

// Returns the moments after one more operation: one that begins before each of the others that are left has ended.
std::vector<Moment> moments_after(const RegisterHistory& history, const Moment& moment) {
  std::uint64_t first_end = std::numeric_limits<std::uint64_t>::max();
  for (std::size_t thread = 0; thread < history.size(); ++thread) {
    if (moment.done[thread] < history[thread].size()) {
      first_end = std::min(first_end, history[thread][moment.done[thread]].end);
    }
  }
  std::vector<Moment> moments;
  for (std::size_t thread = 0; thread < history.size(); ++thread) {
    if (moment.done[thread] == history[thread].size()) {
      continue;
    }
    const RegisterOperation& operation = history[thread][moment.done[thread]];
    bool is_right = true;
    RegisterValue value = value_after(operation, moment.value, is_right);
    if (is_right && operation.begin <= first_end) {
      moments.push_back({moment.done, value});
      ++moments.back().done[thread];
    }
  }
  return moments;
}

std::string shown(const RegisterValue& value) {
  return value ? std::to_string(*value) : "nothing";
}

std::string line_of(const RegisterOperation& operation) {
  const std::string check = "if it is " + shown(operation.checked) + (operation.holds ? ": yes" : ": no");
  switch (operation.kind) {
    case Kind::kGet:
      return "get: " + shown(operation.found);
    case Kind::kPut:
      return "put " + std::to_string(operation.given);
    case Kind::kDelete:
      return "delete";
    case Kind::kIncrement:
      return "add " + std::to_string(operation.given) + ": " + shown(operation.found);
    case Kind::kCheckAndPut:
      return "put " + std::to_string(operation.given) + " " + check;
    case Kind::kCheckAndDelete:
      return "delete " + check;
  }
  return "";
}

}  // namespace

bool is_linearizable(const RegisterHistory& history) {
  std::size_t operations = 0;
  for (const auto& of_thread : history) {
    operations += of_thread.size();
  }
  std::vector<Moment> left = {{std::vector<std::size_t>(history.size(), 0), std::nullopt}};
  std::set<Moment> seen;
  while (!left.empty()) {
    const Moment moment = std::move(left.back());
    left.pop_back();
    std::size_t done = 0;
    for (const std::size_t count : moment.done) {
      done += count;
    }
    if (done == operations) {
      return true;
    }
    for (Moment& next : moments_after(history, moment)) {
      if (seen.insert(next).second) {
        left.push_back(std::move(next));
      }
    }
  }
  return false;
}

std::string text_of(const RegisterHistory& history) {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  for (std::size_t thread = 0; thread < history.size(); ++thread) {
    for (const RegisterOperation& operation : history[thread]) {
      lines.emplace_back(operation.begin, std::to_string(operation.begin) + " to " +
                                              std::to_string(operation.end) + ", thread " +
                                              std::to_string(thread) + ": " + line_of(operation) + "\n");
    }
  }
  std::ranges::sort(lines);
  std::string text;
  for (const auto& [begin, line] : lines) {
    text += line;
  }
  return text;
}

}  // namespace bloomery::store::sim
