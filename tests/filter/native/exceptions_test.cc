// Exceptions of filters of every type: each is answered no, no member is, and who becomes a member is in.
#include "bloomery/filter/exceptions.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/filter/any_filter.h"
#include "filter/native/native_file.h"
#include "tests/base/test_folder.h"
#include "tests/filter/native/native_bytes.h"
#include "tests/filter/test_keys.h"

namespace bloomery {
namespace {

constexpr std::size_t kBuiltMembers = 5000;
constexpr std::size_t kWhite = 5000;
constexpr double kExceptionsFpp = 0.05;

// How a filter of some type is made of hashes.
struct Bloom {
  using Filter = BloomFilter;
  static Filter made(std::uint64_t capacity, const FilterOptions& options = {}) {
    return *BloomFilter::for_capacity(capacity, kExceptionsFpp, options);
  }
  static Filter of(const Hashes& members, const FilterOptions& options = {}) {
    Filter filter = made(members.size(), options);
    filter.insert_batch(members);
    return filter;
  }
};

template <BlockedSetting setting>
struct Blocked {
  using Filter = BlockedBloomFilter;
  static Filter made(std::uint64_t capacity, FilterOptions options = {}) {
    options.setting = setting;
    return *BlockedBloomFilter::for_capacity(capacity, kExceptionsFpp, options);
  }
  static Filter of(const Hashes& members, const FilterOptions& options = {}) {
    Filter filter = made(members.size(), options);
    filter.insert_batch(members);
    return filter;
  }
};

struct Windowed {
  using Filter = WindowedFilter;
  static Filter made(std::uint64_t capacity, FilterOptions options = {}) {
    options.window = Window::keys(capacity);
    return *WindowedFilter::for_capacity(capacity, kExceptionsFpp, options);
  }
  static Filter of(const Hashes& members, const FilterOptions& options = {}) {
    Filter filter = made(members.size(), options);
    filter.insert_batch(members);
    return filter;
  }
};

struct Fuse {
  using Filter = FuseFilter;
  static FuseFilter of(std::span<const Hash128> members, const FilterOptions& options = {}) {
    return *FuseFilter::build_from_hashes(members, kExceptionsFpp, options);
  }
};

struct Ribbon {
  using Filter = RibbonFilter;
  static Filter of(const Hashes& members, const FilterOptions& options = {}) {
    return *RibbonFilter::build_from_hashes(members, kExceptionsFpp, options);
  }
};

template <typename Kind>
struct Any {
  using Filter = AnyFilter;
  static Filter of(const Hashes& members, const FilterOptions& options = {}) {
    return Kind::of(members, options);
  }
};

const NativeFilter& native(const NativeFilter& filter) {
  return filter;
}
const NativeFilter& native(const AnyFilter& filter) {
  return filter.native();
}

// Those of `hashes` that the filter answers maybe to when asked one by one.
template <typename Filter>
Hashes matching_singly(const Filter& filter, const Hashes& hashes) {
  Hashes matching;
  std::ranges::copy_if(hashes, std::back_inserter(matching),
                       [&](const Hash128& hash) { return filter.may_contain(hash); });
  return matching;
}

template <typename Kind>
class Exceptions : public ::testing::Test {
 protected:
  Hashes members_ = numbered_hashes(0, kBuiltMembers);
  Hashes white_ = numbered_hashes(kWhiteKeys, kWhite);

  void expect_right_answers(const typename Kind::Filter& filter) const {
    EXPECT_EQ(maybes(filter, white_), 0u);
    EXPECT_EQ(matching_singly(filter, white_).size(), 0u);
    EXPECT_EQ(maybes(filter, members_), kBuiltMembers);
    EXPECT_EQ(matching_singly(filter, members_).size(), kBuiltMembers);
  }
};
using AllKinds = ::testing::Types<Bloom, Blocked<BlockedSetting::kFast>, Blocked<BlockedSetting::kDense>,
                                  Ribbon, Fuse, Any<Bloom>, Any<Blocked<BlockedSetting::kFast>>,
                                  Any<Blocked<BlockedSetting::kDense>>, Any<Ribbon>>;
TYPED_TEST_SUITE(Exceptions, AllKinds);

// Every key of the set is denied, only those that matched take an entry, and nobody else's answer changes.
TYPED_TEST(Exceptions, DenyEveryKeyGivenAndNobodyElse) {
  auto filter = TypeParam::of(this->members_);
  const Hashes matching = matching_singly(filter, this->white_);
  const Hashes others = numbered_hashes(kAbsentKeys, 100'000);
  const Hashes before = matching_singly(filter, others);
  EXPECT_GT(matching.size(), kExceptionsFpp * kWhite / 2);
  const Result<std::uint64_t> added = add_exceptions(filter, this->white_);
  ASSERT_TRUE(added) << added.error().to_string();
  EXPECT_EQ(*added, matching.size());
  EXPECT_EQ(native(filter).exception_count(), matching.size());
  this->expect_right_answers(filter);
  EXPECT_EQ(matching_singly(filter, others), before);
  EXPECT_EQ(maybes(filter, others), before.size());
  EXPECT_EQ(*add_exceptions(filter, this->white_), 0u);  // none matches any more
  EXPECT_EQ(native(filter).exception_count(), matching.size());
}

TYPED_TEST(Exceptions, NeitherOrderNorRepeatsShowInTheBytes) {
  auto once = TypeParam::of(this->members_);
  auto in_pieces = TypeParam::of(this->members_);
  ASSERT_TRUE(add_exceptions(once, this->white_));
  Hashes reversed(this->white_.rbegin(), this->white_.rend());
  reversed.insert(reversed.end(), this->white_.begin(), this->white_.begin() + 1000);
  for (const std::size_t first : {std::size_t{0}, std::size_t{1000}, std::size_t{1001}}) {
    const std::size_t count = first == 0 ? 1000 : first == 1000 ? 1 : reversed.size() - first;
    ASSERT_TRUE(add_exceptions(in_pieces, std::span<const Hash128>(reversed).subspan(first, count)));
  }
  EXPECT_TRUE(serialized(native(in_pieces)) == serialized(native(once)));
  EXPECT_EQ(native(once).file_bytes(), serialized(native(once)).size());
}

TYPED_TEST(Exceptions, NoneLeaveTheFileAsItWas) {
  auto filter = TypeParam::of(this->members_);
  const std::string before = serialized(native(filter));
  ASSERT_TRUE(add_exceptions(filter, {}));
  EXPECT_TRUE(serialized(native(filter)) == before);
}

TYPED_TEST(Exceptions, AFileAnswersAlikeHoweverItIsOpened) {
  using Filter = typename TypeParam::Filter;
  const TestFolder folder;
  auto filter = TypeParam::of(this->members_);
  ASSERT_TRUE(add_exceptions(filter, this->white_));
  const std::string bytes = serialized(native(filter));
  ASSERT_TRUE(native(filter).save(folder.path("f")));
  EXPECT_TRUE(folder.read("f") == bytes);
  for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked}) {
    for (const Verify verify : {Verify::kChecksums, Verify::kHeaderOnly}) {
      const Result<Filter> opened = Filter::open(folder.path("f"), {.access = access, .verify = verify});
      ASSERT_TRUE(opened) << opened.error().to_string();
      this->expect_right_answers(*opened);
      EXPECT_TRUE(serialized(native(*opened)) == bytes);
      EXPECT_EQ(native(*opened).exception_count(), native(filter).exception_count());
    }
  }
}

TYPED_TEST(Exceptions, BytesInMemoryAnswerAlike) {
  using Filter = typename TypeParam::Filter;
  auto filter = TypeParam::of(this->members_);
  ASSERT_TRUE(add_exceptions(filter, this->white_));
  const std::string bytes = serialized(native(filter));
  const FileBytes aligned(bytes);
  const FileBytes shifted("x" + bytes);
  const Result<Filter> viewed = Filter::view(aligned.span());
  ASSERT_TRUE(viewed) << viewed.error().to_string();
  this->expect_right_answers(*viewed);
  EXPECT_TRUE(serialized(native(*viewed)) == bytes);
  EXPECT_EQ(Filter::view(shifted.span().subspan(1)).error().code(), ErrorCode::kInvalidArgument);
  const Result<Filter> copied = Filter::view(shifted.span().subspan(1), {.access = Access::kCopy});
  ASSERT_TRUE(copied) << copied.error().to_string();
  this->expect_right_answers(*copied);
  EXPECT_TRUE(serialized(native(*copied)) == bytes);
}

// What is opened can be given more of them, whatever it lies on, and is saved over itself under its lock.
TYPED_TEST(Exceptions, AreAddedToWhatWasOpened) {
  using Filter = typename TypeParam::Filter;
  const TestFolder folder;
  auto whole = TypeParam::of(this->members_);
  ASSERT_TRUE(add_exceptions(whole, this->white_));
  auto half = TypeParam::of(this->members_);
  ASSERT_TRUE(add_exceptions(half, std::span<const Hash128>(this->white_).first(kWhite / 2)));
  for (const Access access : {Access::kMap, Access::kCopy, Access::kMapLocked}) {
    std::filesystem::remove(folder.path("f"));  // a save over the last one would undo it
    ASSERT_TRUE(native(half).save(folder.path("f")));
    Result<Filter> opened = Filter::open(folder.path("f"), {.access = access});
    ASSERT_TRUE(opened) << opened.error().to_string();
    ASSERT_TRUE(add_exceptions(*opened, this->white_));
    ASSERT_TRUE(native(*opened).save(folder.path("f"), {.replace = true}));
    EXPECT_TRUE(folder.read("f") == serialized(native(whole)));
  }
}

TYPED_TEST(Exceptions, OfAKeyedFilterNeedItsSecretToBeFoundAndNotToBeCopied) {
  using Filter = typename TypeParam::Filter;
  const HashSecret secret = {.bytes = {1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 7, 6, 5}};
  const FilterOptions options{.hash = keyed_hash(secret), .keys = {}};
  const auto hashed = [&options](const char* prefix) {
    Hashes hashes;
    for (std::size_t i = 0; i < kBuiltMembers; ++i) {
      hashes.push_back(hash_key(prefix + std::to_string(i), options.hash));
    }
    return hashes;
  };
  this->members_ = hashed("black ");
  this->white_ = hashed("white ");
  auto filter = TypeParam::of(this->members_, options);
  ASSERT_TRUE(add_exceptions(filter, this->white_));
  EXPECT_GT(native(filter).exception_count(), 0u);
  this->expect_right_answers(filter);
  const FileBytes bytes(serialized(native(filter)));
  EXPECT_FALSE(Filter::view(bytes.span()));
  const Result<Filter> opened = Filter::view(bytes.span(), {.secret = &secret});
  ASSERT_TRUE(opened) << opened.error().to_string();
  this->expect_right_answers(*opened);
  const Result<Filter> copied = Filter::view(bytes.span(), {.without_secret = true});
  ASSERT_TRUE(copied) << copied.error().to_string();
  EXPECT_TRUE(serialized(native(*copied)) == serialized(native(filter)));
}

// Of a ready digest the filter knows 64 bits, which others may share.
TYPED_TEST(Exceptions, OfReadyDigestsAreRefused) {
  auto filter = TypeParam::of(this->members_, {.hash = {.id = HashId::kReadyDigest}, .keys = {}});
  const Result<std::uint64_t> added = add_exceptions(filter, this->white_);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(added.error().detail().find("ready digests"), std::string::npos) << added.error().to_string();
  EXPECT_EQ(native(filter).exception_count(), 0u);
}

// Filters that take keys: a member is in, whatever was said of it before.
template <typename Kind>
class Withdrawn : public Exceptions<Kind> {
 protected:
  using Filter = typename Kind::Filter;

  TestFolder folder_;
  Filter filter_ = Kind::of(this->members_);
  Hashes denied_ = matching_singly(filter_, this->white_);

  void SetUp() override {
    ASSERT_GT(denied_.size(), 100u);
    ASSERT_TRUE(add_exceptions(filter_, this->white_));
  }
  std::string path() const { return folder_.path("f"); }
  Filter opened(const OpenOptions& options) const {
    Result<Filter> filter = Filter::open(path(), options);
    EXPECT_TRUE(filter) << filter.error().to_string();
    return std::move(*filter);
  }
  Filter opened_to_update() const { return opened({.access = Access::kUpdateInPlace}); }
  // Inserts some of denied_, from `first` on, where the file is.
  void update(std::size_t first, std::size_t count) const {
    Filter filter = opened_to_update();
    filter.insert_batch(std::span<const Hash128>(denied_).subspan(first, count));
    EXPECT_EQ(filter.withdrawn_exceptions(), count);
    const Status finished = filter.finish_update();
    EXPECT_TRUE(finished) << finished.error().to_string();
  }
  // The first `in` of denied_ are in, the others are not.
  void expect_in(const Filter& filter, std::size_t in) const {
    EXPECT_EQ(maybes(filter, std::span(denied_).first(in)), in);
    EXPECT_EQ(maybes(filter, std::span(denied_).subspan(in)), 0u);
    EXPECT_EQ(maybes(filter, this->members_), kBuiltMembers);
    EXPECT_EQ(filter.exception_count(), denied_.size() - in);
  }
};
using GrowingKinds =
    ::testing::Types<Bloom, Blocked<BlockedSetting::kFast>, Blocked<BlockedSetting::kDense>, Windowed>;
TYPED_TEST_SUITE(Withdrawn, GrowingKinds);

// Each way to insert: the first time is new and counted, the second is neither.
TYPED_TEST(Withdrawn, ByEveryKindOfInsert) {
  auto& filter = this->filter_;
  const Hashes& denied = this->denied_;
  filter.insert(denied[0]);
  filter.insert(denied[0]);
  EXPECT_EQ(filter.withdrawn_exceptions(), 1u);
  const Hashes batch = {denied[1], denied[2], denied[1], this->members_[0]};
  filter.insert_batch(batch);
  filter.insert_batch(batch, Sharing::kExclusive);
  EXPECT_EQ(filter.withdrawn_exceptions(), 3u);
  EXPECT_TRUE(filter.test_and_insert(denied[3]));
  EXPECT_FALSE(filter.test_and_insert(denied[3]));
  EXPECT_FALSE(filter.test_and_insert(denied[0]));
  EXPECT_EQ(filter.withdrawn_exceptions(), 4u);
  const Hashes tested = {denied[3], denied[4], this->members_[0], denied[5], denied[4]};
  std::uint64_t is_new = 0;
  filter.test_and_insert_batch(tested, {&is_new, 1});
  EXPECT_EQ(is_new, 0b01010u);
  filter.test_and_insert_batch(tested, {&is_new, 1});
  EXPECT_EQ(is_new, 0u);
  EXPECT_EQ(filter.withdrawn_exceptions(), 6u);
  this->expect_in(filter, 6);
  EXPECT_FALSE(filter.is_exception(denied[5]));
  EXPECT_TRUE(filter.is_exception(denied[6]));
}

TYPED_TEST(Withdrawn, BehindAnyFilterToo) {
  AnyFilter any(std::move(this->filter_));
  EXPECT_TRUE(any.insert(this->denied_[0]));
  EXPECT_EQ(any.insert_batch(std::span(this->denied_).subspan(1, 2)), 0u);
  EXPECT_EQ(any.native().withdrawn_exceptions(), 3u);
  EXPECT_EQ(maybes(any, std::span(this->denied_).first(3)), 3u);
  EXPECT_EQ(maybes(any, std::span(this->denied_).subspan(3)), 0u);
}

// A filter that never had them gives the same file; so do none at all.
TYPED_TEST(Withdrawn, DoNotShowInTheBytes) {
  const std::span<const Hash128> denied = this->denied_;
  for (const std::size_t in : {std::size_t{1}, denied.size() / 2, denied.size()}) {
    auto withdrawn = TypeParam::of(this->members_);
    ASSERT_TRUE(withdrawn.add_as_exceptions(denied));
    withdrawn.insert_batch(denied.first(in));
    auto never = TypeParam::of(this->members_);
    never.insert_batch(denied.first(in));
    ASSERT_TRUE(never.add_as_exceptions(denied.subspan(in)));
    EXPECT_TRUE(serialized(withdrawn) == serialized(never));
    ASSERT_TRUE(withdrawn.save(this->path(), {.replace = true}));
    EXPECT_TRUE(this->folder_.read("f") == serialized(never));
    EXPECT_EQ(withdrawn.file_bytes(), serialized(never).size());
  }
}

TYPED_TEST(Withdrawn, ComeBackWhenTheyAreGivenAgain) {
  auto& filter = this->filter_;
  filter.insert_batch(this->denied_);
  EXPECT_EQ(filter.exception_count(), 0u);
  ASSERT_TRUE(filter.add_as_exceptions(this->denied_));
  this->expect_in(filter, 0);
}

// Forgetting the keys does not forget what must not match.
TYPED_TEST(Withdrawn, ClearKeepsExceptions) {
  this->filter_.clear();
  EXPECT_EQ(this->filter_.exception_count(), this->denied_.size());
  this->filter_.insert_batch(this->members_);
  EXPECT_EQ(maybes(this->filter_, this->white_), 0u);
}

// In place the table keeps its size, whatever is withdrawn, and a later save drops what is unused.
TYPED_TEST(Withdrawn, InAnUpdateInPlace) {
  ASSERT_TRUE(this->filter_.set_metadata("behind the table"));
  ASSERT_TRUE(this->filter_.save(this->path()));
  const std::uint64_t size = std::filesystem::file_size(this->path());
  const std::size_t all = this->denied_.size();
  std::size_t in = 0;
  for (const std::size_t more :
       {std::size_t{1}, all / 2, all - 2 - all / 2, std::size_t{1}, std::size_t{0}}) {
    this->update(in, more);
    in += more;
    EXPECT_EQ(std::filesystem::file_size(this->path()), size);
    for (const Access access : {Access::kMap, Access::kCopy}) {
      const auto reopened = this->opened({.access = access});
      this->expect_in(reopened, in);
      EXPECT_EQ(reopened.metadata(), "behind the table");
    }
  }
  auto never = TypeParam::of(this->members_);
  never.insert_batch(this->denied_);
  ASSERT_TRUE(never.set_metadata("behind the table"));
  EXPECT_TRUE(serialized(this->opened({})) == serialized(never));
}

TYPED_TEST(Withdrawn, NoneIsAddedInAnUpdateInPlace) {
  ASSERT_TRUE(this->filter_.save(this->path()));
  auto update = this->opened_to_update();
  const Status added = update.add_as_exceptions(this->white_);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(added.error().detail().find("update in place"), std::string::npos);
  ASSERT_TRUE(update.finish_update());
  EXPECT_TRUE(this->folder_.read("f") == serialized(this->filter_));
}

// A crash in the middle: of the table's pages some are as before the withdrawals, some as after. Whoever does
// the update again has every key in, and no other key of the table let go.
TYPED_TEST(Withdrawn, ACrashInTheMiddleIsMendedByDoingItAgain) {
  const std::size_t in = this->denied_.size() / 2;
  const std::span<const Hash128> inserted = std::span(this->denied_).first(in);
  ASSERT_TRUE(this->filter_.save(this->path()));
  const std::string before = this->folder_.read("f");
  {
    auto torn = this->opened_to_update();
    torn.insert_batch(inserted);
  }
  const std::string after = this->folder_.read("f");
  ASSERT_EQ(after.size(), before.size());
  EXPECT_FALSE(TypeParam::Filter::open(this->path()));
  const std::size_t table = FileParts::of(before).header.exception_offset();
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
    std::mt19937_64 random(seed);
    std::string crashed = after;
    for (std::size_t at = table; at < crashed.size(); at += 8) {
      if (random() % 2 == 0) {
        crashed.replace(at, 8, before, at, 8);
      }
    }
    this->folder_.write("f", crashed);
    auto again = this->opened({.access = Access::kUpdateInPlace, .accept_dirty = true});
    again.insert_batch(inserted);
    ASSERT_TRUE(again.finish_update());
    const auto mended = this->opened({});
    EXPECT_EQ(maybes(mended, inserted), in) << "seed " << seed;
    EXPECT_EQ(maybes(mended, this->members_), kBuiltMembers) << "seed " << seed;
    EXPECT_EQ(std::filesystem::file_size(this->path()), before.size());
  }
}

// The same with whole entries from before or after: those that nobody inserted are exceptions still.
TYPED_TEST(Withdrawn, ACrashForgetsNoOtherException) {
  const std::size_t in = this->denied_.size() / 2;
  const std::span<const Hash128> inserted = std::span(this->denied_).first(in);
  ASSERT_TRUE(this->filter_.save(this->path()));
  {
    auto torn = this->opened_to_update();
    torn.insert_batch(inserted);
  }
  auto again = this->opened({.access = Access::kUpdateInPlace, .accept_dirty = true});
  again.insert_batch(inserted);
  ASSERT_TRUE(again.finish_update());
  this->expect_in(this->opened({}), in);
}

// Exceptions that were all withdrawn stay so: a crash in a later update, whose keys are others, brings none
// back.
TYPED_TEST(Withdrawn, ACrashBringsNoneBackThatAFinishedUpdateWithdrew) {
  ASSERT_TRUE(this->filter_.save(this->path()));
  this->update(0, this->denied_.size());
  { const auto torn = this->opened_to_update(); }
  auto again = this->opened({.access = Access::kUpdateInPlace, .accept_dirty = true});
  ASSERT_TRUE(again.finish_update());
  this->expect_in(this->opened({}), this->denied_.size());
}

// The other's bits may be merged in place, its exceptions may not, nor may ours change; room in the file that
// withdrawn ones have left stays.
TYPED_TEST(Withdrawn, AMergeInPlaceLeavesTheTableAlone) {
  ASSERT_TRUE(this->filter_.save(this->path()));
  auto plain = TypeParam::made(kBuiltMembers);
  plain.insert_batch(numbered_hashes(kBuiltMembers, 100));
  {
    auto refused = this->opened_to_update();
    const Status merged = refused.merge(plain);
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().code(), ErrorCode::kInvalidArgument);
    ASSERT_TRUE(refused.finish_update());
  }
  this->update(0, this->denied_.size());
  const std::uint64_t size = std::filesystem::file_size(this->path());
  auto update = this->opened_to_update();
  const Status merged = update.merge(plain);
  ASSERT_TRUE(merged) << merged.error().to_string();
  ASSERT_TRUE(update.finish_update());
  EXPECT_EQ(std::filesystem::file_size(this->path()), size);
  const auto reopened = this->opened({});
  this->expect_in(reopened, this->denied_.size());
  EXPECT_EQ(count_maybes(reopened, kBuiltMembers, 100), 100u);
}

// Of random filters over shared keys, each with exceptions that may be members of the other: whoever is a
// member of either is in the union, and an exception is kept exactly when both denied it.
TYPED_TEST(Withdrawn, AMergeKeepsExceptionsThatBothDeny) {
  for (const std::uint64_t seed : {11u, 12u, 13u, 14u, 15u, 16u, 17u, 18u}) {
    std::mt19937_64 random(seed);
    const Hashes keys = numbered_hashes(seed << 20, 3000);
    std::vector<typename TypeParam::Filter> filters;
    std::vector<Hashes> members(2);
    std::vector<Hashes> exceptions(2);
    for (std::size_t i = 0; i < 2; ++i) {
      filters.push_back(TypeParam::made(800));
      Hashes strangers;
      for (const Hash128& key : keys) {
        (random() % 4 == 0 ? members[i] : strangers).push_back(key);
      }
      filters[i].insert_batch(members[i]);
      exceptions[i] = matching_singly(filters[i], strangers);
      ASSERT_TRUE(filters[i].add_as_exceptions(exceptions[i]));
    }
    Hashes kept;
    for (std::size_t i = 0; i < 2; ++i) {
      std::ranges::copy_if(exceptions[i], std::back_inserter(kept),
                           [&](const Hash128& hash) { return !filters[1 - i].may_contain(hash); });
    }
    ASSERT_TRUE(filters[0].merge(filters[1]));
    for (const Hashes& part : members) {
      ASSERT_EQ(maybes(filters[0], part), part.size()) << "seed " << seed;
    }
    EXPECT_GT(kept.size(), 0u);
    EXPECT_EQ(maybes(filters[0], kept), 0u) << "seed " << seed;
    for (const Hash128& hash : keys) {
      ASSERT_EQ(filters[0].is_exception(hash), std::ranges::find(kept, hash) != kept.end())
          << "seed " << seed;
    }
  }
}

TYPED_TEST(Withdrawn, AFileIsLockedByOneAtATime) {
  ASSERT_TRUE(this->filter_.save(this->path()));
  const auto expect_locked = [this](Access access) {
    const auto second = TypeParam::Filter::open(this->path(), {.access = access, .accept_dirty = true});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().errno_value(), EWOULDBLOCK) << second.error().to_string();
  };
  for (const Access first : {Access::kMapLocked, Access::kCopyLocked, Access::kUpdateInPlace}) {
    auto locked = this->opened({.access = first});
    expect_locked(Access::kMapLocked);
    expect_locked(Access::kCopyLocked);
    expect_locked(Access::kUpdateInPlace);
    if (first == Access::kUpdateInPlace) {
      ASSERT_TRUE(locked.finish_update());
    } else {
      this->expect_in(this->opened({}), 0);  // readers do not mind
    }
  }
  this->expect_in(this->opened({.access = Access::kMapLocked}), 0);
}

// A ribbon can be locked too: it is static, but its exceptions are not.
TEST(ExceptionLock, ARibbonIsLockedByOneAtATime) {
  const TestFolder folder;
  ASSERT_TRUE(Ribbon::of(numbered_hashes(0, 100)).save(folder.path("r")));
  {
    const Result<RibbonFilter> first = RibbonFilter::open(folder.path("r"), {.access = Access::kMapLocked});
    ASSERT_TRUE(first);
    const Result<RibbonFilter> second = RibbonFilter::open(folder.path("r"), {.access = Access::kMapLocked});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().errno_value(), EWOULDBLOCK);
  }
  EXPECT_TRUE(RibbonFilter::open(folder.path("r"), {.access = Access::kMapLocked}));
}

TEST(ExceptionLock, BytesInMemoryCannotBeLocked) {
  const FileBytes bytes(serialized(Bloom::of(numbered_hashes(0, 100))));
  EXPECT_EQ(BloomFilter::view(bytes.span(), {.access = Access::kMapLocked}).error().code(),
            ErrorCode::kInvalidArgument);
}

// A lock that the caller brings is of this file, or the filter is not opened.
TEST(ExceptionLock, ALockThatIsBroughtMustBeTheFilesOwn) {
  const TestFolder folder;
  ASSERT_TRUE(Bloom::of(numbered_hashes(0, 100)).save(folder.path("f")));
  ASSERT_TRUE(Bloom::of(numbered_hashes(0, 100)).save(folder.path("other")));
  const Result<FileLock> own = FileLock::take(folder.path("f"));
  const Result<FileLock> other = FileLock::take(folder.path("other"));
  const Result<FileLock> none = FileLock::take(folder.path("missing"));
  ASSERT_TRUE(own && other && none);
  for (const Access access : {Access::kMapLocked, Access::kCopyLocked, Access::kUpdateInPlace}) {
    const auto open = [&](const FileLock& lock) {
      return BloomFilter::open(folder.path("f"), {.access = access, .accept_dirty = true, .lock = &lock});
    };
    EXPECT_EQ(open(*other).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(open(*none).error().code(), ErrorCode::kInvalidArgument);
    EXPECT_TRUE(open(*own));
  }
}

// A file system on which somebody else saves the file anew just before it is locked, `times` times.
class ReplacingFileSystem final : public FileSystem {
 public:
  ReplacingFileSystem(std::string path, int times) : path_(std::move(path)), times_(times) {}

  Status lock_exclusively(const File& file) override {
    if (times_ > 0) {
      --times_;
      std::filesystem::copy_file(path_ + ".new", path_ + ".tmp");
      std::filesystem::rename(path_ + ".tmp", path_);
    }
    return FileSystem::lock_exclusively(file);
  }

 private:
  std::string path_;
  int times_;
};

// Whoever waits for nothing but the lock of a file that is gone would write where nobody reads.
TEST(ExceptionLock, AFileThatIsReplacedMeanwhileIsOpenedAnew) {
  const TestFolder folder;
  const BloomFilter old = Bloom::of(numbered_hashes(0, 100));
  BloomFilter saved_anew = Bloom::of(numbered_hashes(0, 100));
  ASSERT_TRUE(saved_anew.add_as_exceptions(numbered_hashes(kWhiteKeys, 7)));
  ASSERT_TRUE(saved_anew.save(folder.path("f.new")));
  for (const Access access : {Access::kUpdateInPlace, Access::kMapLocked}) {
    for (const int times : {1, 3}) {
      std::filesystem::remove(folder.path("f"));  // a save over the last one would undo it
      ASSERT_TRUE(old.save(folder.path("f")));
      ReplacingFileSystem files(folder.path("f"), times);
      const auto body = open_native_file(files, folder.path("f"), {.access = access});
      ASSERT_TRUE(body) << body.error().to_string();
      EXPECT_EQ((*body)->exceptions.live(), 7u);
      EXPECT_FALSE(BloomFilter::open(folder.path("f"), {.access = Access::kMapLocked, .accept_dirty = true}));
    }
  }
}

TEST(ExceptionLock, AFileThatIsReplacedAgainAndAgainIsGivenUp) {
  const TestFolder folder;
  ASSERT_TRUE(Bloom::of(numbered_hashes(0, 100)).save(folder.path("f")));
  ASSERT_TRUE(Bloom::of(numbered_hashes(0, 200)).save(folder.path("f.new")));
  ReplacingFileSystem files(folder.path("f"), 1000);
  const auto body = open_native_file(files, folder.path("f"), {.access = Access::kUpdateInPlace});
  ASSERT_FALSE(body);
  EXPECT_EQ(body.error().errno_value(), EBUSY) << body.error().to_string();
  EXPECT_TRUE(BloomFilter::open(folder.path("f")));  // not marked dirty
}

// Who inserts alone may take a faster way, which must not go past the exceptions: dedup would lose the line.
TYPED_TEST(Withdrawn, ByTheTestAndInsertOfASoleWriter) {
  auto& filter = this->filter_;
  const Hashes tested = {this->denied_[0], this->members_[0], this->denied_[1], this->denied_[0]};
  std::uint64_t is_new = 0;
  EXPECT_EQ(filter.test_and_insert_batch(tested, {&is_new, 1}, Sharing::kExclusive), 0u);
  EXPECT_EQ(is_new, 0b0101u);
  EXPECT_EQ(filter.test_and_insert_batch(tested, {&is_new, 1}, Sharing::kExclusive), 0u);
  EXPECT_EQ(is_new, 0u);
  EXPECT_EQ(filter.withdrawn_exceptions(), 2u);
  this->expect_in(filter, 2);
}

}  // namespace
}  // namespace bloomery
