#include "connect/redis/redirect.h"

#include "base/message.h"
#include "connect/redis/key_slot.h"
#include "hash/ascii_text.h"

namespace bloomery::redis {
namespace {

// Parses `text` as a number. Returns false if any other byte is in it.
template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const std::optional<Number> read = number_from_text<Number>(text);
  number = read.value_or(number);
  return read.has_value();
}

}  // namespace

Result<Redirect> parse_redirect(const Reply& reply, const Endpoint& from) {
  const std::string_view text = reply.text;
  const std::size_t slot_at = text.find(' ') + 1;  // 0 if there is no space, because find() returned npos
  const std::size_t host_at = text.find(' ', slot_at) + 1;
  const std::size_t colon = text.rfind(':');
  Redirect redirect;
  redirect.kind = reply.is_error("ASK") ? Redirect::Kind::kAsk : Redirect::Kind::kMoved;
  if (slot_at == 0 || host_at == 0 || colon == std::string_view::npos || colon < host_at ||
      !read_number(text.substr(slot_at, host_at - 1 - slot_at), redirect.slot) || redirect.slot >= kSlots ||
      !read_number(text.substr(colon + 1), redirect.to.port) || redirect.to.port == 0) {
    return Error(ErrorCode::kCorruption, from.name(),
                 message("expected MOVED or ASK with a slot, a host and a port, found ", reply.describe()));
  }
  redirect.to.host = text.substr(host_at, colon - host_at);
  if (redirect.to.host.empty()) {
    redirect.to.host = from.is_socket() ? "127.0.0.1" : from.host;
  }
  return redirect;
}

}  // namespace bloomery::redis
