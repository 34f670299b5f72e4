// bloomery feed: keeps a filter up to date with a database.
#include <CLI/CLI.hpp>

#include "cli/verbs.h"

namespace bloomery::cli {
namespace {

constexpr const char* kFeedDescription =
    R"(Keep a filter current with a database, so that a *no* spares it a question.

  bloomery feed postgres --table users --key email --file users.leased)";

}  // namespace

void add_feed_verb(CLI::App& app, int& exit_status) {
  CLI::App* const verb = app.add_subcommand("feed", kFeedDescription);
  verb->require_subcommand(1);
  add_feed_postgres_verb(*verb, exit_status);
}

}  // namespace bloomery::cli
