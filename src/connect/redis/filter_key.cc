#include "connect/redis/filter_key.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/byte_text.h"
#include "base/message.h"

namespace bloomery::redis {
namespace {

struct FilterType {
  const char* type;
  const char* maker;
  const char* command;
  const char* better_command;  // preferred if the server has it; may be null
};
constexpr std::array<FilterType, 6> kFilterTypes = {{
    {"MBbloom--", "RedisBloom, a Bloom filter", "BF.MEXISTS", nullptr},
    {"MBbloomCF", "RedisBloom, a cuckoo filter", "CF.MEXISTS", nullptr},
    {"bloomfltr", "valkey-bloom", "BF.MEXISTS", nullptr},
    {"bloomery-", "Bloomery", "BF.MEXISTS", "BLOOM.MEXISTS"},
    {"bloomeryQ", "Bloomery, a filter with deletes", "CF.MEXISTS", "BLOOM.MEXISTS"},
    {"bloomeryF", "Bloomery, a filter file", "BLOOM.MEXISTS", nullptr},
}};

// The most items and bytes of one command; a single item may be larger. A server runs one command at a time,
// so larger commands would delay its other clients.
constexpr std::size_t kMostItems = 1000;
constexpr std::size_t kMostBytes = std::size_t{256} * 1024;

std::size_t items_of_one_command(std::span<const std::string_view> items) {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(items.size(), kMostItems) &&
         (count == 0 || bytes + items[count].size() <= kMostBytes)) {
    bytes += items[count++].size();
  }
  return count;
}

Command type_of(std::string_view key) {
  return Command("TYPE").key(key).repeatable();
}

std::string subject_of(const Client& client, std::string_view key) {
  return message(client.name(), ": key ", escape_bytes(key));
}

Error wrong_type(const std::string& subject, const std::string& expected, const Reply& type) {
  if (type.text == "none") {
    return Error(ErrorCode::kNotFound, subject, message("expected ", expected, ", found no such key"));
  }
  return Error::invalid_argument(subject, message("expected ", expected, ", found the type ", type.text));
}

// Returns true if the server has a command. COMMAND INFO returns nil for a missing one. A user without the
// right to it gets false, and later the error of the command that is used instead.
bool has_command(Client& client, const char* name) {
  const Result<Reply> known = client.run(Command("COMMAND").word("INFO").word(name).repeatable());
  return known && known->elements.size() == 1 && known->elements[0].kind == Reply::Kind::kArray;
}

}  // namespace

bool is_filter_type(std::string_view type) {
  return std::ranges::find(kFilterTypes, type, &FilterType::type) != kFilterTypes.end();
}

Result<FilterKey> FilterKey::open(Client& client, std::string_view key) {
  const std::string subject = subject_of(client, key);
  const Result<Reply> type = client.run(type_of(key));
  if (!type) {
    return type.error();
  }
  if (type->kind != Reply::Kind::kStatus) {
    return Error(ErrorCode::kCorruption, subject, message("expected a type, found ", type->describe()));
  }
  const auto* const known =
      std::ranges::find_if(kFilterTypes, [&](const FilterType& row) { return type->text == row.type; });
  if (known == kFilterTypes.end()) {
    return wrong_type(subject, "a filter", *type);
  }
  FilterKey filter(std::string(key), known->type, known->maker);
  const bool has_better = known->better_command != nullptr && has_command(client, known->better_command);
  filter.command_ = has_better ? known->better_command : known->command;
  return filter;
}

Request FilterKey::request_for(std::span<const std::string_view> items) const {
  Command asks(command_);
  asks.key(key_).repeatable();
  for (const std::string_view item : items) {
    asks.word(item);
  }
  return Request(std::vector<Command>{type_of(key_), std::move(asks)});
}

Status FilterKey::ask(Client& client, std::span<const std::string_view> items,
                      std::span<std::uint64_t> answers) const {
  std::vector<Request> requests;
  std::vector<std::size_t> counts;
  for (std::span<const std::string_view> rest = items; !rest.empty();) {
    counts.push_back(items_of_one_command(rest));
    requests.push_back(request_for(rest.first(counts.back())));
    rest = rest.subspan(counts.back());
  }
  std::ranges::fill(answers, 0);
  const std::string subject = subject_of(client, key_);
  const std::vector<Result<Reply>> replies = client.run(requests);
  std::size_t first = 0;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (!replies[i]) {
      return replies[i].error();
    }
    BLOOMERY_RETURN_IF_ERROR(read_answers(subject, *replies[i], first, counts[i], answers));
    first += counts[i];
  }
  return {};
}

Status FilterKey::check_type(const std::string& subject, const Reply& type) const {
  if (type.is_error()) {
    return error_of(type, subject);
  }
  if (type.kind != Reply::Kind::kStatus) {
    return Error(ErrorCode::kCorruption, subject, message("expected a type, found ", type.describe()));
  }
  return type.text == type_ ? Status() : wrong_type(subject, message("the type ", type_, " as before"), type);
}

Status FilterKey::read_answers(const std::string& subject, const Reply& reply, std::size_t first,
                               std::size_t count, std::span<std::uint64_t> answers) const {
  BLOOMERY_RETURN_IF_ERROR(check_type(subject, reply.elements[0]));
  const Reply& said = reply.elements[1];
  if (said.is_error()) {
    return error_of(said, subject);
  }
  if (said.kind != Reply::Kind::kArray || said.elements.size() != count) {
    return Error(ErrorCode::kCorruption, subject,
                 message("expected ", count, " answers to ", command_, ", found ", said.describe()));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Reply& answer = said.elements[i];
    if (answer.kind != Reply::Kind::kInteger || (answer.integer != 0 && answer.integer != 1)) {
      return Error(ErrorCode::kCorruption, subject,
                   message("expected 0 or 1 as an answer to ", command_, ", found ", answer.describe()));
    }
    answers[(first + i) / 64] |= static_cast<std::uint64_t>(answer.integer) << ((first + i) % 64);
  }
  return {};
}

}  // namespace bloomery::redis
