// Secrets: what the keyed hash gives under one, what a key file may be, and that none is ever replaced.
#include "bloomery/hash/hash_secret.h"

#include <cerrno>
#include <filesystem>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "bloomery/hash/hash128.h"
#include "bloomery/hash/key_writer.h"
#include "hash/save_secret.h"
#include "tests/base/failing_file_system.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

// The key 00 01 ... 0f of the reference implementation's vectors.
HashSecret counting_secret() {
  HashSecret secret;
  for (std::size_t i = 0; i < secret.bytes.size(); ++i) {
    secret.bytes[i] = static_cast<std::uint8_t>(i);
  }
  return secret;
}

std::string output_bytes(const Hash128& hash) {
  std::string text;
  for (const std::uint64_t word : {hash.low, hash.high}) {
    for (int shift = 0; shift < 64; shift += 8) {
      constexpr const char* kHex = "0123456789abcdef";
      text += {kHex[(word >> (shift + 4)) & 15], kHex[(word >> shift) & 15]};
    }
  }
  return text;
}

// SipHash-2-4-128 of nothing and of the byte 0: the first two of vectors_sip128 in github.com/veorq/SipHash.
TEST(HashSecret, TheHashIsSipHash24With128Bits) {
  const HashSpec spec = keyed_hash(counting_secret());
  EXPECT_EQ(output_bytes(hash_bytes(std::string_view(), spec)), "a3817f04ba25a8e66df67214c7550293");
  EXPECT_EQ(output_bytes(hash_bytes(std::string_view("\0", 1), spec)), "da87c1d86b99af44347659119b22fc45");
}

TEST(HashSecret, BatchesAndTypedKeysAgreeWithBytes) {
  const HashSpec spec = keyed_hash(counting_secret());
  const std::vector<std::string_view> keys = {"", "a", "a longer key than a block of sixteen bytes"};
  std::vector<Hash128> hashes(keys.size());
  hash_batch(keys, spec, hashes);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    EXPECT_EQ(hashes[i], hash_bytes(keys[i], spec));
    EXPECT_EQ(hashes[i], hash_key(keys[i], spec));
    EXPECT_NE(hashes[i], hash_bytes(keys[i], HashSpec{}));
  }
  EXPECT_EQ(hash_key("a", HashSpec{.id = HashId::kXxh3, .seed = 7}),
            hash_key("a", HashSpec{.id = HashId::kXxh3, .seed = std::uint64_t{7}}));
}

TEST(HashSecret, TwoAreDifferentAndSoAreTheirIds) {
  std::set<std::uint64_t> ids;
  for (int i = 0; i < 100; ++i) {
    ids.insert(HashSecret::generate()->id());
  }
  EXPECT_EQ(ids.size(), 100u);
  EXPECT_FALSE(ids.contains(0));
}

TEST(HashSecret, SavesForItsOwnerAloneAndLoads) {
  const TestFolder folder;
  const HashSecret secret = *HashSecret::generate();
  ASSERT_TRUE(secret.save_new(folder.path("a.key")));
  struct stat facts {};
  ASSERT_EQ(::stat(folder.path("a.key").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  EXPECT_EQ(folder.read("a.key").size(), 33u);
  const Result<HashSecret> loaded = HashSecret::load(folder.path("a.key"));
  ASSERT_TRUE(loaded) << loaded.error().to_string();
  EXPECT_EQ(*loaded, secret);
}

TEST(HashSecret, ASecretIsNeverReplaced) {
  const TestFolder folder;
  folder.write("a.key", "somebody's");
  const Status saved = HashSecret::generate()->save_new(folder.path("a.key"));
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(saved.error().errno_value(), EEXIST);
  EXPECT_EQ(folder.read("a.key"), "somebody's");
  EXPECT_FALSE(HashSecret::generate()->save_new(folder.path("no/such/folder.key")));
}

TEST(HashSecret, WhatIsNoKeyFileIsNamed) {
  const TestFolder folder;
  const std::string good(32, 'a');
  const auto refusal = [&folder](const std::string& bytes, mode_t mode = 0600) {
    std::filesystem::remove(folder.path("x.key"));  // the last one may be read-only
    folder.write("x.key", bytes);
    EXPECT_EQ(::chmod(folder.path("x.key").c_str(), mode), 0);
    const Result<HashSecret> loaded = HashSecret::load(folder.path("x.key"));
    return loaded ? "loaded" : loaded.error().to_string();
  };
  EXPECT_EQ(refusal(good), "loaded");
  EXPECT_EQ(refusal(good + "\n"), "loaded");
  EXPECT_EQ(refusal(good + "\n", 0400), "loaded");
  for (const std::string& bytes :
       {std::string(), std::string(31, 'a'), good + "\n\n", good + "b", std::string(32, 'g'),
        std::string(32, 'A'), std::string(33, 'a'), std::string(32, '\0')}) {
    EXPECT_NE(refusal(bytes).find("x.key: expected a key file of 32 hexadecimal digits"), std::string::npos)
        << refusal(bytes);
  }
  EXPECT_NE(refusal(std::string(32, 'A')).find("found an upper-case one: write them in lower case"),
            std::string::npos);
  for (const mode_t mode : {0640u, 0604u, 0620u, 0602u, 0644u}) {
    EXPECT_NE(refusal(good, mode).find("only its owner may read"), std::string::npos) << mode;
  }
  EXPECT_EQ(HashSecret::load(folder.path("none.key")).error().code(), ErrorCode::kNotFound);
  EXPECT_FALSE(HashSecret::load(folder.path("")));
}

// A key that is lost in a crash loses its filter with it, so the file and its directory are synced before anything is said.
TEST(HashSecret, ASavedKeyIsSyncedWholeAndItsOwnersAlone) {
  const HashSecret secret = HashSecret::generate().value();
  std::set<std::string> fatal;
  bool through = false;
  for (int call = 1; !through; ++call) {
    ASSERT_LT(call, 100);
    const TestFolder folder;
    FailingFileSystem files({.call = call, .errno_value = EIO});
    const Status saved = save_new_secret(files, secret, folder.path("key"));
    through = files.failed().empty();
    if (!saved) {
      fatal.insert(files.failed());
    }
    if (saved || files.failed() == "sync_directory_of") {
      const Result<HashSecret> again = HashSecret::load(folder.path("key"));  // refuses what others may read
      ASSERT_TRUE(again) << again.error().to_string();
      EXPECT_EQ(again->bytes, secret.bytes);
    } else {
      EXPECT_TRUE(folder.names().empty()) << files.failed();
    }
  }
  for (const std::string step :
       {"create", "write", "set_permissions", "sync", "rename_to_new", "sync_directory_of"}) {
    EXPECT_TRUE(fatal.contains(step)) << step << " was left out";
  }
}

}  // namespace
}  // namespace bloomery
