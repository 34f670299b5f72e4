// bloomery build, add, merge, inspect, estimate and fpp as a user runs them.
#include <gtest/gtest.h>

#include "run_command.h"

namespace bloomery {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Build, CountsFilesAndStreams) {
  const Shell shell;
  EXPECT_EQ(shell
                .run("seq 1000 > keys; bloomery build -o a -p 0.01 keys; bloomery build -o b -p 0.01 < keys; "
                     "cmp a b")
                .status,
            0);
  EXPECT_EQ(shell.run("gzip -k keys; bloomery build -o c -p 0.01 keys.gz; cmp a c").status, 0);
  const Ran stream = shell.run("cat keys | bloomery build --summary -o d -p 0.01; cmp a d");
  EXPECT_EQ(stream.status, 0) << stream.err;
  EXPECT_TRUE(contains(stream.err, "assumed -n 1,000 (the stream was kept in memory, and counted)"))
      << stream.err;
  EXPECT_EQ(shell.run("cat keys | bloomery build -o e -p 0.01 -n 1e3; cmp a e").status, 0);
}

// A stream gives the bytes that a file gives, whatever is made of it.
TEST(Build, AStreamWithoutACapacityIsSpooledToTheBytesOfAFile) {
  const Shell shell;
  ASSERT_EQ(shell.run("(seq 5000; seq 100) > keys; seq 20001 30000 > white").status, 0);
  for (const std::string options :
       {"-t blocked", "-t blocked:dense", "-t bloom", "-t counting", "-t quotient",
        "-t windowed --window 1e4", "--exact-below 100", "--exact-below 1e4", "--exceptions white",
        "--bits-per-key 12", "--key-form int64 -i", "--seed 7", "--note text", "--strict", "--dialect guava",
        "--dialect parquet", "--dialect dcso", "--dialect leveldb"}) {
    const Ran ran =
        shell.run("build() { bloomery build --force --no-summary " + options +
                  " \"$@\"; }; build -o file -- keys && cat keys | build -o stream && "
                  "cat keys | build -o mixed -- /dev/null - && cmp file stream && cmp file mixed");
    EXPECT_EQ(ran.status, 0) << options << ": " << ran.err;
  }
}

// More than memory keeps goes to the directory of --tmp, and nothing stays there.
TEST(Build, AStreamThatMemoryDoesNotHoldIsSpooledOnDisk) {
  const Shell shell;
  const Ran ran = shell.run(
      "mkdir spool; seq 700000 > keys; bloomery build -o a --no-summary keys; "
      "cat keys | bloomery build --summary --tmp spool -o b; cmp a b; ls -A spool | wc -l; "
      "bloomery build --dialect guava -o c --no-summary keys; "
      "cat keys | bloomery build --dialect guava --summary --tmp spool -o d; cmp c d; ls -A spool | wc -l");
  EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
  EXPECT_TRUE(contains(ran.err, "assumed -p 0.001, -n 700,000 (the stream was spooled, ")) << ran.err;
  const Ran nowhere = shell.run("seq 700000 | bloomery build --tmp none -o e; s=$?; ls e; exit $s");
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_TRUE(contains(nowhere.err, "--tmp: expected a directory")) << nowhere.err;
  const Ran unused = shell.run("bloomery build --tmp spool -o e keys");
  EXPECT_EQ(unused.status, 2);
  EXPECT_TRUE(contains(unused.err, "or without -n on a stream")) << unused.err;
}

// What is wrong is said before a long stream has been read.
TEST(Build, AWrongSizeIsFoundBeforeTheStreamIsRead) {
  const Shell shell;
  for (const std::string wrong : {"-p 2", "-p abc", "--bits-per-key 0", "--dialect guava -p 2"}) {
    const Ran ran = shell.run("mkfifo in; exec 3<> in; timeout 20 '" BLOOMERY_COMMAND "' build -o f " +
                              wrong + " < in; s=$?; rm in; ls f; exit $s");
    EXPECT_EQ(ran.status, 2) << wrong << ": " << ran.err;
    EXPECT_EQ(ran.out, "") << wrong;
  }
}

TEST(Build, ABadLineOfASpooledStreamIsNamedAndNothingIsWritten) {
  const Shell shell;
  const Ran ran = shell.run("(seq 10; echo x) | bloomery build --key-form int64 -o f; s=$?; ls f; exit $s");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_TRUE(contains(ran.err, "line 11")) << ran.err;
}

// Without -p it is 0.001, and the closing line says what was assumed.
TEST(Build, SaysWhatItAssumed) {
  const Shell shell;
  const auto closing = [&shell](const std::string& options) {
    const Ran ran = shell.run("seq 1000 > keys; bloomery build --summary --force -o f " + options);
    EXPECT_EQ(ran.status, 0) << options << ": " << ran.err;
    return ran.err;
  };
  EXPECT_TRUE(contains(closing("keys"), "; assumed -p 0.001, -n 1,000 (lines counted)\n"));
  EXPECT_TRUE(contains(closing("-n 1e3 keys"), "; assumed -p 0.001\n"));
  EXPECT_TRUE(contains(closing("-p 0.01 keys"), "; assumed -n 1,000 (lines counted)\n"));
  EXPECT_FALSE(contains(closing("-p 0.01 -n 1000 keys"), "assumed"));
  EXPECT_FALSE(contains(closing("--bits-per-key 9 -n 1000 keys"), "assumed"));
  EXPECT_TRUE(contains(closing("--exact-below 2000 keys"), "; assumed -p 0.001, -n 1,000"));
  EXPECT_TRUE(contains(closing("-t ribbon keys"), "; assumed -p 0.001\n"));
  EXPECT_TRUE(contains(closing("-t windowed --window 500 keys"), "; assumed -p 0.001\n"));
  EXPECT_TRUE(
      contains(closing("-t scalable < <(seq 10)"), "assumed -p 0.001, -n 10,000 for the first layer"));
  EXPECT_TRUE(contains(closing("--dialect guava keys"), "; assumed -p 0.001, -n 1,000 (lines counted)\n"));
  EXPECT_FALSE(contains(closing("--dialect simple-java:bits=65536 keys"), "assumed"));
  EXPECT_EQ(shell.run("bloomery build --force -o a keys; bloomery build -o b -p 0.001 keys; cmp a b").status,
            0);
}

TEST(Build, TheSameInputGivesTheSameBytes) {
  const Shell shell;
  EXPECT_EQ(shell
                .run("url_stream 20000 > u; for i in 1 2; do bloomery build -o $i.bloom -p 1e-3 u; done; cmp "
                     "1.bloom 2.bloom")
                .status,
            0);
}

TEST(Build, HalvesMergeToTheWholeByteForByte) {
  const Shell shell;
  const Ran ran = shell.run(
      "url_stream 10000 > u; head -n 5000 u > left; tail -n 5000 u > right; bloomery build -o whole -p 1e-3 "
      "u;"
      "for half in left right; do bloomery build -o $half.bloom -n 10000 -p 1e-3 $half; done;"
      "bloomery merge -o merged left.bloom right.bloom; cmp merged whole");
  EXPECT_EQ(ran.status, 0) << ran.err;
}

// Every type through every verb; a kernel never changes a byte.
TEST(Build, EveryTypeGoesThroughEveryVerb) {
  const Shell shell;
  for (const std::string type :
       {"bloom", "blocked", "blocked:fast", "blocked:dense", "counting", "quotient"}) {
    const Ran ran = shell.run(
        "seq 1000 > k; seq 1 500 > left; seq 501 1000 > right; rm -f f g h m; t=" + type +
        ";bloomery build -t $t -o f -p 1e-4 k; BLOOMERY_KERNEL=scalar bloomery build -t $t -o g -p 1e-4 k; "
        "cmp f g;"
        "bloomery build -t $t -o h -n 1000 -p 1e-4 left; cp h m; bloomery add h right; cmp f h;"
        "bloomery build -t $t -o g --force -n 1000 -p 1e-4 right; bloomery merge --force -o m m g; cmp f m;"
        "bloomery query -c f k; bloomery inspect --verify f; bloomery fpp f --absent <(seq 100000 200000) | "
        "grep -c fpp;"
        "bloomery estimate -t $t -n 1000 -p 1e-4 | wc -l");
    EXPECT_TRUE(ran.out.starts_with("1000\nf: ok\n3\n")) << type << ": " << ran.out << ran.err;
  }
}

TEST(Build, RefusesToOverwriteWithoutForce) {
  const Shell shell;
  const Ran ran =
      shell.run("seq 10 > k; echo precious > old; bloomery build -o old -p 0.01 k; s=$?; cat old; exit $s");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "precious\n");
  EXPECT_TRUE(contains(ran.err, "old: exists already")) << ran.err;
  const Ran text = shell.run("bloomery build --force -o old -p 0.01 k; s=$?; cat old; exit $s");
  EXPECT_EQ(text.status, 2) << "no filter is replaced only by hand";
  EXPECT_EQ(text.out, "precious\n");
  EXPECT_EQ(
      shell
          .run("echo 11 | bloomery build -o filter; bloomery build --force -o filter -p 0.01 k && bloomery "
               "query -c filter k")
          .out,
      "10\n");
}

TEST(Build, WritesToStandardOutput) {
  const Shell shell;
  EXPECT_EQ(
      shell.run("seq 10 > k; bloomery build -o a -p 0.01 k; bloomery build -o - -p 0.01 k | cmp - a").status,
      0);
}

TEST(Build, ImpossibleSizesAreRefusedWithTheNumbers) {
  const Shell shell;
  EXPECT_EQ(shell.run("seq 10 | bloomery build -o f -n ''; s=$?; ls f; exit $s").status, 2);
  for (const char* fpp : {"0", "1", "-1", "2", "nan", "abc", ""}) {
    const Ran ran = shell.run("seq 10 | bloomery build -o f -n 10 -p '" + std::string(fpp) +
                              "'; s=$?; ls f 2>/dev/null; exit $s");
    EXPECT_EQ(ran.status, 2) << fpp;
    EXPECT_EQ(ran.out, "") << fpp;
  }
  const Ran huge = shell.run("seq 10 | bloomery build -o f -n 1e12 -p 1e-4 -t bloom");
  EXPECT_EQ(huge.status, 2);
  EXPECT_TRUE(contains(huge.err, "needs 2396264594")) << huge.err;
  EXPECT_EQ(shell.run("seq 10 | bloomery build -o f -n -5 -p 0.1").status, 2);
  EXPECT_EQ(shell.run("seq 10 | bloomery build -o f -n 10 -p 0.1 --bits-per-key 5").status, 2);
  EXPECT_EQ(shell.run("seq 10 | bloomery build -o f -n 10 -p 0.1 -t nonsense").status, 2);
  EXPECT_EQ(shell.run("seq 10 | bloomery build -o no/such/folder/f -n 10 -p 0.1").status, 2);
  EXPECT_EQ(shell
                .run("seq 10 | bloomery build -o /dev/null -n 10 -p 0.1 --force; s=$?; [ -c /dev/null ] || "
                     "s=9; exit $s")
                .status,
            2);
}

TEST(Build, OverCapacityWarnsAndStrictRefuses) {
  const Shell shell;
  const Ran warned = shell.run("seq 2000 | bloomery build -o f -n 1000 -p 0.01");
  EXPECT_EQ(warned.status, 0);
  EXPECT_TRUE(contains(warned.err, "over capacity")) << warned.err;
  const Ran refused =
      shell.run("seq 2000 | bloomery build -o g -n 1000 -p 0.01 --strict; s=$?; ls g; exit $s");
  EXPECT_EQ(refused.status, 4);
  EXPECT_EQ(refused.out, "");
}

// A perfect fit is not over capacity, though the estimate of what differs wavers around it; nor are repeats.
TEST(Build, APerfectFitDoesNotWarn) {
  const Shell shell;
  for (const std::string type : {"bloom", "blocked:fast", "blocked:dense"}) {
    const Ran ran =
        shell.run("(seq 20000; seq 1000) | bloomery build -o f --force -n 20000 -p 0.01 -t " + type);
    EXPECT_EQ(ran.status, 0);
    EXPECT_FALSE(contains(ran.err, "over capacity")) << ran.err;
  }
}

TEST(Build, UnknownVerbsAndMissingArgumentsAreNamed) {
  const Shell shell;
  EXPECT_TRUE(contains(shell.run("bloomery frob").err, "found 'frob'"));
  EXPECT_TRUE(contains(shell.run("bloomery frob").err, "expected a verb, one of estimate build add"));
  EXPECT_TRUE(contains(shell.run("bloomery build -p 0.1").err, "bloomery build: --output is required"));
}

TEST(Build, AnEmptyInputIsAnEmptySet) {
  const Shell shell;
  EXPECT_EQ(
      shell.run("bloomery build --allow-empty -o f -p 0.01 /dev/null -n 0; seq 1000 | bloomery query -c f")
          .out,
      "0\n");
  EXPECT_EQ(
      shell.run(": > empty; bloomery build --allow-empty -o g -p 0.01 empty; seq 1000 | bloomery query -c g")
          .out,
      "0\n");
}

TEST(Build, InterruptedItLeavesNothingBehind) {
  const Shell shell;
  const Ran ran = shell.run(
      "set -m; mkfifo in; bloomery build -o big -n 1e6 -p 0.01 < in & exec 3> in; seq 1000 >&3; until_read 3;"
      "kill -INT %1; wait %1 2>/dev/null; exec 3>&-; ls | grep -c big");
  EXPECT_EQ(ran.out, "0\n") << ran.err;
}

TEST(Add, InPlaceEqualsBuildingAtOnce) {
  const Shell shell;
  EXPECT_EQ(shell
                .run("seq 1000 > all; bloomery build -o whole -p 0.01 all; seq 400 | bloomery build -o part "
                     "-n 1000 -p 0.01;"
                     "seq 401 1000 | bloomery add part; cmp whole part")
                .status,
            0);
}

TEST(Add, StrictChangesNothing) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 900 | bloomery build -o f -n 1000 -p 0.01; cp f old; seq 5000 5101 | bloomery add --strict f; "
      "s=$?; cmp f old || s=9; exit $s");
  EXPECT_EQ(ran.status, 4) << ran.err;
  EXPECT_EQ(shell.run("seq 5000 5099 | bloomery add --strict f && seq 5000 5099 | bloomery query -c f").out,
            "100\n");
}

// Ctrl-C while add waits for input: what was read is in, and the file is whole.
TEST(Add, AnInterruptFinishesTheFile) {
  const Shell shell;
  const Ran ran = shell.run(
      "set -m; seq 10 | bloomery build -o f -n 1000 -p 1e-6 --no-summary; mkfifo in; bloomery add f < in & "
      "exec 3> in; seq 11 500 >&3; until_handled 3;"
      "kill -INT %1; wait %1; s=$?; exec 3>&-; bloomery inspect --verify f; seq 500 | bloomery query -c "
      "--no-summary f; exit $s");
  EXPECT_EQ(ran.out, "f: ok\n500\n") << ran.err;
  EXPECT_EQ(ran.status, 130);
  EXPECT_TRUE(contains(ran.err, "stopped early: 490 keys added")) << ran.err;
}

// Killed outright: the file says dirty until the same keys are added again.
TEST(Add, AKillIsSeenAndMended) {
  const Shell shell;
  const Ran killed = shell.run(
      "set -m; seq 10 | bloomery build -o f -n 1000 -p 1e-6 --no-summary; mkfifo in; bloomery add f < in & "
      "exec 3> in; seq 11 500 >&3; until_handled 3;"
      "kill -KILL %1; wait %1; exec 3>&-; flock f true; bloomery query -c f /dev/null; echo $?; bloomery "
      "inspect --json f "
      "| grep integrity");
  EXPECT_TRUE(contains(killed.out, "3\n")) << killed.out;
  EXPECT_TRUE(contains(killed.out, "\"integrity\": \"dirty")) << killed.out;
  const Ran mended = shell.run(
      "seq 11 500 | bloomery add f; echo $?; seq 11 500 | bloomery add --after-crash f; seq 500 | bloomery "
      "query -c --no-summary f");
  EXPECT_EQ(mended.out, "3\n500\n") << mended.err;
  for (const std::string& said : {killed.err, mended.err}) {
    EXPECT_TRUE(contains(said, "'bloomery add --after-crash' (accept_dirty) with the same input mends it"))
        << said;
  }
  EXPECT_FALSE(contains(killed.err, "remove")) << killed.err;
}

TEST(Add, ABadKeyStopsWithTheFileWhole) {
  const Shell shell;
  const Ran ran = shell.run(
      "echo aa | bloomery build -o f -n 100 -p 1e-6 --key-form hex; (seq 10 99; echo xyz; echo bb) > k; "
      "bloomery add f k; s=$?;"
      "bloomery inspect --verify f; exit $s");
  EXPECT_EQ(ran.status, 2);
  EXPECT_EQ(ran.out, "f: ok\n");
  EXPECT_TRUE(contains(ran.err, "k: line 91: key form hex")) << ran.err;
}

TEST(Merge, UnlikeFiltersNameWhatDiffers) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 10 > k; bloomery build -t bloom -o a -n 10 -p 0.01 k; bloomery build -t bloom -o b -n 20 -p 0.01 "
      "k; bloomery merge "
      "-o c a b; s=$?; ls c; exit $s");
  EXPECT_EQ(ran.status, 2);
  EXPECT_TRUE(contains(ran.err, "capacity (10 and 20), bits (96 and 192)")) << ran.err;
  EXPECT_EQ(ran.out, "");
}

TEST(Inspect, JsonHasTheNamedFields) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 > k; bloomery build -t bloom -o f -p 0.01 --seed 7 --note hello k; bloomery inspect --json f "
      "| jq -c "
      "'[keys_unsorted, .type, .format_version, .hash, .seed, .key_form, .capacity, .inserted, .target_fpp, "
      ".bits, .hash_count, .byte_size, .integrity, .note]'");
  EXPECT_EQ(
      ran.out,
      "[[\"type\",\"format_version\",\"hash\",\"seed\",\"key_form\",\"capacity\",\"inserted\",\"target_fpp\","
      "\"current_fpp\",\"fill_ratio\","
      "\"estimated_count\",\"bits\",\"hash_count\",\"bits_per_key\",\"byte_size\",\"file_bytes\","
      "\"integrity\",\"note\"],"
      "\"bloom\",1,\"xxh3-128\",7,\"text\",1000,1000,0.01,9586,7,1200,\"ok\",\"hello\"]\n")
      << ran.err;
}

TEST(Inspect, DamageIsShownBesideWhatIsKnown) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 1000 | bloomery build -o f -n 1000 -p 0.01; printf X | dd of=f bs=1 seek=400 conv=notrunc "
      "2>/dev/null; bloomery inspect f");
  EXPECT_EQ(ran.status, 3);
  EXPECT_TRUE(contains(ran.out, "capacity         1000")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "damaged: f: payload: at byte 192: checksum: expected")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "restore it from a copy, or build it again")) << ran.out;
  EXPECT_EQ(shell.run("echo hello > g; bloomery inspect g").status, 2) << "nothing of it is damaged";
  EXPECT_EQ(shell.run("bloomery inspect none").status, 2);
}

TEST(Estimate, TheClassicExample) {
  const Shell shell;
  const Ran ran = shell.run("bloomery estimate -n 1e10 -p 1e-4");
  for (const char* part : {"191,701,167,548", "23.96 GB    22.32 GiB", "k = 13.29 rounded to 13",
                           "resulting 1.0013e-04", "19.17"}) {
    EXPECT_TRUE(contains(ran.out, part)) << part << " in\n" << ran.out;
  }
  EXPECT_TRUE(contains(shell.run("bloomery estimate -n 80000 --bits-per-key 20").out, "1,600,000"));
  EXPECT_EQ(shell.run("bloomery estimate -n 1e10 -p 1").status, 2);
  EXPECT_EQ(shell.run("bloomery estimate -n 1.5 -p 0.1").status, 2);
}

TEST(Estimate, WhatWrongMaybesCost) {
  const Shell shell;
  const Ran ran =
      shell.run("bloomery estimate -t bloom -n 1e9 -p 0.01 --miss-rate 0.9 --read-cost 100 --skip-cost 0.1");
  EXPECT_TRUE(contains(ran.out, "wrong maybes cost 0.9026 per look-up")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "below an fpp of 0.001112 more bits stop paying")) << ran.out;
}

TEST(Fpp, MeasuresBesideThePrediction) {
  const Shell shell;
  const Ran ran = shell.run(
      "url_stream 50000 --distinct > in; url_stream 200000 --distinct --first 1000000000 > out; bloomery "
      "build -o f -p 0.01 in; bloomery fpp f --absent out");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_TRUE(contains(ran.out, "absent keys      200,000\n")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "measured fpp     0.0")) << ran.out;
  EXPECT_TRUE(contains(ran.out, "predicted fpp    0.01")) << ran.out;
  EXPECT_EQ(shell.run("bloomery fpp f --absent /dev/null").status, 2);
}

TEST(Build, StrictTakesAsManyKeysAsWereNamedAndNotOneMore) {
  const Shell shell;
  for (const std::string type : {"blocked", "bloom", "quotient", "counting"}) {
    const Ran exact =
        shell.run("seq 1000 | bloomery build --strict -n 1000 -p 0.01 -o f --force --no-summary -t " + type +
                  " && seq 1000 | bloomery query -c --no-summary f");
    EXPECT_EQ(exact.status, 0) << type << exact.err;
    EXPECT_EQ(exact.out, "1000\n") << type;
    EXPECT_EQ(shell.run("seq 1001 | bloomery build --strict -n 1000 -p 0.01 -o g -t " + type).status, 4)
        << type;
    EXPECT_EQ(shell.run("ls g").out, "") << type;
  }
}

// Options that a type would not heed are refused, each of them.
TEST(Build, OptionsOfRibbonsAreRefusedForOtherTypes) {
  const Shell shell;
  for (const std::string option : {"--mem 64M", "--shards 1/2", "--tmp ."}) {
    const Ran ran = shell.run("seq 10 | bloomery build -t blocked -n 10 -p 0.01 -o f " + option + "; ls f");
    EXPECT_TRUE(contains(ran.err, "expected only with -t ribbon")) << option << ": " << ran.err;
    EXPECT_EQ(ran.out, "") << option;
  }
}

// Whoever starts a command with a signal ignored, as nohup does, means it.
TEST(Add, AnIgnoredSignalStaysIgnored) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 10 | bloomery build -o f -n 1000 -p 1e-6 --no-summary; mkfifo in; "
      "(trap '' INT; exec '" BLOOMERY_COMMAND
      "' add --no-summary f < in) & adder=$!; exec 3> in; seq 11 20 >&3; sleep 0.3; "
      "kill -INT $adder; sleep 0.1; seq 21 30 >&3; exec 3>&-; wait $adder; echo $?; "
      "seq 30 | bloomery query -c --no-summary f");
  EXPECT_EQ(ran.out, "0\n30\n") << ran.err;
}

TEST(Build, ExceptionsOfAnyTypeMayGoToAFolder) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 5000 > k; seq 10001 15000 > w; bloomery build -t blocked -p 0.05 -o f --exceptions w --tmp . "
      "--no-summary k; echo $?; bloomery query -c --no-summary f w");
  EXPECT_EQ(ran.out, "0\n0\n") << ran.err;
}

TEST(Estimate, RatesAndCostsAreWhatTheyCanBe) {
  const Shell shell;
  for (const std::string costs : {"1.5 --read-cost 2 --skip-cost 1", "-0.5 --read-cost 2 --skip-cost 1",
                                  "0.5 --read-cost 1 --skip-cost 2", "0.5 --read-cost 2 --skip-cost -1"}) {
    EXPECT_EQ(shell.run("bloomery estimate -n 1000 -p 0.01 --miss-rate=" + costs).status, 2) << costs;
  }
}

// Each verb that the command names is there.
TEST(Build, EveryVerbThatTheCommandNamesExplainsItself) {
  const Shell shell;
  const Ran ran = shell.run(
      "for verb in estimate build add remove query dedup except report merge inspect fpp hfile; do "
      "bloomery $verb --help > help && grep -q \"^Usage: bloomery $verb \" help && echo $verb; done | wc -l");
  EXPECT_EQ(ran.out, "12\n") << ran.err;
}

TEST(Merge, FiltersWithoutExceptionsHaveNoneToTalkAbout) {
  const Shell shell;
  const Ran ran = shell.run(
      "for half in a b; do seq 10 | bloomery build --no-summary -o $half -n 10 -p 0.01; done; "
      "bloomery merge -o c a b");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_FALSE(contains(ran.err, "exceptions")) << ran.err;
}

TEST(Inspect, AScalableFilterHasItsBitsPerKey) {
  const Shell shell;
  const Ran ran = shell.run(
      "seq 50000 | bloomery build --no-summary -t scalable -o f -p 0.01; "
      "bloomery inspect --json f | jq '.bits_per_key - .byte_size * 8 / .estimated_count | fabs < 1'");
  EXPECT_EQ(ran.out, "true\n") << ran.err;
}

TEST(Fpp, KeysThatAreInAreAllFalsePositives) {
  const Shell shell;
  const Ran ran =
      shell.run("seq 20000 > in; bloomery build --no-summary -o f -p 0.01 in; bloomery fpp f --absent in");
  EXPECT_TRUE(contains(ran.out, "false positives  20,000\nmeasured fpp     1\n")) << ran.out << ran.err;
}

}  // namespace
}  // namespace bloomery
