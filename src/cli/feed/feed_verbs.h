// `bloomery feed` and its verbs, one file each. Each function adds its verb (cli/verbs.h).
#pragma once

#include "cli/option_parser.h"

namespace bloomery::cli {

void add_feed_verb(CLI::App& app, int& exit_status);
void add_feed_postgres_verb(CLI::App& feed, int& exit_status);

}  // namespace bloomery::cli
