// --hash: lines are asked by their digest, against lists of digests.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

class DigestKeys : public ::testing::Test {
 protected:
  // A list of breached hashes as it is published: upper case, a colon, how often it was seen.
  void SetUp() override {
    const Ran ran = shell.run(
        "digests() { while IFS= read -r word; do printf '%s' \"$word\" | $1 | cut -d' ' -f1; done; };"
        "printf 'secret\\nlet me in\\n\\n' > words; for sum in md5sum sha1sum sha256sum; do digests $sum < "
        "words |"
        "tr a-f A-F | sed 's/$/:7/' | bloomery build -o ${sum%sum} -n 3 -p 1e-9 --key-form hex -d: -k 1; "
        "done;"
        "printf '8846F7EAEE8FB117AD06BDD830B7586C\\na4f49c406510bdcab6824ee7c30fd852\\n' |"
        "bloomery build -o ntlm -n 2 -p 1e-9 --key-form hex");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

TEST_F(DigestKeys, LinesAreAskedByTheirDigest) {
  for (const std::string sum : {"md5", "sha1", "sha256"}) {
    const Ran ran = shell.run(
        "printf 'Secret\\nsecret\\n secret\\nlet me in\\n\\n' | bloomery query --hash " + sum + " " + sum);
    EXPECT_EQ(ran.out, "secret\nlet me in\n\n") << sum << ran.err;
  }
  EXPECT_EQ(shell.run("printf 'Password\\npassword\\nPASSWORD\\n' | bloomery query --hash ntlm ntlm").out,
            "Password\npassword\n");
}

TEST_F(DigestKeys, OfAFieldOfAnyLine) {
  EXPECT_EQ(
      shell.run("printf 'u1\\tsecret\\r\\nu2\\tother\\r\\n' | bloomery query --hash sha1 -k 2 --crlf sha1")
          .out,
      "u1\tsecret\r\n");
  EXPECT_EQ(shell.run("bloomery query --hash sha1 --answers sha1 -e secret -e none").out, "1\n0\n");
}

// A filter of plain text made with --hash is the filter of the digests.
TEST_F(DigestKeys, BuildWithHashesMakesTheSameFile) {
  EXPECT_EQ(shell.run("bloomery build -o mine -n 3 -p 1e-9 --hash sha1 words; cmp mine sha1").status, 0);
  EXPECT_EQ(shell.run("echo new | bloomery add --hash sha1 mine; bloomery query --hash sha1 mine -e new").out,
            "new\n");
}

TEST_F(DigestKeys, FiltersOfOtherSystemsToo) {
  const Ran ran = shell.run(
      "sha1sum < /dev/null | cut -c1-40 | bloomery build --dialect guava -n 10 -p 1e-6 --key-form hex -o g;"
      "printf '\\nx\\n' | bloomery query --dialect guava --hash sha1 --answers g");
  EXPECT_EQ(ran.out, "1\n0\n") << ran.err;
}

TEST_F(DigestKeys, WhatCannotBeMeantIsRefused) {
  const Ran text =
      shell.run("bloomery build -o text -n 3 -p 0.01 words; bloomery query --hash sha1 text words");
  EXPECT_EQ(text.status, 2);
  EXPECT_TRUE(says(text.err, "--hash: contradicts the filter, whose keys are: text")) << text.err;
  for (const char* const options :
       {"--hash crc32", "--hash sha1 --key-form text", "--hash sha1 --trim", "--hash sha1 -i"}) {
    const Ran ran = shell.run(std::string("bloomery query sha1 words ") + options);
    EXPECT_EQ(ran.status, 2) << options;
    EXPECT_TRUE(says(ran.err, "--hash: expected ")) << ran.err;
  }
  const Ran bytes = shell.run("printf 'ok\\n\\xff\\n' | bloomery query --hash ntlm ntlm");
  EXPECT_EQ(bytes.status, 2);
  EXPECT_TRUE(says(bytes.err, "standard input: line 2: key form utf16: expected valid UTF-8")) << bytes.err;
}

}  // namespace
}  // namespace bloomery
