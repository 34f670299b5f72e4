// Any bytes, taken for what a server sends: replies, maps of a cluster, redirections; and for a URL. The first byte says where
// the rest is cut in two, and the replies must be those of the rest in one piece.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "connect/redis/cluster_map.h"
#include "connect/redis/key_slot.h"
#include "connect/redis/redirect.h"
#include "connect/redis/reply_reader.h"
#include "connect/redis/url.h"

namespace {

using namespace bloomery;
using namespace bloomery::redis;

void require(bool condition) {
  if (!condition) {
    std::abort();
  }
}

void take_all(ReplyReader& reader, std::vector<Reply>& replies) {
  for (;;) {
    const Result<std::optional<Reply>> reply = reader.next();
    if (!reply || !*reply) {
      return;
    }
    replies.push_back(**reply);
  }
}

std::string text_of(const Reply& reply) {
  std::string text = reply.describe() + reply.text;
  for (const Reply& element : reply.elements) {
    text += "," + text_of(element);
  }
  return text;
}

void check(const Reply& reply) {
  Endpoint from;
  from.host = "seed";
  if (const Result<ClusterMap> map = ClusterMap::parse(reply, from)) {
    for (std::uint16_t slot = 0; slot < kSlots; slot = static_cast<std::uint16_t>(slot + 97)) {
      const std::optional<Endpoint> primary = map->primary_of(slot);
      require(!primary || (!primary->host.empty() && primary->port != 0));
    }
  }
  if (is_redirect(reply)) {
    const Result<Redirect> redirect = parse_redirect(reply, from);
    require(!redirect || (redirect->slot < kSlots && redirect->to.port != 0 && !redirect->to.host.empty()));
  }
  if (reply.is_error()) {
    (void)error_of(reply, from.name());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReplyReader whole;
  std::vector<Reply> replies;
  require(whole.feed(bytes).has_value());
  take_all(whole, replies);
  const std::size_t cut = bytes.size() * data[0] / 255;
  ReplyReader parts;
  std::vector<Reply> again;
  require(parts.feed(bytes.substr(0, cut)).has_value());
  take_all(parts, again);
  require(parts.feed(bytes.substr(cut)).has_value() || !parts.next());  // not after an error
  take_all(parts, again);
  require(replies.size() == again.size());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    require(text_of(replies[i]) == text_of(again[i]));
    check(replies[i]);
  }
  if (const Result<Url> url = parse_url(bytes)) {
    require(url->endpoint.is_socket() || (!url->endpoint.host.empty() && url->endpoint.port != 0));
  }
  require(key_slot(bytes) < kSlots && hash_tag(bytes).size() <= bytes.size());
  return 0;
}
