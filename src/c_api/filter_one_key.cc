// The calls for one key. Each checks the handle and the key, and calls the filter. A query of the default
// type runs the same inline code as in a C++ program.
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "bloomery/hash/key_writer.h"
#include "c_api/call.h"
#include "c_api/open_filter.h"

namespace bloomery::c_api {
namespace {

// Returns the error of a refused call for a key. It is not inline, since calls that succeed never run it.
[[gnu::cold, gnu::noinline]] int refused_key(const OpenFilter* open, bool has_key) {
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  if (!has_key) {
    return failed_argument("key", "expected bytes, found null");
  }
  return failed_argument("key", open->filter().hash_spec().id == HashId::kReadyDigest
                                    ? "expected a hash, since the filter takes ready hashes; found bytes"
                                    : "expected the filter's secret, found it opened without");
}
[[gnu::cold, gnu::noinline]] int refused_key_change(const OpenFilter* open) {
  if (open->filter().is_static()) {
    return failed_argument(
        "bloomery_filter",
        "expected a filter that takes keys, found a static one, a ribbon or a fuse filter");
  }
  return failed_argument("bloomery_filter",
                         "expected a filter that may be changed, found a read-only view or one "
                         "whose update is finished");
}
[[gnu::cold, gnu::noinline]] int refused_full() {
  return failed(BLOOMERY_FULL, "bloomery_filter", "expected room for the key, found the filter full");
}
[[gnu::cold, gnu::noinline]] int refused_removal(const OpenFilter& open) {
  return failed_argument("bloomery_filter",
                         "expected a type that removes and counts keys, found " + open.filter().type_name());
}

// True if a key is a ready hash, not bytes or an integer.
template <typename Key>
constexpr bool kIsHash = std::is_same_v<Key, Hash128>;

template <typename Key>
int ask(const bloomery_filter* filter, const Key& key, bool has_key) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr || !has_key || (!kIsHash<Key> && !open->can_hash())) [[unlikely]] {
    return refused_key(open, has_key);
  }
  return guarded([&] {
    if (const auto* blocked = std::get_if<BlockedBloomFilter>(&open->filter().variant())) {
      return blocked->may_contain(key) ? 1 : 0;
    }
    return open->filter().may_contain(key) ? 1 : 0;
  });
}

// Runs `change` on a filter that is writable.
template <typename Key, typename Change>
int changed(bloomery_filter* filter, const Key& /*key*/, bool has_key, const Change& change) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr || !has_key || (!kIsHash<Key> && !open->can_hash())) [[unlikely]] {
    return refused_key(open, has_key);
  }
  if (!open->is_writable()) [[unlikely]] {
    return refused_key_change(open);
  }
  return guarded([&] { return change(*open); });
}

template <typename Key>
int insert(bloomery_filter* filter, const Key& key, bool has_key) {
  return changed(filter, key, has_key, [&key](OpenFilter& open) {
    bool in = true;
    if (auto* blocked = std::get_if<BlockedBloomFilter>(&open.filter().variant())) {
      in = blocked->insert(key);
    } else {
      in = open.filter().insert(key);
    }
    open.keys_came();
    return in ? static_cast<int>(BLOOMERY_OK) : refused_full();
  });
}

template <typename Key>
int test_and_insert(bloomery_filter* filter, const Key& key, bool has_key) {
  return changed(filter, key, has_key, [&key](OpenFilter& open) {
    const TestedInsert tested = open.filter().test_and_insert(key);
    open.keys_came();
    if (tested.refused) {
      return refused_full();
    }
    return tested.is_new ? 1 : 0;
  });
}

template <typename Key>
int remove(bloomery_filter* filter, const Key& key, bool has_key) {
  return changed(filter, key, has_key, [&key](OpenFilter& open) {
    if (!open.filter().can_remove()) {
      return refused_removal(open);
    }
    return open.filter().remove(key) ? 1 : 0;
  });
}

template <typename Key>
int count_at_most(const bloomery_filter* filter, const Key& key, bool has_key, std::uint64_t* count) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr || !has_key || (!kIsHash<Key> && !open->can_hash())) {
    return refused_key(open, has_key);
  }
  if (count == nullptr) {
    return failed_argument("count", "expected a place for it, found null");
  }
  if (!open->filter().can_remove()) {
    return refused_removal(*open);
  }
  return guarded([&] {
    const std::optional<std::uint64_t> found = open->filter().count_at_most(key);
    *count = found.value_or(~std::uint64_t{0});
    return found ? 1 : 0;
  });
}

Hash128 hash_from(bloomery_hash hash) {
  return {.low = hash.low, .high = hash.high};
}

// Returns views of the texts of a key. Errors: kInvalidArgument.
Result<std::vector<std::string_view>> texts_of(const char* const* texts, const std::size_t* lengths,
                                               std::size_t parts) {
  if (texts == nullptr || lengths == nullptr || parts == 0 || parts > BLOOMERY_VARIABLE_PARTS) {
    return Error::invalid_argument("texts", "expected 1 to 65535 texts and their lengths, found none");
  }
  std::vector<std::string_view> views;
  for (std::size_t i = 0; i < parts; ++i) {
    if (!is_key(texts[i], lengths[i])) {
      return Error::invalid_argument("texts", "expected text number " + std::to_string(i) + ", found null");
    }
    views.push_back(view_of(texts[i], lengths[i]));
  }
  return views;
}

// Calls use(texts) with the texts of a key.
template <typename Use>
int with_texts(const char* const* texts, const std::size_t* lengths, std::size_t parts, const Use& use) {
  return guarded([&] {
    const Result<std::vector<std::string_view>> views = texts_of(texts, lengths, parts);
    return views ? use(*views) : failed(views.error());
  });
}

int ask_list(const BlockList& list, const std::vector<std::string_view>& texts) {
  if (texts.size() != 1) {
    return failed_argument("texts", "expected one text for a block list, found several");
  }
  const Result<bool> answer = list.may_contain(texts.front());
  if (!answer) {
    return failed(answer.error());
  }
  return *answer ? 1 : 0;
}

int insert_into_list(BlockList& list, const std::vector<std::string_view>& texts) {
  if (texts.size() != 1) {
    return failed_argument("texts", "expected one text for a block list, found several");
  }
  const Result<bool> in = list.insert(texts.front());
  if (!in) {
    return failed(in.error());
  }
  return *in ? static_cast<int>(BLOOMERY_OK) : refused_full();
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_filter_insert(bloomery_filter* filter, const void* key, size_t length) {
  return insert(filter, view_of(key, length), is_key(key, length));
}
int bloomery_filter_may_contain(const bloomery_filter* filter, const void* key, size_t length) {
  return ask(filter, view_of(key, length), is_key(key, length));
}
int bloomery_filter_test_and_insert(bloomery_filter* filter, const void* key, size_t length) {
  return test_and_insert(filter, view_of(key, length), is_key(key, length));
}
int bloomery_filter_remove(bloomery_filter* filter, const void* key, size_t length) {
  return c_api::remove(filter, view_of(key, length), is_key(key, length));
}
int bloomery_filter_count_at_most(const bloomery_filter* filter, const void* key, size_t length,
                                  uint64_t* count) {
  return count_at_most(filter, view_of(key, length), is_key(key, length), count);
}

int bloomery_filter_insert_int64(bloomery_filter* filter, int64_t key) {
  return insert(filter, key, true);
}
int bloomery_filter_may_contain_int64(const bloomery_filter* filter, int64_t key) {
  return ask(filter, key, true);
}
int bloomery_filter_test_and_insert_int64(bloomery_filter* filter, int64_t key) {
  return test_and_insert(filter, key, true);
}
int bloomery_filter_remove_int64(bloomery_filter* filter, int64_t key) {
  return c_api::remove(filter, key, true);
}

int bloomery_filter_insert_hash(bloomery_filter* filter, bloomery_hash hash) {
  return insert(filter, hash_from(hash), true);
}
int bloomery_filter_may_contain_hash(const bloomery_filter* filter, bloomery_hash hash) {
  return ask(filter, hash_from(hash), true);
}
int bloomery_filter_test_and_insert_hash(bloomery_filter* filter, bloomery_hash hash) {
  return test_and_insert(filter, hash_from(hash), true);
}
int bloomery_filter_remove_hash(bloomery_filter* filter, bloomery_hash hash) {
  return c_api::remove(filter, hash_from(hash), true);
}
int bloomery_filter_count_at_most_hash(const bloomery_filter* filter, bloomery_hash hash, uint64_t* count) {
  return count_at_most(filter, hash_from(hash), true, count);
}

int bloomery_filter_hash(const bloomery_filter* filter, const void* key, size_t length, bloomery_hash* hash) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr || !is_key(key, length) || !open->can_hash()) {
    return refused_key(open, is_key(key, length));
  }
  if (hash == nullptr) {
    return failed_argument("hash", "expected a place for it, found null");
  }
  const Hash128 made = open->filter().hash(view_of(key, length));
  *hash = {made.low, made.high};
  return BLOOMERY_OK;
}

int bloomery_filter_hash_text(const bloomery_filter* filter, const char* const* texts, const size_t* lengths,
                              size_t parts, bloomery_hash* hash) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  if (hash == nullptr) {
    return failed_argument("hash", "expected a place for it, found null");
  }
  return with_texts(texts, lengths, parts, [&](const std::vector<std::string_view>& views) {
    const Result<Hash128> made = open->filter().key_of(views);
    if (!made) {
      return failed(made.error());
    }
    *hash = {made->low, made->high};
    return static_cast<int>(BLOOMERY_OK);
  });
}

int bloomery_filter_insert_text(bloomery_filter* filter, const char* const* texts, const size_t* lengths,
                                size_t parts) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  if (!open->is_writable()) {
    return refused_key_change(open);
  }
  return with_texts(texts, lengths, parts, [&](const std::vector<std::string_view>& views) {
    if (open->list() != nullptr) {
      return insert_into_list(*open->list(), views);
    }
    const Result<Hash128> made = open->filter().key_of(views);
    return made ? insert(filter, *made, true) : failed(made.error());
  });
}

int bloomery_filter_may_contain_text(const bloomery_filter* filter, const char* const* texts,
                                     const size_t* lengths, size_t parts) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return with_texts(texts, lengths, parts, [&](const std::vector<std::string_view>& views) {
    if (open->list() != nullptr) {
      return ask_list(*open->list(), views);
    }
    const Result<Hash128> made = open->filter().key_of(views);
    return made ? ask(filter, *made, true) : failed(made.error());
  });
}

}  // extern "C"
