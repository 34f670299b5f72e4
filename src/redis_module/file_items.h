// Item commands on a key that was loaded from a file: query, add, remove, count; and BLOOM.INFO.
//
// Every accepted item is replicated, even a known one, because the file counts it, and a counting filter
// increments its counters.
//
// Not here: the load (load_commands.cc).
#pragma once

#include "redis_module/arguments.h"
#include "redis_module/file_value.h"
#include "redis_module/item_replies.h"
#include "redis_module/module_api.h"

namespace bloomery::redis_module {

int ask_file(Context* context, const FileValue& file, Words items, AnswerAs as);
int add_to_file(Context* context, String* name, FileValue& file, Words items, AnswerAs as);
int remove_from_file(Context* context, String* name, FileValue& file, Words items);
int count_in_file(Context* context, const FileValue& file, const String* item);
int describe_file(Context* context, const FileValue& file);

}  // namespace bloomery::redis_module
