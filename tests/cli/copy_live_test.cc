// `bloomery copy` brings a file into a key of a live server and out of it, byte for byte.
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class Copy : public OneServerTest {
 protected:
  void SetUp() override {
    OneServerTest::SetUp();
    if (!IsSkipped()) {
      ASSERT_EQ(run("seq 200000 > keys"), 0);
    }
  }
  // Runs a line in the test's folder. "copy" there stands for `bloomery copy --redis` of the server.
  int run(const std::string& line) {
    const std::string setup = "cd " + folder_.path("") +
                              " && bloomery() { " BLOOMERY_COMMAND
                              " \"$@\"; }; copy() { bloomery copy --redis unix://" +
                              server_->socket() + " \"$@\"; }; ";
    const int status = std::system(("bash -c '" + setup + line + "' 2>" + folder_.path("errors")).c_str());
    return WEXITSTATUS(status);
  }
  std::string errors() const { return folder_.read("errors"); }
};

TEST_F(Copy, AFileComesIntoAKeyAndOutOfItAgain) {
  for (const char* const type :
       {"ribbon", "blocked", "bloom", "counting", "scalable", "quotient", "windowed --window 200000",
        "windowed --window 1h", "counting --exact-below 200000"}) {
    ASSERT_EQ(run(std::string("bloomery build --force -o f -p 1e-4 -n 200000 -t ") + type + " keys"), 0)
        << errors();
    ASSERT_EQ(run("copy f list"), 0) << type << errors();
    EXPECT_EQ((*server_)("BLOOM.MEXISTS", "list", "1", "200000"), "[:1 :1]") << type;
    EXPECT_EQ(run("copy list -o again --force && cmp f again"), 0) << type << errors();
    EXPECT_EQ(run("seq 200001 400000 > strangers; bloomery query --redis unix://" + server_->socket() +
                  " list strangers > by_key; bloomery query f strangers > by_file; cmp by_key by_file"),
              0)
        << type << errors();
  }
  EXPECT_EQ((*server_)("KEYS", "*"), "[$list]") << "no part is left";
}

TEST_F(Copy, ItemsInTheKeyMakeOfTheFileWhatTheVerbAddMakesOfIt) {
  ASSERT_EQ(run("seq 200001 203000 > more"), 0);
  for (const char* const type : {"blocked:fast", "blocked:dense", "bloom", "counting", "scalable"}) {
    const std::string options = std::string(type) == "scalable" ? " -n 150000 -t " : " -n 210000 -t ";
    ASSERT_EQ(
        run("bloomery build --force --note list -o f -p 1e-3" + options + type + " keys && copy f list"), 0)
        << errors();
    ASSERT_EQ(run("xargs -n 1000 redis-cli -s " + server_->socket() + " BLOOM.MADD list < more > added"), 0);
    EXPECT_EQ(run("bloomery add --no-summary f more; copy list -o again --force && cmp f again"), 0)
        << type << errors();
    EXPECT_EQ(run("bloomery inspect --verify again > verified"), 0) << type << errors();
  }
}

TEST_F(Copy, AKeyedFileTakesItsSecretAlong) {
  ASSERT_EQ(run("bloomery build -o f -p 1e-6 --keyed keys && copy f list"), 0) << errors();
  EXPECT_EQ((*server_)("BLOOM.MEXISTS", "list", "1", "nobody"), "[:1 :0]");
  EXPECT_EQ(run("rm f.key; copy f other"), 2);
  EXPECT_NE(errors().find("key"), std::string::npos);
}

// A list whose download failed would answer no to everything.
TEST_F(Copy, AnEmptyFilterIsRefusedAndTheOldListStays) {
  ASSERT_EQ(run("bloomery build -o f -p 1e-6 keys && copy f list"), 0) << errors();
  for (const char* const type : {"blocked", "ribbon", "quotient"}) {
    ASSERT_EQ(
        run(std::string("bloomery build --allow-empty --force -n 10 -o none -t ") + type + " < /dev/null"), 0)
        << errors();
    EXPECT_EQ(run("copy none list"), 2) << type;
    EXPECT_NE(errors().find("none: expected keys in it, found none; --allow-empty copies it"),
              std::string::npos)
        << errors();
    EXPECT_EQ((*server_)("BLOOM.MEXISTS", "list", "1", "nobody"), "[:1 :0]") << type;
    EXPECT_EQ(run("copy none new"), 2) << type;
  }
  EXPECT_EQ((*server_)("KEYS", "*"), "[$list]") << "and no part is left";
  EXPECT_EQ(run("copy --allow-empty none list"), 0) << errors();
  EXPECT_EQ((*server_)("BLOOM.MEXISTS", "list", "1", "nobody"), "[:0 :0]");
}

TEST_F(Copy, ACopyThatWasCutGoesOn) {
  ASSERT_EQ(run("seq 3000000 > many && bloomery build -o f -p 1e-6 many"), 0) << errors();
  (void)run("copy f list & sleep 0.03; kill -9 $!; wait");
  EXPECT_EQ(run("copy f list && copy list -o again && cmp f again"), 0) << errors();
}

TEST_F(Copy, WhatCannotBeCopiedIsSaid) {
  ASSERT_EQ(run("bloomery build -o f -p 0.01 keys"), 0);
  EXPECT_EQ(run("copy f"), 2);
  EXPECT_EQ(run("copy f list -o again"), 2);
  EXPECT_EQ(run("copy missing list"), 2);
  EXPECT_EQ(run("copy missing -o again"), 2);
  EXPECT_EQ(run("ls again"), 2) << "nothing is left of a copy that failed";
  EXPECT_EQ(run("bloomery build -o w --key-form url -p 0.01 <(echo http://example.com); copy w list"), 2);
  EXPECT_NE(errors().find("URLs"), std::string::npos);
  EXPECT_EQ(run("printf x | dd of=f bs=1 seek=1000 conv=notrunc 2>/dev/null; copy f list"), 3);
  EXPECT_EQ((*server_)("EXISTS", "list"), ":0");
  EXPECT_EQ(run("bloomery copy f list --redis unix:///nowhere"), 2);
  EXPECT_EQ(run("redis-server --port 0 --unixsocket " + folder_.path("plain") +
                " --save \"\" --daemonize yes --dir . >/dev/null; sleep 0.5; bloomery build --force -o f -p "
                "0.01 keys; "
                "bloomery copy f list --redis unix://" +
                folder_.path("plain") + "; status=$?; redis-cli -s " + folder_.path("plain") +
                " SHUTDOWN NOSAVE; exit $status"),
            5);
  EXPECT_NE(errors().find("bloomery.so"), std::string::npos) << errors();
  (*server_)("SET", "text", "1");
  EXPECT_EQ(run("bloomery build --force -o f -p 0.01 keys && copy f text"), 2);
  EXPECT_EQ((*server_)("GET", "text"), "$1");
}

}  // namespace
}  // namespace bloomery
