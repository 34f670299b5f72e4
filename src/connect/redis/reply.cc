#include "connect/redis/reply.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/message.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kShownBytes = 200;

std::string shown(const std::string& text) {
  return text.size() <= kShownBytes ? text : text.substr(0, kShownBytes) + "...";
}

}  // namespace

bool Reply::is_error(std::string_view name) const {
  return is_error() && text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ' ');
}

const Reply* Reply::field(std::string_view name) const {
  for (std::size_t i = 0; i + 1 < elements.size(); i += 2) {
    if (elements[i].text == name) {
      return &elements[i + 1];
    }
  }
  return nullptr;
}

std::optional<std::int64_t> Reply::number(std::string_view name) const {
  const Reply* const value = field(name);
  return value != nullptr && value->kind == Kind::kInteger ? std::optional(value->integer) : std::nullopt;
}

std::string Reply::describe() const {
  switch (kind) {
    case Kind::kNil:
      return "nil";
    case Kind::kInteger:
      return message("the number ", integer);
    case Kind::kStatus:
      return message("the status '", shown(text), "'");
    case Kind::kBytes:
      return message("the text '", shown(text), "'");
    case Kind::kArray:
      return message("an array of ", elements.size());
    case Kind::kError:
      return message("the error '", shown(text), "'");
  }
  return "nothing";
}

Error error_of(const Reply& reply, const std::string& subject) {
  constexpr std::array<std::string_view, 10> kStates = {"MISCONF",  "NOREPLICAS", "LOADING",    "CLUSTERDOWN",
                                                        "READONLY", "TRYAGAIN",   "MASTERDOWN", "BUSY",
                                                        "MOVED",    "ASK"};
  ErrorCode code = ErrorCode::kInvalidArgument;
  if (reply.is_error("OOM")) {
    code = ErrorCode::kCapacity;
  } else if (reply.text.starts_with("ERR unknown command")) {
    code = ErrorCode::kUnsupported;
  } else if (std::ranges::any_of(kStates, [&](std::string_view name) { return reply.is_error(name); })) {
    code = ErrorCode::kIo;
  }
  const bool lacks_module = code == ErrorCode::kUnsupported && reply.text.find("BLOOM.") != std::string::npos;
  return Error(code, subject,
               "expected an answer, found " + reply.describe() +
                   (lacks_module ? "; the server needs the module bloomery.so (docs/redis.md)" : ""));
}

}  // namespace bloomery::redis
