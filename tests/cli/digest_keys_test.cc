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

// A list of digests of one width takes no question of another: it would be a silent no.
TEST_F(DigestKeys, ADigestOfAnotherWidthIsAnError) {
  const std::string md5(32, 'a');
  EXPECT_TRUE(says(shell.run("bloomery inspect sha1").out, "key_form         hex,bytes=20"));
  for (const std::string& verb :
       {"query sha1 -e " + md5, "query -q sha1 -e " + md5, "query sha1 <<< " + md5, "add sha1 -e " + md5,
        "report sha1 " + md5, "except sha1 -e " + md5, "fpp sha1 --absent <(echo " + md5 + ")",
        "query --allow <(echo " + md5 + ") sha1 -e " + std::string(40, 'b')}) {
    const Ran ran =
        shell.run("cp sha1 before; bloomery " + verb + "; s=$?; cmp sha1 before || echo changed; exit $s");
    EXPECT_EQ(ran.status, 2) << verb;
    EXPECT_EQ(ran.out, "") << verb;
    EXPECT_TRUE(
        says(ran.err, "expected 40 hexadecimal digits, as all keys of the filter have, found '" + md5))
        << verb << ran.err;
  }
  for (const std::string hash : {"md5", "ntlm", "sha256"}) {
    const Ran ran = shell.run("bloomery query --hash " + hash + " sha1 -e secret");
    EXPECT_EQ(ran.status, 2) << hash;
    EXPECT_TRUE(says(ran.err,
                     "--hash: expected a digest of 20 bytes (40 digits), as all keys of the filter have, "
                     "found " +
                         hash))
        << ran.err;
  }
  EXPECT_EQ(shell.run("printf '" + md5 + "\n' | bloomery query --skip-bad-lines --summary sha1").status, 1);
}

// The record follows the keys: into every type, through add and merge, and out of it where widths differ.
TEST_F(DigestKeys, TheWidthIsThatOfAllKeys) {
  shell.run(
      "form() { bloomery inspect --json $1 | jq -r .key_form; }; declare -f form >> env;"
      "digests() { for i in $(seq $1 $2); do printf $i | $3 | cut -d' ' -f1; done; }; digests 1 20 sha1sum > "
      "a;"
      "digests 21 40 sha1sum > b; digests 1 20 md5sum > m");
  for (const std::string type : {"blocked", "bloom", "counting", "quotient", "scalable", "ribbon",
                                 "windowed --window 100", "bloom --exact-below 100", "ribbon --resume w"}) {
    const std::string build = "bloomery build --force -p 0.001 --key-form hex -t " + type;
    EXPECT_EQ(shell.run(build + " -n 100 -o f a; form f; bloomery query -c f a").out, "hex,bytes=20\n20\n")
        << type;
    EXPECT_EQ(shell.run(build + " -n 100 -o g m a; form g; bloomery query -c g <(cat m a)").out, "hex\n40\n")
        << type;
    EXPECT_EQ(shell.run(build + " -n 100 --any-width -o h a; form h; bloomery query -c h m").out, "hex\n0\n")
        << type;
    EXPECT_EQ(shell.run("(cat a; echo) | " + build + " -n 100 -o e; form e; bloomery query -c e -e ''").out,
              "hex,bytes=20\n1\n")
        << type << ": the empty key has no width";
    if (type.starts_with("ribbon")) {
      continue;
    }
    EXPECT_EQ(shell.run("bloomery add f b; form f; bloomery query -c f <(cat a b)").out, "hex,bytes=20\n40\n")
        << type;
    if (type.starts_with("windowed")) {
      continue;
    }
    EXPECT_EQ(shell
                  .run(build + " -n 100 -o f a; " + build +
                       " -n 100 -o g b; bloomery merge --force -o u f g; form u")
                  .out,
              "hex,bytes=20\n")
        << type;
    EXPECT_EQ(
        shell
            .run(build +
                 " -n 100 -o g m; bloomery merge --force -o u f g; form u; bloomery query -c u <(cat a m)")
            .out,
        "hex\n40\n")
        << type;
  }
}

// Without the record, as in files of before, nothing is compared.
TEST_F(DigestKeys, AFilterWithoutTheRecordGoesOnAsItWas) {
  const Ran ran = shell.run(
      "bloomery build -o old -n 9 -p 1e-9 --any-width --hash sha1 words; bloomery query --hash md5 old "
      "words; "
      "echo $?; bloomery query --hash sha1 -c old words; printf 'x\\n' | bloomery add --hash md5 old; "
      "bloomery query "
      "--hash md5 old -e x; bloomery inspect --json old | jq -r .key_form");
  EXPECT_EQ(ran.out, "1\n3\nx\nhex\n") << ran.err;
}

// Exact sets that grow into their type keep the record, or lose it as a union does.
TEST_F(DigestKeys, AnExactSetThatOutgrowsItsTableKeepsTheWidth) {
  const Ran ran = shell.run(
      "digests() { for i in $(seq $1 $2); do printf $i | $3 | cut -d' ' -f1; done; };"
      "digests 1 5 sha1sum | bloomery build --key-form hex --exact-below 10 -n 100 -p 0.001 -o f;"
      "digests 1 50 sha1sum | bloomery add f; bloomery inspect --json f | jq -r '.type, .key_form'");
  EXPECT_EQ(ran.out, "blocked:fast\nhex,bytes=20\n") << ran.err;
}

// Parts of several machines.
TEST_F(DigestKeys, PartsOfSeveralMachinesAgreeOnTheWidth) {
  const Ran ran = shell.run(
      "digests() { for i in $(seq $1 $2); do printf $i | $3 | cut -d' ' -f1; done; };"
      "build='bloomery build --force -t ribbon --key-form hex'; digests 1 20 sha1sum > a; digests 21 40 "
      "sha1sum > b;"
      "digests 1 20 md5sum > m; whole() { for i in 1 2; do $build -p 0.01 --shards $i/2 -o p$i "
      "$1/range-$i-of-2.hashes "
      "$2/range-$i-of-2.hashes; done; bloomery merge --force -o w p1 p2; bloomery inspect --json w | jq -r "
      ".key_form;"
      "bloomery query -c w; }; for k in a b m; do $build --partition 2 -o d$k $k; done;"
      "cat a b | whole da db; cat a m | whole da dm; $build -p 0.01 -o one a b; whole da db < /dev/null > "
      "/dev/null; "
      "cmp w one");
  EXPECT_EQ(ran.out, "hex,bytes=20\n40\nhex\n40\n") << ran.err;
  EXPECT_EQ(ran.status, 0) << ran.err;
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
