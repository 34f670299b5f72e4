// The arguments of loadmodule: NAME, and those of other modules, for which the log names the setting that is meant.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "redis_module/settings.h"
#include "tests/redis_module/live_server.h"

namespace bloomery {
namespace {

class ModuleArguments : public LiveTest {
 protected:
  // Starts a server that is to refuse the module, and returns its log.
  std::string log_of_refusal(const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"redis-server",
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      folder_.path("socket"),
                                      "--logfile",
                                      folder_.path("log"),
                                      "--loadmodule",
                                      BLOOMERY_REDIS_MODULE};
    words.insert(words.end(), arguments.begin(), arguments.end());
    int status = 0;
    ::waitpid(start_process(words), &status, 0);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    return folder_.read("log");
  }
};

TEST_F(ModuleArguments, OfRedisBloomNameTheSettingThatIsMeant) {
  const std::string log = log_of_refusal({"ERROR_RATE", "0.02", "initial_size", "400"});
  EXPECT_NE(log.find("ERROR_RATE: bloomery.error-rate is meant"), std::string::npos) << log;
  EXPECT_NE(log.find("initial_size: bloomery.capacity is meant"), std::string::npos) << log;
}

TEST_F(ModuleArguments, OfNobodyAreRefused) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"FPP", "0.1"},
                                                {"NAME"},
                                                {"NAME", "b f"},
                                                {"NAME", ""},
                                                {"NAME", std::string(33, 'b')},
                                                {"NAME", "bf", "ERROR"}}) {
    EXPECT_NE(log_of_refusal(words).find("expected no arguments, or NAME and a word"), std::string::npos);
  }
}

// For programs that look for "bf" in MODULE LIST.
TEST_F(ModuleArguments, NameIsTheModulesNameAndThatOfItsSettings) {
  LiveServer server(folder_, "s", {}, "", BLOOMERY_REDIS_MODULE);
  ASSERT_TRUE(server.is_up());
  EXPECT_EQ(server("MODULE", "UNLOAD", "bloomery").find("-"), 0U) << "a module with types stays";
  EXPECT_NE(server("MODULE", "LIST").find("$bloomery"), std::string::npos);
  server.stop();
  const std::string config = folder_.path("conf");
  std::ofstream(config) << "loadmodule " BLOOMERY_REDIS_MODULE " NAME bf\nbf.error-rate 0.02\n";
  const std::string socket = folder_.path("named");
  const pid_t process =
      start_process({"redis-server", config, "--port", "0", "--unixsocket", socket, "--save", "", "--logfile",
                     folder_.path("log"), "--dir", folder_.path("")});
  std::unique_ptr<RespClient> client;
  for (int i = 0; i < 3000 && (client == nullptr || !client->is_connected()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    client = std::make_unique<RespClient>(socket);
  }
  EXPECT_NE(client->run({"MODULE", "LIST"}).find("$name $bf $ver :100"), std::string::npos)
      << client->run({"MODULE", "LIST"});
  EXPECT_EQ(client->run({"CONFIG", "GET", "bf.error-rate"}), "[$bf.error-rate $0.02]");
  EXPECT_EQ(client->run({"BF.ADD", "k", "a"}), ":1");
  EXPECT_EQ(client->run({"TYPE", "k"}), "+bloomery-") << "so another server reads its RDB under any name";
  ::kill(process, SIGTERM);
  ::waitpid(process, nullptr, 0);
}

// docs/from-redisbloom.md has a row for every name that the module knows.
TEST(OtherSettings, ArePrintedInTheirPageAsTheLogSaysThem) {
  std::ifstream in(std::string(BLOOMERY_SOURCE) + "/docs/from-redisbloom.md");
  const std::string page(std::istreambuf_iterator<char>(in), {});
  int rows = 0;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) {
      continue;
    }
    const std::size_t last = line.rfind('|', line.size() - 2);
    std::istringstream names(line.substr(0, last));
    for (std::string name; std::getline(names, name, '`');) {
      const char* const meant = redis_module::meant_by(name);
      if (meant == nullptr) {
        continue;
      }
      ++rows;
      const std::string text = meant;
      const std::string setting = text.substr(0, text.find(' '));
      EXPECT_NE(line.find(setting == "there" ? "none" : "`" + setting + "`", last), std::string::npos)
          << line;
    }
  }
  EXPECT_EQ(rows, 18);
}

}  // namespace
}  // namespace bloomery
