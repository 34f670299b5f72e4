// Hashes a text by a filter's key form. The code calls the filter through the C interface, since the
// filter is in the other library, bloomery.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "c_api/call.h"
#include "c_api/handle_pool.h"
#include "keys/text_keys.h"

namespace bloomery::c_api {
namespace {

struct OpenHasher {
  const bloomery_filter* filter;
  TextKeys keys;
  std::vector<bloomery_hash> hashes = {};
};
using Hashers = HandlePool<OpenHasher, 0x8100f7e875>;

// Finds the levels that the filter has entries of: one query for each level key. Returns a negative
// number after an error.
int read_levels(const bloomery_filter* filter, KeyForm form, std::uint32_t type, KeyLevels& levels) {
  const KeyLevels all = KeyLevels::all_of(form);
  if (type == BLOOMERY_WINDOWED) {  // a level key may have expired, so every level counts
    levels = all;
    return BLOOMERY_OK;
  }
  int result = BLOOMERY_OK;
  all.for_each([&](std::size_t level) {
    KeyWriter writer;
    append_level_key(writer, form, level);
    const int has = bloomery_filter_may_contain(filter, writer.bytes().data(), writer.bytes().size());
    if (has < 0) {
      result = has;
    } else if (has == 1) {
      levels.add(level);
    }
  });
  return result;
}

int open_hasher(const bloomery_filter* filter, int purpose, bloomery_text_hasher** hasher) {
  bloomery_key_rule rule = {};
  rule.size = sizeof(rule);
  bloomery_facts facts = {};
  facts.size = sizeof(facts);
  if (const int read = bloomery_filter_keys(filter, &rule); read < 0) {
    return read;
  }
  if (const int read = bloomery_filter_facts(filter, &facts); read < 0) {
    return read;
  }
  const KeyTreatment treatment = {
      .form = static_cast<KeyForm>(rule.form),
      .trim = rule.trim != 0,
      .ignore_case = rule.ignore_case != 0,
      .parts = rule.parts,
      .url = {.sort_query = rule.sort_query != 0, .drop_tracking = rule.drop_tracking != 0}};
  TextKeys keys(treatment, static_cast<TextPurpose>(purpose));
  KeyLevels levels;
  if (const int read = read_levels(filter, treatment.form, facts.type, levels); read < 0) {
    return read;
  }
  keys.ask_at(levels);
  void* handle = Hashers::open({.filter = filter, .keys = std::move(keys)});
  if (handle == nullptr) {
    return failed(BLOOMERY_CAPACITY, "memory", "expected room for a handle, found none");
  }
  *hasher = static_cast<bloomery_text_hasher*>(handle);
  return BLOOMERY_OK;
}

static_assert(static_cast<int>(TextPurpose::kAsk) == BLOOMERY_TO_ASK &&
              static_cast<int>(TextPurpose::kInsert) == BLOOMERY_TO_INSERT &&
              static_cast<int>(TextPurpose::kName) == BLOOMERY_TO_NAME);

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_text_hasher_open(const bloomery_filter* filter, int purpose, bloomery_text_hasher** hasher) {
  if (hasher == nullptr || purpose < BLOOMERY_TO_ASK || purpose > BLOOMERY_TO_NAME) {
    return failed_argument("bloomery_text_hasher",
                           "expected a purpose BLOOMERY_TO_... and a place for the handle");
  }
  *hasher = nullptr;
  return guarded([&] { return open_hasher(filter, purpose, hasher); });
}

int bloomery_text_hashes(bloomery_text_hasher* hasher, const char* const* texts, const size_t* lengths,
                         size_t parts, const bloomery_hash** hashes, size_t* count) {
  OpenHasher* open = Hashers::find(hasher);
  if (open == nullptr) {
    return failed_handle("bloomery_text_hasher");
  }
  if (texts == nullptr || lengths == nullptr || parts > BLOOMERY_VARIABLE_PARTS || hashes == nullptr ||
      count == nullptr) {
    return failed_argument("texts", "expected texts, their lengths and places for the hashes, found null");
  }
  return guarded([&]() -> int {
    const auto views = views_of_texts(texts, lengths, parts);
    if (!views) {
      return failed(views.error());
    }
    if (const Status made = open->keys.make(*views); !made) {
      return failed(made.error());
    }
    open->hashes.clear();
    for (const std::span<const std::byte> key : open->keys.keys()) {
      bloomery_hash hash = {};
      if (const int hashed = bloomery_filter_hash(open->filter, key.data(), key.size(), &hash); hashed < 0) {
        return hashed;
      }
      open->hashes.push_back(hash);
    }
    *hashes = open->hashes.data();
    *count = open->hashes.size();
    return BLOOMERY_OK;
  });
}

int bloomery_text_hasher_close(bloomery_text_hasher* hasher) {
  return hasher == nullptr || Hashers::close(hasher) ? static_cast<int>(BLOOMERY_OK)
                                                     : failed_handle("bloomery_text_hasher");
}

}  // extern "C"
