// The example of docs/formats/proof.md is a proof, and says what the page says.
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "verify/proof_record.h"

namespace bloomery {
namespace {

TEST(ProofPage, ItsExampleIsAProof) {
  std::ifstream file(std::string(BLOOMERY_SOURCE) + "/docs/formats/proof.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  const std::size_t begin = page.find("```\n") + 4;
  const Result<ProofRecord> record = parse_proof_record(page.substr(begin, page.find("```", begin) - begin));
  ASSERT_TRUE(record) << record.error().to_string();
  EXPECT_EQ(record->filter.name, "nb-1-big-Filter.db");
  EXPECT_EQ(record->filter.size_bytes, 72U);
  EXPECT_EQ(record->filter.modified_ns, 1700000000000000000);
  EXPECT_EQ(record->filter.digest, (Hash128{.low = 0x187df1551b5a9026, .high = 0xdbd94d82b71a5744}));
  ASSERT_EQ(record->data.size(), 1U);
  EXPECT_EQ(record->data[0].name, "nb-1-big-Index.db");
  EXPECT_EQ(record->to_string(), "45 keys of nb-1-big-Index.db, 2026-11-26T23:40:23Z");
}

}  // namespace
}  // namespace bloomery
