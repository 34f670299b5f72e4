#include "python/shared_filter.h"

#include <algorithm>
#include <pthread.h>
#include <utility>
#include <variant>

#include "bloomery/filter/block_list.h"
#include "python/key_bytes.h"
#include "python/python_error.h"

namespace py = pybind11;

namespace bloomery::python {
namespace {

TextPurpose purpose_of(Act act) {
  if (act == Act::kAsk) {
    return TextPurpose::kAsk;
  }
  return act == Act::kInsert || act == Act::kTestAndInsert ? TextPurpose::kInsert : TextPurpose::kName;
}

}  // namespace

std::uint64_t forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks_so_far; });
  static_cast<void>(registered);
  return forks_so_far;
}

SharedFilter::SharedFilter(AnyFilter filter, std::string watched_path)
    : filter_(std::make_unique<AnyFilter>(std::move(filter))),
      hasher_(filter_->hash_spec(), filter_->key_treatment()),
      watched_path_(std::move(watched_path)),
      forks_(forks()) {
  const FilterType type = filter_->type();
  is_list_ = is_block_list(filter_->key_treatment().form);
  nature_ = {.hash = filter_->hash_spec(),
             .treatment = filter_->key_treatment(),
             .type_name = filter_->type_name(),
             .is_static = filter_->is_static(),
             .is_writable = filter_->is_writable(),
             .knows_secret = knows_its_secret(filter_->native()),
             .changes_alone = type == FilterType::kQuotient || type == FilterType::kExact || is_list_};
  if (!is_list_ && nature_.knows_secret) {
    acts_at_hand_ = bit_of(Act::kAsk);
    if (nature_.is_writable && !nature_.is_static) {
      acts_at_hand_ |= bit_of(Act::kInsert) | bit_of(Act::kTestAndInsert);
    }
  }
}

SharedFilter::~SharedFilter() {
  static_cast<void>(finish_update());
}

bool SharedFilter::is_of_this_process() const {
  return !update_ || update_->forks == forks();
}

AnyFilter& SharedFilter::filter() {
  check_fork();
  if (!filter_) {
    throw py::value_error("expected an open filter, found it closed");
  }
  return *filter_;
}

void SharedFilter::check_fork() {
  if (!is_of_this_process()) {
    throw py::value_error("expected the process that opened the filter for an update, found a child of it");
  }
  if (forks_ != forks()) {
    forks_ = forks();
    is_torn_ = busy_ > 0;
    acts_at_hand_ = is_torn_ ? 0 : acts_at_hand_;
  }
  if (is_torn_) {
    throw py::value_error("expected a filter that no other thread was using at the fork, found one in use");
  }
}

void SharedFilter::check_file() {
  if (watched_path_.empty()) {
    return;
  }
  const Status status = reading([](const AnyFilter& open) { return open.native().file_status(); });
  if (!status) {
    raise(status.error().in_file(watched_path_));
  }
}

void SharedFilter::close() {
  if (is_of_this_process()) {
    check_fork();
  }
  if (busy_ > 0 || in_calls_ > 0) {
    throw py::value_error("expected a filter that no other call is using, found one in use");
  }
  const Status finished = finish_update();
  acts_at_hand_ = 0;
  filter_.reset();
  update_.reset();
  check(finished);
}

void SharedFilter::check_writable() {
  static_cast<void>(filter());
  if (!nature_.is_writable) {
    throw py::value_error("expected a filter that may be changed, found a read-only view");
  }
}

void SharedFilter::check_act(Act act) {
  check_ready_act(act);
  if (!nature_.knows_secret) {
    throw py::value_error(
        "expected a filter that can hash its keys, found one of ready hashes or without its secret");
  }
}

void SharedFilter::check_ready_act(Act act) {
  static_cast<void>(filter());
  if (act == Act::kAsk || act == Act::kName) {
    return;
  }
  check_writable();
  if (nature_.is_static) {
    throw py::value_error(
        "expected a filter that may be changed, found a ribbon or a fuse filter, which never changes");
  }
}

void SharedFilter::read_levels() {
  for (std::unique_ptr<TextKeys>& texts : texts_) {
    texts.reset();
  }
}

// Appends the hashes of an entry of a block list, or those that a query for a text needs.
void SharedFilter::append_entry(std::string_view text, Act act, std::vector<Hash128>& hashes) {
  std::unique_ptr<TextKeys>& texts = texts_[static_cast<std::size_t>(purpose_of(act))];
  if (!texts) {
    texts = std::make_unique<TextKeys>(nature_.treatment, purpose_of(act));
    texts->ask_at(reading([](const AnyFilter& open) { return levels_of(open); }));
  }
  check(texts->make({&text, 1}));
  for (const std::span<const std::byte> made : texts->keys()) {
    hashes.push_back(hash_bytes(made, nature_.hash));
  }
}

std::span<const Hash128> SharedFilter::hashes_of(PyObject* key, Act act, KeyHashes& room) {
  if (!is_list_) {
    room.one = hasher_.hash_of(key);
    return {&room.one, 1};
  }
  if (!PyUnicode_Check(key)) {
    throw py::type_error("expected a str, since the keys are the entries of a block list, found " +
                         std::string(Py_TYPE(key)->tp_name));
  }
  append_entry(text_of(key), act, room.several);
  return room.several;
}

// ---- One key ----

bool SharedFilter::ask(PyObject* key) {
  if (is_at_hand(Act::kAsk) && ObjectHasher::is_inert(key)) {
    const Hash128 hash = hasher_.hash_of(key);
    const auto* const blocked = std::get_if<BlockedBloomFilter>(&filter_->variant());
    const bool may_be_in = blocked != nullptr ? blocked->may_contain(hash) : filter_->may_contain(hash);
    if (!may_be_in && !watched_path_.empty()) {
      check_file();
    }
    return may_be_in;
  }
  check_act(Act::kAsk);
  const InCall in_call(*this, Act::kAsk);
  KeyHashes room;
  const std::span<const Hash128> hashes = hashes_of(key, Act::kAsk, room);
  const bool maybe = guarded(Act::kAsk, [&](Sharing) {
    return std::ranges::any_of(hashes, [this](const Hash128& hash) { return filter_->may_contain(hash); });
  });
  if (!maybe) {
    check_file();
  }
  return maybe;
}

void SharedFilter::insert(PyObject* key) {
  if (is_at_hand(Act::kInsert) && ObjectHasher::is_inert(key)) {
    const Hash128 hash = hasher_.hash_of(key);
    auto* const blocked = std::get_if<BlockedBloomFilter>(&filter_->variant());
    if ((blocked != nullptr ? blocked->insert_batch({&hash, 1}, Sharing::kExclusive)
                            : filter_->insert_batch({&hash, 1}, Sharing::kExclusive)) != 0) {
      raise_full(1);
    }
    return;
  }
  check_act(Act::kInsert);
  const InCall in_call(*this, Act::kInsert);
  KeyHashes room;
  const std::span<const Hash128> hashes = hashes_of(key, Act::kInsert, room);
  const bool in = guarded(Act::kInsert, [&](Sharing sharing) {
    return std::ranges::all_of(hashes, [&](const Hash128& hash) {
      return filter_->insert_batch({&hash, 1}, sharing) == 0;
    });
  });
  if (!in) {
    raise_full(1);
  }
}

bool SharedFilter::test_and_insert(PyObject* key) {
  if (is_at_hand(Act::kTestAndInsert) && ObjectHasher::is_inert(key)) {
    const Hash128 hash = hasher_.hash_of(key);
    std::uint64_t was_absent = 0;
    if (filter_->test_and_insert_batch({&hash, 1}, {&was_absent, 1}, Sharing::kExclusive) != 0) {
      raise_full(1);
    }
    check_file();
    return was_absent != 0;
  }
  check_act(Act::kTestAndInsert);
  const InCall in_call(*this, Act::kTestAndInsert);
  KeyHashes room;
  const std::span<const Hash128> hashes = hashes_of(key, Act::kTestAndInsert, room);
  std::uint64_t refused = 0;
  std::uint64_t is_new = 0;
  guarded(Act::kTestAndInsert, [&](Sharing sharing) {
    for (const Hash128& hash : hashes) {  // the last hash is the key's, the others belong to levels
      refused += filter_->test_and_insert_batch({&hash, 1}, {&is_new, 1}, sharing);
    }
    return 0;
  });
  if (refused > 0) {
    raise_full(1);
  }
  check_file();
  return is_new != 0;
}

void SharedFilter::refuse_removal() const {
  throw py::value_error("expected a type that removes and counts keys (counting, quotient), found " +
                        nature_.type_name);
}

bool SharedFilter::remove(PyObject* key) {
  check_act(Act::kRemove);
  const InCall in_call(*this, Act::kRemove);
  KeyHashes room;
  const Hash128 hash = hashes_of(key, Act::kRemove, room).back();
  const auto removed = guarded(Act::kRemove, [&](Sharing) {
    return filter_->can_remove() ? std::optional(filter_->remove(hash)) : std::nullopt;
  });
  if (!removed) {
    refuse_removal();
  }
  check_file();
  return *removed;
}

std::optional<std::uint64_t> SharedFilter::count_at_most(PyObject* key) {
  check_act(Act::kName);
  const InCall in_call(*this, Act::kName);
  KeyHashes room;
  const Hash128 hash = hashes_of(key, Act::kName, room).back();
  bool counts = false;
  const auto count = guarded(Act::kAsk, [&](Sharing) -> std::optional<std::uint64_t> {
    counts = filter_->can_remove();
    return counts ? filter_->count_at_most(hash) : std::nullopt;
  });
  if (!counts) {
    refuse_removal();
  }
  check_file();
  return count;
}

}  // namespace bloomery::python
