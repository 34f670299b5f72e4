// bloomery mirror: keeps a leased file equal to a key of a server that a feeder feeds.
#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "cli/exit_status.h"
#include "cli/redis_keys.h"
#include "cli/stop_signal.h"
#include "cli/verbs.h"
#include "feed/key_mirror.h"

namespace bloomery::cli {
namespace {

constexpr const char* kMirrorVerb = "mirror";
constexpr const char* kMirrorDescription =
    R"(Keep a leased file equal to a key that a feeder feeds, so that programs of this machine ask their own memory.

  bloomery feed postgres --table users --key email --redis redis://cache users &    # on some machine
  bloomery mirror redis://cache users users.leased &                               # on each that asks
  bloomery query users.leased -e eve@example.org                                   # prints nothing: no such row

A no of the file is as sure as one of the key: the file's lease ends with the key's at the latest, also when the
server, the network, the feeder or this program fails. New rows are in the file within a second. The server has the
module bloomery.so of this version. SIGTERM or Ctrl-C ends it in order.)";

struct MirrorOptions {
  std::string url;
  std::string key;
  std::string file;
};

Result<int> run_mirror(const MirrorOptions& options) {
  BLOOMERY_ASSIGN_OR_RETURN(redis::Url url, url_with_password(options.url));
  const std::atomic<bool>& stop = catch_stop_signals();
  feed::KeyMirror mirror({.url = std::move(url), .key = options.key, .file = options.file}, stop,
                         [](const std::string& text) { warn(kMirrorVerb, text); });
  BLOOMERY_RETURN_IF_ERROR(mirror.run());
  warn(kMirrorVerb, "stopped");
  return static_cast<int>(kDone);
}

}  // namespace

void add_mirror_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand(kMirrorVerb, kMirrorDescription);
  const auto options = std::make_shared<MirrorOptions>();
  verb->add_option("URL", options->url,
                   "the Redis or Valkey server: redis://[USER:PASSWORD@]HOST[:PORT][/DB] or unix:///PATH; a "
                   "password may be in REDISCLI_AUTH")
      ->required();
  verb->add_option("KEY", options->key, "the key that `bloomery feed postgres --redis` feeds")->required();
  verb->add_option("FILE", options->file, "the leased file, which any number of processes may ask")
      ->required();
  verb->callback([options, &exit_status] {
    const Result<int> status = run_mirror(*options);
    exit_status = status ? *status : report(kMirrorVerb, status.error());
  });
}

}  // namespace bloomery::cli
