// A server in memory, in place of a real one: keys, words and replies, so that the commands of the module can
// be called by tests and fuzzers. What is saved, rewritten and loaded goes through rdb_in_memory.h.
//
//   Context context;                       has keys; each is a value of one of the module's types
//   run(context, {"CF.INFO", "k"})         calls the command, and returns its reply as RespClient shows replies
//   rewritten("k", type, value)            the commands that the log of a server gets for a value
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "redis_module/bloom_type.h"
#include "redis_module/command_list.h"
#include "redis_module/file_type.h"
#include "redis_module/module_api.h"
#include "tests/redis_module/rdb_in_memory.h"

namespace bloomery::redis_module {

struct String {
  std::string text;
};

struct DataType {
  TypeMethods methods;
};

// The server's time, in milliseconds.
inline constexpr long long kMemoryNow = 1'700'000'000'000;

struct Context {
  struct Kept {
    const DataType* type;
    void* value;
  };
  std::map<std::string, Kept> keys;
  std::string replies;
  int flags = 0;
  std::vector<int> redacted;  // the words that the last command has hidden

  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    while (!keys.empty()) {
      remove(keys.begin()->first);
    }
  }
  void remove(const std::string& name) {
    if (const auto found = keys.find(name); found != keys.end()) {
      found->second.type->methods.free(found->second.value);
      keys.erase(found);
    }
  }
  void put(const std::string& name, const DataType* type, void* value) {
    remove(name);
    keys[name] = {.type = type, .value = value};
  }
  // As COPY does. Returns false if the type refuses it.
  bool copy(const std::string& from, const std::string& to) {
    const Kept kept = keys.at(from);
    void* const made = kept.type->methods.copy(nullptr, nullptr, kept.value);
    if (made != nullptr) {
      put(to, kept.type, made);
    }
    return made != nullptr;
  }
};

struct Key {
  Context* context;
  std::string name;
};

inline void reply(Context* context, const std::string& text) {
  context->replies += (context->replies.empty() ? "" : " ") + text;
}

// Reads the arguments of Replicate and EmitAOF.
inline std::vector<std::string> formatted_words(const char* command, const char* format,
                                                std::va_list& arguments) {
  std::vector<std::string> words = {command};
  for (; *format != '\0'; ++format) {
    switch (*format) {
      case 's':
        words.push_back(va_arg(arguments, String*)->text);
        break;
      case 'c':
        words.emplace_back(va_arg(arguments, const char*));
        break;
      case 'b': {
        const char* const bytes = va_arg(arguments, const char*);
        words.emplace_back(bytes, va_arg(arguments, std::size_t));
        break;
      }
      case 'l':
        words.push_back(std::to_string(va_arg(arguments, long long)));
        break;
      default:
        std::abort();
    }
  }
  return words;
}

inline void emit_in_memory(RdbStream* stream, const char* command, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  stream->commands.push_back(formatted_words(command, format, arguments));
  va_end(arguments);
}

inline int replicate_nothing(Context* /*context*/, const char* /*command*/, const char* /*format*/, ...) {
  return kOk;
}

inline void log_no_command(Context* /*context*/, const char* /*level*/, const char* /*format*/, ...) {}

inline void use_keys_in_memory() {
  server.OpenKey = [](Context* context, String* name, int /*mode*/) {
    return new Key{.context = context, .name = name->text};
  };
  server.CloseKey = [](Key* key) { delete key; };
  server.KeyType = [](Key* key) { return key->context->keys.contains(key->name) ? kModuleKey : kEmptyKey; };
  server.ModuleTypeGetType = [](Key* key) {
    return const_cast<DataType*>(key->context->keys.at(key->name).type);  // NOLINT: the server's signature
  };
  server.ModuleTypeGetValue = [](Key* key) { return key->context->keys.at(key->name).value; };
  server.ModuleTypeSetValue = [](Key* key, DataType* type, void* value) {
    key->context->put(key->name, type, value);
    return kOk;
  };
  server.UnlinkKey = [](Key* key) {
    key->context->remove(key->name);
    return kOk;
  };
  server.SetExpire = [](Key* /*key*/, long long /*milliseconds*/) { return kOk; };
  server.NotifyKeyspaceEvent = [](Context* /*context*/, int /*kind*/, const char* /*event*/,
                                  String* /*name*/) { return kOk; };
  server.Replicate = replicate_nothing;
  server.ReplicateVerbatim = [](Context* /*context*/) { return kOk; };
  server.EmitAOF = emit_in_memory;
  server.Log = log_no_command;
  server.GetContextFlags = [](Context* context) { return context->flags; };
  server.Milliseconds = [] { return kMemoryNow; };
  server.CreateDataType = [](Context* /*context*/, const char* /*name*/, int /*encoding*/,
                             TypeMethods* methods) {
    return new DataType{*methods};  // for the life of the process, as in a server
  };
}

inline void use_words_in_memory() {
  server.StringPtrLen = [](const String* word, std::size_t* size) {
    *size = word->text.size();
    return word->text.data();
  };
  server.StringToLongLong = [](const String* word, long long* value) {
    const std::string& text = word->text;
    char* end = nullptr;
    *value = std::strtoll(text.c_str(), &end, 10);
    return !text.empty() && end == text.c_str() + text.size() ? kOk : kErr;
  };
  server.StringToDouble = [](const String* word, double* value) {
    const std::string& text = word->text;
    char* end = nullptr;
    *value = std::strtod(text.c_str(), &end);
    return !text.empty() && end == text.c_str() + text.size() ? kOk : kErr;
  };
  server.CreateString = [](Context* /*context*/, const char* text, std::size_t size) {
    return new String{std::string(text, size)};
  };
  server.FreeString = [](Context* /*context*/, String* word) { delete word; };
  server.RedactClientCommandArgument = [](Context* context, int index) {
    context->redacted.push_back(index);
    return kOk;
  };
}

inline void use_replies_in_memory() {
  server.ReplyWithLongLong = [](Context* context, long long number) {
    reply(context, ":" + std::to_string(number));
    return kOk;
  };
  server.ReplyWithBool = [](Context* context, int is_true) {
    reply(context, is_true != 0 ? ":1" : ":0");
    return kOk;
  };
  server.ReplyWithNull = [](Context* context) {
    reply(context, "_");
    return kOk;
  };
  server.ReplyWithDouble = [](Context* context, double number) {
    reply(context, "," + std::to_string(number));
    return kOk;
  };
  server.ReplyWithError = [](Context* context, const char* error) {
    reply(context, std::string("-") + error);
    return kOk;
  };
  server.ReplyWithSimpleString = [](Context* context, const char* text) {
    reply(context, std::string("+") + text);
    return kOk;
  };
  server.ReplyWithStringBuffer = [](Context* context, const char* text, std::size_t size) {
    reply(context, "$" + std::string(text, size));
    return kOk;
  };
  server.ReplyWithArray = [](Context* context, long size) {
    reply(context, "*" + std::to_string(size));
    return kOk;
  };
  server.ReplyWithMap = [](Context* context, long size) {
    reply(context, "%" + std::to_string(size));
    return kOk;
  };
  server.WrongArity = [](Context* context) {
    reply(context, "-ERR wrong number of arguments");
    return kOk;
  };
}

// Puts all these functions into the table of the server's functions, once in a process.
inline void use_server_in_memory() {
  use_rdb_in_memory();
  static const bool is_done = [] {
    use_keys_in_memory();
    use_words_in_memory();
    use_replies_in_memory();
    Context context;
    return register_types(&context) && register_file_type(&context);
  }();
  if (!is_done) {
    std::abort();
  }
}

inline std::vector<CommandRow> all_commands() {
  std::vector<CommandRow> rows;
  for (const auto& some : {bf_commands(), cf_commands(), bloom_commands(), load_commands()}) {
    rows.insert(rows.end(), some.begin(), some.end());
  }
  return rows;
}

// Calls a command, and returns its reply. An array shows its size as *n, a map as %n.
inline std::string run(Context& context, const std::vector<std::string>& words) {
  for (const CommandRow& row : all_commands()) {
    if (row.name == words[0]) {
      std::vector<String> strings;
      strings.reserve(words.size());
      std::vector<String*> pointers;
      for (const std::string& word : words) {
        pointers.push_back(&strings.emplace_back(String{word}));
      }
      context.replies.clear();
      context.redacted.clear();
      row.call(&context, pointers.data(), static_cast<int>(pointers.size()));
      return std::exchange(context.replies, {});
    }
  }
  return "-ERR unknown command";
}

// Returns what the rewritten log of a server would have of the key.
inline std::vector<std::vector<std::string>> rewritten(const Context& context, const std::string& name) {
  const Context::Kept& kept = context.keys.at(name);
  RdbStream stream;
  String key{name};
  kept.type->methods.aof_rewrite(&stream, &key, kept.value);
  return std::move(stream.commands);
}

// Loads a log: its commands are obeyed. Returns the first error, or nothing.
inline std::string load_log(Context& context, const std::vector<std::vector<std::string>>& log) {
  context.flags = kFlagLoading;
  std::string error;
  for (const std::vector<std::string>& words : log) {
    const std::string answer = run(context, words);
    if (error.empty() && answer.starts_with("-")) {
      error = words[0] + " " + answer;
    }
  }
  context.flags = 0;
  return error;
}

inline FilterValue& value_at(const Context& context, const std::string& name) {
  return *static_cast<FilterValue*>(context.keys.at(name).value);
}

inline void put_value(Context& context, const std::string& name, std::unique_ptr<FilterValue> value) {
  const DataType* const type = type_of(family_of(value->layout()));
  context.put(name, type, value.release());
}

// Calls every command that a value can meet with the key `name`, with the words that each of them takes: as
// its key, and as another key. A command that changes keys gets a copy. A value that cannot be copied gets
// the commands themselves.
inline void call_every_command(Context& context, const std::string& name) {
  const std::vector<std::vector<std::string>> endings = {
      {},
      {"a"},
      {"0"},
      {"1"},
      {"a", "b"},
      {"1", "data"},
      {"AT", "1"},
      {"ITEMS", "a", "b"},
      {"CAPACITY", "100", "ITEMS", "a"},
      {"0.01", "100"},
      {"", "record", "0", "a", "b"},
      {"CHUNK", "0", "0", "data"},
  };
  const auto call = [&](const std::string& command, const std::string& key,
                        const std::vector<std::string>& ending) {
    std::vector<std::string> words = {command, key};
    words.insert(words.end(), ending.begin(), ending.end());
    if (run(context, words).empty()) {
      std::abort();  // a client would wait for ever
    }
  };
  for (const CommandRow& row : all_commands()) {
    const bool writes = std::string_view(row.flags).starts_with("write");
    for (const auto& ending : endings) {
      if (writes && !context.copy(name, "a copy")) {
        context.remove("a copy");
      }
      call(row.name, writes && context.keys.contains("a copy") ? "a copy" : name, ending);
    }
    if (row.more != MoreKeys::kNo && context.copy(name, "a copy")) {
      call(row.name, "another", {"a copy"});
      if (context.copy(name, "a copy")) {
        call(row.name, "a copy", {"a copy"});
      }
    }
    context.remove("a copy");
    context.remove("another");
  }
}

}  // namespace bloomery::redis_module
