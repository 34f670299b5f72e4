// Input that is not what it seems: compressed, an archive, UTF-16, with a byte-order mark or CR LF, digests in the
// other case. It is read, or named; it is never taken for keys in silence.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

// The numbers 990 to 1010, one a line, as xz(1) and bzip2(1) write them.
const std::string kXz =
    "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4ABeADBdABzgvBUAY0BWeA2+olHOGPZkFeSsSDpuvmpnj4cu1Bx/"
    "thuJRmzWUwZ7pVnskkrc7gCuQW"
    "4PIZj90QABTF9H+Z6HH7bzfQEAAAAABFla";
const std::string kBzip2 =
    "QlpoOTFBWSZTWTz8cZgAACrIAAAQf+AgAEhp6kjT3qUEp6oYjTb55737HViqq5jdyoBUlm1ULAAFVFINEHxdyRThQkDz8cZg";

class InputKinds : public ::testing::Test {
 protected:
  void SetUp() override {
    const Ran ran = shell.run("seq 1000 > keys; bloomery build -o f.bloom -p 1e-6 keys; echo " + kXz +
                              " | base64 -d > n.xz; echo " + kBzip2 + " | base64 -d > n.bz2");
    ASSERT_EQ(ran.status, 0) << ran.err;
  }
  Shell shell;
};

TEST_F(InputKinds, XzAndBzip2AreRead) {
  const std::string eleven = "990\n991\n992\n993\n994\n995\n996\n997\n998\n999\n1000\n";
  EXPECT_EQ(shell.run("bloomery query f.bloom n.xz").out, eleven);
  EXPECT_EQ(shell.run("bloomery query f.bloom n.bz2").out, eleven);
  EXPECT_EQ(shell.run("cat n.xz n.xz | bloomery query -c f.bloom - n.bz2").out,
            "(standard input):22\nn.bz2:11\n");
}

TEST_F(InputKinds, DamagedXzAndBzip2NameTheFile) {
  for (const std::string name : {"n.xz", "n.bz2"}) {
    const Ran cut = shell.run("head -c 60 " + name + " > cut; bloomery query f.bloom cut");
    EXPECT_EQ(cut.status, 3);
    EXPECT_TRUE(says(cut.err, "cut: ")) << cut.err;
    EXPECT_TRUE(says(cut.err, "expected more data, found the end")) << cut.err;
    const Ran damaged = shell.run("(head -c 40 " + name + "; printf 'xxxx'; tail -c +45 " + name +
                                  ") > bad; bloomery query f.bloom bad");
    EXPECT_EQ(damaged.status, 3);
    EXPECT_TRUE(says(damaged.err, "bad: ")) << damaged.err;
    EXPECT_EQ(damaged.out, "");
  }
}

TEST_F(InputKinds, AnArchiveIsRefusedByName) {
  shell.run("tar cf a.tar keys; gzip -k a.tar");
  for (const std::string name : {"a.tar", "a.tar.gz"}) {
    for (const std::string verb : {"query f.bloom", "dedup", "build -n 5 -p 0.1 -o g.bloom"}) {
      const Ran ran = shell.run("bloomery " + verb + " " + name);
      EXPECT_EQ(ran.status, 2) << verb;
      EXPECT_TRUE(says(ran.err, name + ": expected lines, found a tar archive")) << ran.err;
      EXPECT_EQ(ran.out, "");
    }
  }
  EXPECT_EQ(shell.run("cat a.tar | bloomery query f.bloom").status, 2);
  EXPECT_EQ(
      shell.run("head -c 257 /dev/zero | tr '\\0' x > t; printf 'usta\\n' >> t; bloomery dedup t | wc -l")
          .out,
      "1\n");
}

// Their bytes would be keys that nobody means, and the real keys would be answered no.
TEST_F(InputKinds, BinaryFilesAreRefusedByName) {
  const std::pair<std::string, std::string> kinds[] = {
      {"Bloomery\\1\\0\\0\\0", "a filter of ours"},
      {"PAR1\\025", "a Parquet file"},
      {"\\004\\042\\115\\030", "a file of LZ4"},
      {"PK\\3\\4", "a zip archive"},
      {"\\254\\355\\0\\5", "an object of Java's serialisation"},
      {"SQLite format 3\\0", "an SQLite database"},
      {"\\177ELF", "a program (ELF)"}};
  for (const auto& [begin, kind] : kinds) {
    shell.run("(printf '" + begin + "'; head -c 500 /dev/urandom) > binary");
    for (const std::string verb : {"query f.bloom", "dedup", "build -n 5 -p 0.1 -o g.bloom"}) {
      const Ran ran = shell.run("bloomery " + verb + " binary");
      EXPECT_EQ(ran.status, 2) << kind;
      EXPECT_TRUE(says(ran.err, "binary: expected lines of keys, found " + kind)) << ran.err;
    }
  }
  EXPECT_EQ(shell.run("printf 'PAR1234\\nPK33\\nBloomery\\n' | bloomery dedup | wc -l").out, "3\n");
}

TEST_F(InputKinds, Utf16IsRefusedByName) {
  for (const std::string text : {"\\377\\3761\\0\\n\\0", "\\376\\377\\0001\\000\\n", "\\377\\376"}) {
    const Ran ran = shell.run("printf '" + text + "' > w; bloomery query f.bloom w");
    EXPECT_EQ(ran.status, 2);
    EXPECT_TRUE(says(ran.err, "w: expected text in UTF-8 or another one-byte form, found UTF-16")) << ran.err;
    EXPECT_TRUE(says(ran.err, "iconv")) << ran.err;
  }
  EXPECT_EQ(shell.run("printf '\\377' | bloomery dedup").out, "\xff\n");
}

TEST_F(InputKinds, AByteOrderMarkIsDroppedAndSaid) {
  shell.run("printf '\\357\\273\\2771\\n2\\n' > marked");
  const Ran ran = shell.run("bloomery query f.bloom marked marked");
  EXPECT_EQ(ran.out, "1\n2\n1\n2\n");
  EXPECT_TRUE(says(ran.err, "a byte-order mark at the beginning of the input was dropped")) << ran.err;
  EXPECT_EQ(ran.err.find("byte-order"), ran.err.rfind("byte-order")) << "said once";
  EXPECT_TRUE(says(shell.run("bloomery dedup marked").err, "a byte-order mark")) << ran.err;
  EXPECT_EQ(shell.run("gzip -k marked; bloomery query -c f.bloom marked.gz").out, "2\n");
  EXPECT_EQ(shell.run("(printf '\\357'; sleep 0.1; printf '\\273\\2771\\n') | bloomery query f.bloom").out,
            "1\n");
  EXPECT_EQ(shell.run("printf '\\357\\273\\277' | bloomery dedup").out, "");
  EXPECT_EQ(shell.run("printf '\\357\\273' | bloomery dedup").out, "\xef\xbb\n");
  EXPECT_EQ(shell.run("printf 'x\\n\\357\\273\\277y\\n' | bloomery dedup").out, "x\n\xef\xbb\xbfy\n");
  EXPECT_EQ(
      shell.run("printf '\\357\\273\\277id,v\\n7,1\\n' | bloomery dedup --csv --header id --only-key").out,
      "7\n");
}

TEST_F(InputKinds, LinesThatAllEndInCrAreWarnedOf) {
  shell.run("printf '1\\r\\n2\\r\\n3' > dos");
  const Ran ran = shell.run("bloomery query f.bloom dos");
  EXPECT_TRUE(
      says(ran.err, "warning: lines end in CR LF, and the CR is part of the key: --crlf takes it off"))
      << ran.err;
  EXPECT_FALSE(says(ran.err, "nothing matched")) << ran.err;
  const Ran none = shell.run("head -n 2 dos | bloomery query f.bloom");
  EXPECT_TRUE(says(none.err, "nothing matched; the keys of the filter may have no CR at their end"))
      << none.err;
  for (const std::string verb : {"dedup dos", "build -n 3 -p 0.1 --force -o g.bloom dos"}) {
    EXPECT_TRUE(says(shell.run("bloomery " + verb).err, "--crlf takes it off")) << verb;
  }
  for (const std::string quiet : {"query --crlf f.bloom dos", "dedup --trim dos", "dedup --csv -k 1 dos",
                                  "dedup keys", "dedup -z dos"}) {
    EXPECT_FALSE(says(shell.run("bloomery " + quiet).err, "CR LF")) << quiet;
  }
  EXPECT_FALSE(says(shell.run("printf '1\\r\\n2\\n' | bloomery query f.bloom").err, "CR LF"));
}

TEST_F(InputKinds, AKeyWithoutTheCrIsNotWarnedOf) {
  shell.run("printf '1:a b\\r\\n2:c d\\r\\n' > dos; printf 'id:name\\r\\n1:a\\r\\n' > named");
  for (const std::string quiet :
       {"query -k 1 -d : f.bloom dos", "dedup -w -k 1 dos", "dedup -d : --header id named",
        "build -n 3 -p 0.1 -k 1 -d : --force -o g.bloom dos"}) {
    EXPECT_FALSE(says(shell.run("bloomery " + quiet).err, "CR LF")) << quiet;
  }
  for (const std::string with_cr :
       {"query -k 2 -d : f.bloom dos", "dedup -w -k 2 dos", "dedup -k 1- -d : dos",
        "dedup -d : --header name named", "dedup -w -k 1 <(printf '1\\r\\n2\\r\\n')"}) {
    const std::string said = shell.run("bloomery " + with_cr).err;
    EXPECT_TRUE(says(said, "CR LF")) << with_cr << '\n' << said;
  }
}

TEST_F(InputKinds, DigestsInTheOtherCaseAreNamed) {
  shell.run(
      "md5sum keys f.bloom | cut -c1-32 > lower; tr a-f A-F < lower > upper; for form in text hex; do "
      "bloomery build "
      "--key-form $form -o $form.bloom -p 1e-6 lower; done; bloomery build -i -o folded.bloom -p 1e-6 lower");
  const Ran other = shell.run("bloomery query text.bloom upper");
  EXPECT_EQ(other.status, 1);
  EXPECT_TRUE(says(other.err, "nothing matched, and the first keys are hexadecimal digits in upper case"))
      << other.err;
  EXPECT_TRUE(says(other.err, "--key-form hex")) << other.err;
  EXPECT_EQ(shell.run("bloomery query hex.bloom upper | wc -l").out, "2\n")
      << "the form hex takes both cases";
  EXPECT_EQ(shell.run("bloomery query folded.bloom upper | wc -l").out, "2\n");
  EXPECT_FALSE(says(shell.run("bloomery query text.bloom lower").err, "hexadecimal"));
  EXPECT_FALSE(
      says(shell.run("(cat upper; echo word) > mixed; bloomery query text.bloom mixed").err, "hexadecimal"));
  EXPECT_TRUE(says(shell.run("sed 's/$/,x/' upper | bloomery query -d , -k 1 text.bloom").err, "upper case"));
  EXPECT_EQ(shell.run("seq 5 9 | md5sum | cut -c1-32 | bloomery query hex.bloom").out, "");
}

}  // namespace
}  // namespace bloomery
