// The batch calls, for keys and for ready hashes. Both run `act(first, hashes)` on groups of hashes;
// `first` is the index of a group's first key.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "c_api/call.h"
#include "c_api/key_pieces.h"
#include "c_api/open_filter.h"

namespace bloomery::c_api {
namespace {

static_assert(sizeof(Hash128) == sizeof(bloomery_hash));
static_assert(alignof(Hash128) == alignof(bloomery_hash));

// The buffer for the answers of a batch call.
struct Answers {
  std::uint64_t* words;
  std::size_t room;

  // Returns the words for keys from number `first` on.
  std::span<std::uint64_t> from(std::size_t first) const {
    return std::span(words, room).subspan(first / 64);
  }
};

Status check_answers(const Answers& answers, std::size_t keys) {
  if (keys == 0 || (answers.words != nullptr && answers.room >= answer_words(keys))) {
    return {};
  }
  return Error::invalid_argument("answers", "expected room for " + std::to_string(answer_words(keys)) +
                                                " words, found " +
                                                std::to_string(answers.words == nullptr ? 0 : answers.room));
}

Status check_changes(const OpenFilter& open) {
  if (open.is_writable()) {
    return {};
  }
  return Error::invalid_argument("bloomery_filter",
                                 "expected a filter that may be changed, found one that is static, "
                                 "a read-only view, or finished");
}

Status check_removes(const OpenFilter& open) {
  BLOOMERY_RETURN_IF_ERROR(check_changes(open));
  return open.filter().can_remove()
             ? Status()
             : Status(Error::invalid_argument("bloomery_filter", "expected a type that removes keys, found " +
                                                                     open.filter().type_name()));
}

int full(std::uint64_t refused, std::uint64_t* out) {
  if (out != nullptr) {
    *out = refused;
  }
  if (refused == 0) {
    return BLOOMERY_OK;
  }
  return failed(BLOOMERY_FULL, "bloomery_filter",
                "expected room for every key, found none for " + std::to_string(refused));
}

// Hashes the keys and runs act(first, hashes) on each group.
template <typename Act>
Status for_keys(const OpenFilter& open, const bloomery_keys& keys, const Act& act) {
  if (!open.can_hash()) {
    return Error::invalid_argument("bloomery_keys",
                                   "expected a filter that can hash its keys, found one of ready "
                                   "hashes, or opened without its secret");
  }
  for_each_hashed_piece_of(keys, open.filter().hash_spec(), act);
  return {};
}

// GivenKeys hashes the keys of a call; GivenHashes passes a caller's ready hashes on.
struct GivenKeys {
  const bloomery_keys* keys;

  template <typename Act>
  Status run(const OpenFilter& open, const Answers* answers, const Act& act) const {
    BLOOMERY_ASSIGN_OR_RETURN(const bloomery_keys checked, checked_keys(keys));
    if (answers != nullptr) {
      BLOOMERY_RETURN_IF_ERROR(check_answers(*answers, checked.count));
    }
    return for_keys(open, checked, act);
  }
};
struct GivenHashes {
  const bloomery_hash* hashes;
  std::size_t count;

  template <typename Act>
  Status run(const OpenFilter&, const Answers* answers, const Act& act) const {
    if (hashes == nullptr && count > 0) {
      return Error::invalid_argument("hashes", "expected hashes, found null");
    }
    if (answers != nullptr) {
      BLOOMERY_RETURN_IF_ERROR(check_answers(*answers, count));
    }
    if (count > 0) {  // both structs are two 64-bit words, low and high
      act(std::size_t{0}, std::span(reinterpret_cast<const Hash128*>(hashes), count));
    }
    return {};
  }
};

template <typename Given>
int insert_all(bloomery_filter* filter, const Given& given, std::uint64_t* refused_out) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    std::uint64_t refused = 0;
    Status status = check_changes(*open);
    if (status) {
      status = given.run(*open, nullptr, [&](std::size_t, std::span<const Hash128> hashes) {
        refused += open->filter().insert_batch(hashes);
      });
      open->keys_came();
    }
    return status ? full(refused, refused_out) : failed(status.error());
  });
}

template <typename Given>
int ask_all(const bloomery_filter* filter, const Given& given, const Answers& answers) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    return result_of(given.run(*open, &answers, [&](std::size_t first, std::span<const Hash128> hashes) {
      open->filter().may_contain_batch(hashes, answers.from(first));
    }));
  });
}

template <typename Given>
int test_and_insert_all(bloomery_filter* filter, const Given& given, const Answers& answers,
                        std::uint64_t* refused_out) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    std::uint64_t refused = 0;
    Status status = check_changes(*open);
    if (status) {
      status = given.run(*open, &answers, [&](std::size_t first, std::span<const Hash128> hashes) {
        refused += open->filter().test_and_insert_batch(hashes, answers.from(first));
      });
      open->keys_came();
    }
    return status ? full(refused, refused_out) : failed(status.error());
  });
}

template <typename Given>
int remove_all(bloomery_filter* filter, const Given& given, const Answers& answers) {
  OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    const Status removes = check_removes(*open);
    return result_of(
        !removes ? removes
                 : given.run(*open, &answers, [&](std::size_t first, std::span<const Hash128> hashes) {
                     open->filter().remove_batch(hashes, answers.from(first));
                   }));
  });
}

}  // namespace
}  // namespace bloomery::c_api

using namespace bloomery;         // NOLINT(google-build-using-namespace): C names have no namespace
using namespace bloomery::c_api;  // NOLINT(google-build-using-namespace)

extern "C" {

int bloomery_filter_insert_batch(bloomery_filter* filter, const bloomery_keys* keys, uint64_t* refused) {
  return insert_all(filter, GivenKeys{keys}, refused);
}
int bloomery_filter_may_contain_batch(const bloomery_filter* filter, const bloomery_keys* keys,
                                      uint64_t* answers, size_t words) {
  return ask_all(filter, GivenKeys{keys}, {answers, words});
}
int bloomery_filter_test_and_insert_batch(bloomery_filter* filter, const bloomery_keys* keys,
                                          uint64_t* answers, size_t words, uint64_t* refused) {
  return test_and_insert_all(filter, GivenKeys{keys}, {answers, words}, refused);
}
int bloomery_filter_remove_batch(bloomery_filter* filter, const bloomery_keys* keys, uint64_t* answers,
                                 size_t words) {
  return remove_all(filter, GivenKeys{keys}, {answers, words});
}

int bloomery_filter_hash_batch(const bloomery_filter* filter, const bloomery_keys* keys,
                               bloomery_hash* hashes, size_t room) {
  const OpenFilter* open = Filters::find(filter);
  if (open == nullptr) {
    return failed_handle("bloomery_filter");
  }
  return guarded([&] {
    const Result<bloomery_keys> checked = checked_keys(keys);
    if (!checked) {
      return failed(checked.error());
    }
    if (checked->count > 0 && (hashes == nullptr || room < checked->count)) {
      return failed_argument("hashes", "expected room for " + std::to_string(checked->count) + ", found " +
                                           std::to_string(hashes == nullptr ? 0 : room));
    }
    return result_of(for_keys(*open, *checked, [&](std::size_t first, std::span<const Hash128> made) {
      std::ranges::transform(made, hashes + first, [](const Hash128& hash) {
        return bloomery_hash{hash.low, hash.high};
      });
    }));
  });
}

int bloomery_filter_insert_hashes(bloomery_filter* filter, const bloomery_hash* hashes, size_t count,
                                  uint64_t* refused) {
  return insert_all(filter, GivenHashes{hashes, count}, refused);
}
int bloomery_filter_may_contain_hashes(const bloomery_filter* filter, const bloomery_hash* hashes,
                                       size_t count, uint64_t* answers, size_t words) {
  return ask_all(filter, GivenHashes{hashes, count}, {answers, words});
}
int bloomery_filter_test_and_insert_hashes(bloomery_filter* filter, const bloomery_hash* hashes, size_t count,
                                           uint64_t* answers, size_t words, uint64_t* refused) {
  return test_and_insert_all(filter, GivenHashes{hashes, count}, {answers, words}, refused);
}
int bloomery_filter_remove_hashes(bloomery_filter* filter, const bloomery_hash* hashes, size_t count,
                                  uint64_t* answers, size_t words) {
  return remove_all(filter, GivenHashes{hashes, count}, {answers, words});
}

}  // extern "C"
