// The registry: names, options and what is said when bytes or names do not tell.
#include "bloomery/dialects/dialects.h"

#include <gtest/gtest.h>

#include "bloomery/hfile/hfile_reader.h"
#include "tests/base/test_folder.h"
#include "tests/codec/golden.h"

namespace bloomery {
namespace {

TEST(Registry, RowsAreInAlphabeticalOrderAndSayWhatTheyAre) {
  std::string_view last;
  for (const DialectDescription& dialect : dialects()) {
    EXPECT_LT(last, dialect.name);
    EXPECT_FALSE(dialect.summary.empty()) << dialect.name;
    last = dialect.name;
  }
}

TEST(Registry, AnUnknownNameIsRefusedAndNamed) {
  const auto filter = view_dialect({}, "unheard-of:option");
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(filter.error().to_string().find("'unheard-of'"), std::string::npos);
  EXPECT_EQ(build_dialect("", {.capacity = 1, .fpp = 0.01, .bits_per_key = {}}).error().code(),
            ErrorCode::kInvalidArgument);
}

TEST(Registry, AFileThatIsMissingIsNotFound) {
  const TestFolder folder;
  EXPECT_EQ(open_dialect(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(recognise_dialects(folder.path("nothing")).error().code(), ErrorCode::kNotFound);
}

TEST(Registry, WhatWasSavedOpensUnderItsOwnName) {
  const TestFolder folder;
  const KeyRange keys(numbered_key, 0, 500);  // of 9 bytes: none of them is UTF-16
  const KeyRange even_keys([](std::uint64_t i) { return numbered_key(i) + '_'; }, 0, 500);
  const KeyRange integers([](std::uint64_t i) { return little_endian(i); }, 0, 500);
  for (const DialectDescription& dialect : dialects()) {
    SCOPED_TRACE(dialect.name);
    if (dialect.name == "hbase") {  // is made with its HFile
      EXPECT_EQ(
          build_dialect(dialect.name, {.capacity = 500, .fpp = 0.01, .bits_per_key = {}}).error().code(),
          ErrorCode::kUnsupported);
      continue;
    }
    const auto& range = dialect.usual_key_form == KeyForm::kUtf16   ? even_keys
                        : dialect.usual_key_form == KeyForm::kInt64 ? integers
                                                                    : keys;
    // Only Cassandra has no usual version.
    const std::string name = dialect.name == "cassandra" ? "cassandra:nb" : std::string(dialect.name);
    const auto filter = built(name, {.capacity = 500, .fpp = 0.01, .bits_per_key = {}}, range.views());
    ASSERT_TRUE(filter) << filter.error().to_string();
    const std::string path = folder.path(std::string(dialect.name));
    ASSERT_TRUE((*filter)->save(path));
    EXPECT_FALSE((*filter)->save(path)) << "replaced without being told to";
    ASSERT_TRUE((*filter)->save(path, {.replace = true}));
    EXPECT_EQ(folder.read(std::string(dialect.name)), written(**filter));
    const auto opened = open_dialect(path, (*filter)->dialect());
    ASSERT_TRUE(opened) << opened.error().to_string();
    EXPECT_EQ((*opened)->dialect(), (*filter)->dialect());
    EXPECT_EQ(count_maybes(**opened, range.views()), 500u);
    EXPECT_EQ(written(**opened), written(**filter));
  }
}

// A program that links the library finds the dialect that is made of what lies above codec.
TEST(Registry, TheFilterOfAnHFileIsOneOfThem) {
  const std::string path = std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase/bloom_row_default.hfile";
  const auto found = recognise_dialects(path);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1u);
  EXPECT_EQ(found->front().name, "hbase");
  EXPECT_EQ(found->front().recognition, Recognition::kCertain);
  const auto filter = open_dialect(path);
  ASSERT_TRUE(filter) << filter.error().to_string();
  EXPECT_EQ((*filter)->dialect(), "hbase");
  EXPECT_TRUE((*filter)->may_contain("row-00001"));
  EXPECT_FALSE((*filter)->may_contain("zzz"));
  EXPECT_TRUE((*filter)->is_static());
}

// Batches take another way where a filter does not fit the cache (256 KiB).
TEST(Registry, LargeFiltersOfEveryDialectAnswerAndTakeKeysInBatchesAsOneByOne) {
  const auto even = [](std::uint64_t i) { return '_' + numbered_key(i); };
  const KeyRange keys(even, 0, 300'000);
  const KeyRange more(even, 300'000, 5'003);
  for (const std::string dialect : {"cassandra:me", "cassandra:nb", "dcso", "guava:mitz32", "guava:mitz64",
                                    "leveldb", "parquet", "redisbloom", "rocksdb:fastlocal", "rocksdb:legacy",
                                    "rocksdb:ribbon", "simple-java", "spark:v1", "spark:v2"}) {
    SCOPED_TRACE(dialect);
    const DialectPlan plan{.capacity = 300'000, .fpp = 0.01, .bits_per_key = {}};
    const auto at_once = built(dialect, plan, keys.views());
    const auto one_by_one = built(dialect, plan, keys.views());
    ASSERT_TRUE(at_once && one_by_one);
    EXPECT_GT((*at_once)->facts().bits, 256u << 13);
    if (!(*at_once)->is_static()) {
      std::uint64_t changed = 0;
      for (const std::string_view key : more.views()) {
        changed += std::uint64_t{(*one_by_one)->insert(key).value()};
      }
      EXPECT_EQ((*at_once)->insert_batch(more.views()).value(), changed);
      EXPECT_TRUE(written(**at_once) == written(**one_by_one)) << "other bytes";
      EXPECT_EQ(count_maybes(**at_once, more.views()), more.views().size());
    }
    EXPECT_EQ(count_maybes(**at_once, keys.views()), keys.views().size());
    EXPECT_LT(count_maybes(**at_once, KeyRange(even, 900'000, 50'001).views()), 2'500u);
  }
}

// A filter that counts its keys would count them twice.
TEST(Registry, NoFilterIsMergedWithItself) {
  for (const std::string dialect : {"dcso", "guava", "leveldb:raw", "parquet", "simple-java"}) {
    SCOPED_TRACE(dialect);
    const auto filter = built(dialect, {.capacity = 100, .fpp = 0.01, .bits_per_key = {}}, {});
    ASSERT_TRUE(filter);
    EXPECT_EQ((*filter)->merge(**filter).error().detail(), "expected another filter, found the same one");
  }
}

TEST(Registry, TheBytesAreCertainPossibleOrNothing) {
  const TestFolder folder;
  const auto names = [&](const std::string& bytes) {
    folder.write("file", bytes);
    std::string text;
    const auto found = recognise_dialects(folder.path("file"));
    EXPECT_TRUE(found);
    for (const RecognisedDialect& candidate : *found) {
      text += candidate.name + (candidate.recognition == Recognition::kCertain ? "! " : "? ");
    }
    return text;
  };
  EXPECT_EQ(names(golden_file("guava/int_s0_e100_n100_p0.01.bf")), "guava:mitz32? ");
  EXPECT_EQ(names(golden_file("dcso/n1000_p0.01.bloom")), "dcso! ");
  EXPECT_EQ(names(golden_file("dcso/n10000_p0.001.bloom.gz")), "dcso:gz! ");
  EXPECT_EQ(names(golden_file("simple-java/cap16384_n500.bits")), "");
  EXPECT_EQ(names("an ordinary text\n"), "");
  EXPECT_EQ(names(""), "");
}

TEST(Registry, TheWordForcedIsTheLastOne) {
  const std::string file = golden_file("guava/int_s0_e100_n100_p0.01.bf");
  for (const char* dialect : {"guava:forced", "guava:mitz32,forced"}) {
    EXPECT_TRUE(view_dialect(std::as_bytes(std::span(file)), dialect)) << dialect;
  }
  for (const char* dialect : {"guava:unforced", "guava:forced,mitz32", "guava:mitz64,forced"}) {
    EXPECT_FALSE(view_dialect(std::as_bytes(std::span(file)), dialect)) << dialect;
  }
}

// A format without a checksum takes any bytes, so what is known to be another kind is refused: it would answer no.
TEST(Registry, AFileOfAnotherKindIsNotOpenedUnderAName) {
  const struct {
    const char* what;
    std::string bytes;
  } files[] = {
      {"dcso", golden_file("dcso/n1000_p0.01.bloom")},
      {"dcso:gz", golden_file("dcso/n10000_p0.001.bloom.gz")},
      {"spark:v2", golden_file("spark/v2_s0_ascii_n1000_p0.03.bf")},
      {"an object of Java's serialisation", golden_file("guava/java/text.ser")},
      {"a filter of ours", "Bloomery and whatever follows"},
      {"a .parquet file", "PAR1 and whatever follows"},
      {"zip", "PK\3\4 and whatever follows"},
  };
  for (const auto& file : files) {
    for (const std::string dialect :
         {"leveldb:raw", "rocksdb:fastlocal", "simple-java:bits=1073741824", "guava"}) {
      SCOPED_TRACE(std::string(file.what) + " as " + dialect);
      const auto filter = view_dialect(std::as_bytes(std::span(file.bytes)), dialect);
      if (dialect == "guava" && file.bytes.starts_with("\xac\xed")) {
        EXPECT_TRUE(filter);
        continue;
      }
      ASSERT_FALSE(filter);
      EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
      const std::string found = std::string(file.what) == "dcso:gz" ? "gzip" : file.what;
      EXPECT_NE(filter.error().detail().find(found), std::string::npos) << filter.error().detail();
    }
    EXPECT_TRUE(view_dialect(std::as_bytes(std::span(file.bytes)), "simple-java:bits=1073741824,forced"))
        << file.what;
  }
}

// A guess would answer no for keys that are in.
TEST(Registry, WhatIsOnlyPossibleIsNotOpenedWithoutItsName) {
  const TestFolder folder;
  folder.write("filter", golden_file("guava/int_s0_e100_n100_p0.01.bf"));
  const auto filter = open_dialect(folder.path("filter"));
  ASSERT_FALSE(filter);
  EXPECT_EQ(filter.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_NE(filter.error().detail().find("guava:mitz32"), std::string::npos);
  EXPECT_EQ(filter.error().subject(), folder.path("filter") + ": dialect");
  EXPECT_TRUE(open_dialect(folder.path("filter"), "guava"));
}

TEST(Registry, AFilterIsSavedOverItselfUnderItsLockAlone) {
  const TestFolder folder;
  const std::string path = folder.path("filter");
  folder.write("filter", golden_file("dcso/n1000_p0.01.bloom"));
  const Result<FileLock> lock = FileLock::take(path);
  ASSERT_TRUE(lock) << lock.error().to_string();
  const auto filter = open_dialect(path, "dcso");
  ASSERT_TRUE(filter) << filter.error().to_string();
  const Status without = (*filter)->save(path, {.replace = true});
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().errno_value(), EWOULDBLOCK);
  EXPECT_TRUE((*filter)->save(path, {.replace = true, .lock = &*lock}));
  EXPECT_EQ((*filter)->save(path, {.replace = true, .lock = &*lock}).error().code(),
            ErrorCode::kInvalidArgument)
      << "the locked file has lost its name to the new one";
  EXPECT_TRUE((*filter)->save(path, {.replace = true}));
}

TEST(Registry, TheFactsOfAnHFileAreThoseOfItsFilter) {
  const std::string path = std::string(BLOOMERY_SOURCE) + "/tests/golden/hbase/bloom_row_default.hfile";
  const auto reader = HFileReader::open(path);
  ASSERT_TRUE(reader) << reader.error().to_string();
  const HFileBloomFacts& bloom = *reader->facts().bloom;
  const auto filter = open_dialect(path, "hbase");
  ASSERT_TRUE(filter) << filter.error().to_string();
  const DialectFacts facts = (*filter)->facts();
  EXPECT_EQ(facts.hash_count, bloom.hash_count);
  EXPECT_EQ(facts.inserted, bloom.key_count);
  EXPECT_EQ(facts.capacity, bloom.max_keys);
  EXPECT_EQ(facts.bits, bloom.byte_size * 8);
  EXPECT_GT(facts.set_bits, 0u);
}

TEST(Registry, AMissingFileIsNamedOnce) {
  const TestFolder folder;
  const std::string path = folder.path("nothing");
  EXPECT_EQ(open_dialect(path).error().to_string(), path + ": open: No such file or directory (not found)");
}

// DCSO leaves the bytes behind its filter free; here they end as a filter block of LevelDB could.
TEST(Registry, WhatIsCertainIsNotDoubtedForWhatMayBe) {
  std::string bytes = golden_file("dcso/n1_p0.01.bloom");
  const auto size = static_cast<char>(bytes.size());
  bytes += std::string(4, '\0') + size + std::string(3, '\0') + '\x0b';
  EXPECT_TRUE(view_dialect(std::as_bytes(std::span(bytes)), "leveldb:block,forced"));
  const auto found = recognise_dialects(std::as_bytes(std::span(bytes)));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front().name, "dcso");
  EXPECT_EQ(found.front().recognition, Recognition::kCertain);
}

TEST(Registry, AnErrorNamesItsFileOnce) {
  const TestFolder folder;
  folder.write("short", "\1");
  for (const std::string name : {"nothing", "short"}) {
    const std::string path = folder.path(name);
    const auto filter = open_dialect(path, "guava");
    ASSERT_FALSE(filter);
    const std::string text = filter.error().to_string();
    const std::size_t first = text.find(path);
    ASSERT_NE(first, std::string::npos) << text;
    EXPECT_EQ(text.find(path, first + 1), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace bloomery
