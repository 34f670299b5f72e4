// A proof that is kept beside its filter holds until the filter or its data changes.
#include "verify/proof_record.h"

#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

namespace fs = std::filesystem;

class KeptProofs : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("a filter", "the bits of a filter");
    folder_.write("the data", "the keys of the data");
  }

  // Returns a sound proof of the filter by the data.
  Proof proof() const {
    Proof proof = {.path = filter_, .kind = "filter", .against = "data", .keys = 12345};
    EXPECT_TRUE(proof.will_read(filter_));
    EXPECT_TRUE(proof.will_read(data_));
    return proof;
  }

  TestFolder folder_;
  const std::string filter_ = folder_.path("a filter");
  const std::string data_ = folder_.path("the data");
};

TEST_F(KeptProofs, SayWhatWasAskedAndWhen) {
  EXPECT_EQ(kept_proof(filter_).reason, "not proven");
  ASSERT_TRUE(save_proof_record(proof()));
  const KeptProof kept = kept_proof(filter_);
  ASSERT_TRUE(kept.valid) << kept.reason;
  EXPECT_EQ(kept.valid->keys, 12345U);
  EXPECT_EQ(kept.valid->filter.name, "a filter");
  ASSERT_EQ(kept.valid->data.size(), 1U);
  EXPECT_EQ(kept.valid->data[0].name, "the data");
  EXPECT_TRUE(kept.valid->to_string().starts_with("12345 keys of the data, 2")) << kept.valid->to_string();
}

TEST_F(KeptProofs, AreOnlyOfSoundFiltersThatWereAsked) {
  Proof denies = proof();
  denies.deny("a key");
  EXPECT_FALSE(save_proof_record(denies));
  Proof unproven = proof();
  unproven.add_unproven("no data");
  EXPECT_FALSE(save_proof_record(unproven));
  Proof unasked = proof();
  unasked.keys = 0;
  EXPECT_FALSE(save_proof_record(unasked));
  EXPECT_FALSE(fs::exists(proof_path_of(filter_)));
}

TEST_F(KeptProofs, AreRefusedIfAFileChangesMeanwhile) {
  const Proof before = proof();
  folder_.write("the data", "other keys of the data");
  const Status saved = save_proof_record(before);
  ASSERT_FALSE(saved);
  EXPECT_EQ(saved.error().errno_value(), ESTALE);
}

TEST_F(KeptProofs, AreVoidOnceTheFilterOrItsDataChanges) {
  ASSERT_TRUE(save_proof_record(proof()));
  const auto time = fs::last_write_time(data_);
  fs::last_write_time(data_, time + std::chrono::seconds(1));
  EXPECT_EQ(kept_proof(filter_).reason, "its proof is void: the data was written since");
  fs::last_write_time(data_, time);
  EXPECT_TRUE(kept_proof(filter_).valid);

  folder_.write("the data", "the keys of the data, and one more");
  EXPECT_EQ(kept_proof(filter_).reason, "its proof is void: the data has 34 bytes, and had 20");
  fs::remove(data_);
  EXPECT_FALSE(kept_proof(filter_).valid);
}

// Its size and its time stay: this is what a disk does.
TEST_F(KeptProofs, AreVoidOnceABitOfTheFilterFlips) {
  ASSERT_TRUE(save_proof_record(proof()));
  const auto time = fs::last_write_time(filter_);
  std::string bits = folder_.read("a filter");
  bits[3] = static_cast<char>(bits[3] ^ 16);
  folder_.write("a filter", bits);
  fs::last_write_time(filter_, time);
  EXPECT_EQ(kept_proof(filter_).reason, "its proof is void: other bits than were proven");
}

TEST_F(KeptProofs, AreNotThoseOfAnotherFile) {
  ASSERT_TRUE(save_proof_record(proof()));
  const std::string other = folder_.path("another filter");
  fs::copy_file(filter_, other);
  fs::rename(proof_path_of(filter_), proof_path_of(other));
  EXPECT_EQ(kept_proof(other).reason, "its proof is void: it is the proof of a filter");
}

TEST_F(KeptProofs, WithAnyOtherByteAreNotBelieved) {
  ASSERT_TRUE(save_proof_record(proof()));
  const std::string text = folder_.read("a filter.proof");
  ASSERT_TRUE(parse_proof_record(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_FALSE(parse_proof_record(damaged)) << i;
    EXPECT_FALSE(parse_proof_record(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(parse_proof_record(text + "\n"));
}

}  // namespace
}  // namespace bloomery
