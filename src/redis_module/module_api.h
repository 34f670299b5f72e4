// The interface between a Redis or Valkey server and a module, declared here instead of including
// redismodule.h.
//
// The server passes a function that finds its other functions by name. bind() looks up those that this module
// uses. So one binary serves Redis from 7.0 and Valkey from 8.0 on. Functions of later versions are null on
// older servers; BLOOMERY_LATER_SERVER_CALLS lists them.
//
// Types of the server are opaque. Constants and structure layouts are part of the server's stable interface.
//
// Source: the documentation of the modules API of Redis 7.0 and the servers' behaviour (Redis 7.0.15, Valkey
// 8.0.1).
#pragma once

#include <cstddef>
#include <cstdint>

namespace bloomery::redis_module {

struct Context;
struct Key;
struct String;
struct DataType;
struct RdbStream;
struct Digest;
struct InfoContext;
struct Command;
struct DefragContext;

inline constexpr int kOk = 0;
inline constexpr int kErr = 1;

// Modes of OpenKey.
inline constexpr int kRead = 1;
inline constexpr int kWrite = 2;
// Types of keys.
inline constexpr int kEmptyKey = 0;
inline constexpr int kModuleKey = 6;
inline constexpr long kPostponedLength = -1;
// Bits of the result of GetContextFlags.
inline constexpr int kFlagReplica = 1 << 3;
inline constexpr int kFlagReplicated = 1 << 12;
inline constexpr int kFlagLoading = 1 << 13;
inline constexpr int kFlagResp3 = 1 << 22;
// Options of SetModuleOptions: the module checks for read errors; its types may be loaded while old data is
// served.
inline constexpr int kOptionHandlesIoErrors = 1 << 0;
inline constexpr int kOptionHandlesAsyncLoading = 1 << 2;
// Classes of keyspace events.
inline constexpr int kNotifyModule = 1 << 13;
// Flags of settings.
inline constexpr unsigned kSettingIsMemory = 1U << 7;

using CommandFunction = int (*)(Context*, String**, int);

// The functions of a data type, in the server's order and widths: version 4 of the structure.
struct TypeMethods {
  std::uint64_t version = 4;
  void* (*rdb_load)(RdbStream*, int encoding) = nullptr;
  void (*rdb_save)(RdbStream*, void* value) = nullptr;
  void (*aof_rewrite)(RdbStream*, String* key, void* value) = nullptr;
  std::size_t (*mem_usage)(const void* value) = nullptr;
  void (*digest)(Digest*, void* value) = nullptr;
  void (*free)(void* value) = nullptr;
  int (*aux_load)(RdbStream*, int encoding, int when) = nullptr;
  void (*aux_save)(RdbStream*, int when) = nullptr;
  int aux_save_triggers = 0;
  std::size_t (*free_effort)(String* key, const void* value) = nullptr;
  void (*unlink)(String* key, const void* value) = nullptr;
  void* (*copy)(String* from, String* to, const void* value) = nullptr;
  int (*defrag)(DefragContext*, String* key, void** value) = nullptr;
  std::size_t (*mem_usage2)(void* options, const void* value, std::size_t samples) = nullptr;
  std::size_t (*free_effort2)(void* options, const void* value) = nullptr;
  void (*unlink2)(void* options, const void* value) = nullptr;
  void* (*copy2)(void* options, const void* value) = nullptr;
};

// Structures for SetCommandInfo. Arrays end with a zeroed element; the server copies everything.
inline constexpr std::uint64_t kSpecReads = 1 | 16;        // RO, ACCESS
inline constexpr std::uint64_t kSpecInserts = 2 | 64;      // RW, INSERT
inline constexpr std::uint64_t kSpecDeletes = 2 | 128;     // RW, DELETE
inline constexpr std::uint64_t kSpecMoves = 2 | 16 | 128;  // RW, ACCESS, DELETE
inline constexpr std::uint64_t kSpecUpdates = 2 | 32;      // RW, UPDATE
inline constexpr std::uint64_t kSpecOverwrites = 4 | 32;   // OW, UPDATE
inline constexpr int kSpecBeginsAtIndex = 2;
inline constexpr int kSpecFindsRange = 2;

struct KeySpec {
  const char* notes;
  std::uint64_t flags;
  int begin_type;
  union {
    struct {
      int position;
    } index;
    struct {
      const char* keyword;
      int start_from;
    } keyword;
  } begin;
  int find_type;
  union {
    struct {
      int last_key;
      int step;
      int limit;
    } range;
    struct {
      int count_index;
      int first_key;
      int step;
    } count;
  } find;
};

enum class ArgumentType : int {
  kString = 0,
  kInteger = 1,
  kDouble = 2,
  kKey = 3,
  kToken = 6,
  kOneOf = 7,
  kBlock = 8
};
inline constexpr int kArgumentIsOptional = 1;
inline constexpr int kArgumentRepeats = 2;

struct CommandArgument {
  const char* name;
  ArgumentType type;
  int key_spec_index;  // index of the key spec; -1 if the argument is no key
  const char* token;
  const char* summary;
  const char* since;
  int flags;
  const char* deprecated_since;
  CommandArgument* parts;
};

struct CommandHistory {
  const char* since;
  const char* changes;
};

struct CommandInfoVersion {
  int version;
  std::size_t history_bytes;
  std::size_t key_spec_bytes;
  std::size_t argument_bytes;
};

struct CommandInfo {
  const CommandInfoVersion* version;
  const char* summary;
  const char* complexity;
  const char* since;
  CommandHistory* history;
  const char* tips;
  int arity;
  KeySpec* key_specs;
  CommandArgument* arguments;
};

// X(result, name, parameters): functions that every server has from Redis 7.0 on.
// clang-format off
#define BLOOMERY_SERVER_CALLS(X)                                                                                       \
  X(void*, Calloc, (std::size_t, std::size_t))                                                                         \
  X(void, Free, (void*))                                                                                               \
  X(void, SetModuleAttribs, (Context*, const char* name, int version, int api))                                        \
  X(int, IsModuleNameBusy, (const char*))                                                                              \
  X(void, SetModuleOptions, (Context*, int))                                                                           \
  X(int, CreateCommand, (Context*, const char*, CommandFunction, const char* flags, int first, int last, int step))    \
  X(Command*, GetCommand, (Context*, const char*))                                                                     \
  X(int, SetCommandInfo, (Command*, const CommandInfo*))                                                               \
  X(DataType*, CreateDataType, (Context*, const char*, int, TypeMethods*))                                             \
  X(int, RegisterInfoFunc, (Context*, void (*)(InfoContext*, int)))                                                    \
  X(int, InfoAddSection, (InfoContext*, const char*))                                                                  \
  X(int, InfoAddFieldULongLong, (InfoContext*, const char*, unsigned long long))                                       \
  X(int, RegisterNumericConfig, (Context*, const char*, long long, unsigned, long long, long long,                     \
                                 long long (*)(const char*, void*), int (*)(const char*, long long, void*, String**),  \
                                 int (*)(Context*, void*, String**), void*))                                           \
  X(int, RegisterBoolConfig, (Context*, const char*, int, unsigned, int (*)(const char*, void*),                       \
                              int (*)(const char*, int, void*, String**), int (*)(Context*, void*, String**), void*))  \
  X(int, RegisterEnumConfig, (Context*, const char*, int, unsigned, const char**, const int*, int,                     \
                              int (*)(const char*, void*), int (*)(const char*, int, void*, String**),                 \
                              int (*)(Context*, void*, String**), void*))                                              \
  X(int, RegisterStringConfig, (Context*, const char*, const char*, unsigned, String* (*)(const char*, void*),         \
                                int (*)(const char*, String*, void*, String**), int (*)(Context*, void*, String**),    \
                                void*))                                                                                \
  X(int, LoadConfigs, (Context*))                                                                                      \
  X(Key*, OpenKey, (Context*, String*, int))                                                                           \
  X(void, CloseKey, (Key*))                                                                                            \
  X(int, KeyType, (Key*))                                                                                              \
  X(DataType*, ModuleTypeGetType, (Key*))                                                                              \
  X(void*, ModuleTypeGetValue, (Key*))                                                                                 \
  X(int, ModuleTypeSetValue, (Key*, DataType*, void*))                                                                 \
  X(int, UnlinkKey, (Key*))                                                                                            \
  X(int, SetExpire, (Key*, long long milliseconds))                                                                    \
  X(int, NotifyKeyspaceEvent, (Context*, int, const char*, String*))                                                   \
  X(const char*, StringPtrLen, (const String*, std::size_t*))                                                          \
  X(int, StringToLongLong, (const String*, long long*))                                                                \
  X(int, StringToDouble, (const String*, double*))                                                                     \
  X(String*, CreateString, (Context*, const char*, std::size_t))                                                       \
  X(void, FreeString, (Context*, String*))                                                                             \
  X(int, ReplyWithLongLong, (Context*, long long))                                                                     \
  X(int, ReplyWithBool, (Context*, int))                                                                               \
  X(int, ReplyWithNull, (Context*))                                                                                    \
  X(int, ReplyWithDouble, (Context*, double))                                                                          \
  X(int, ReplyWithError, (Context*, const char*))                                                                      \
  X(int, ReplyWithSimpleString, (Context*, const char*))                                                               \
  X(int, ReplyWithStringBuffer, (Context*, const char*, std::size_t))                                                  \
  X(int, ReplyWithArray, (Context*, long))                                                                             \
  X(int, ReplyWithMap, (Context*, long))                                                                               \
  X(void, ReplySetArrayLength, (Context*, long))                                                                       \
  X(int, WrongArity, (Context*))                                                                                       \
  X(int, GetContextFlags, (Context*))                                                                                  \
  X(long long, Milliseconds, ())                                                                                       \
  X(void, Log, (Context*, const char* level, const char* format, ...))                                                 \
  X(void, LogIOError, (RdbStream*, const char* level, const char* format, ...))                                        \
  X(int, Replicate, (Context*, const char* command, const char* format, ...))                                          \
  X(int, ReplicateVerbatim, (Context*))                                                                                \
  X(void, EmitAOF, (RdbStream*, const char* command, const char* format, ...))                                         \
  X(void, SaveUnsigned, (RdbStream*, std::uint64_t))                                                                   \
  X(std::uint64_t, LoadUnsigned, (RdbStream*))                                                                         \
  X(void, SaveStringBuffer, (RdbStream*, const char*, std::size_t))                                                    \
  X(char*, LoadStringBuffer, (RdbStream*, std::size_t*))                                                               \
  X(int, IsIOError, (RdbStream*))                                                                                      \
  X(void, DigestAddStringBuffer, (Digest*, const char*, std::size_t))                                                  \
  X(void, DigestEndSequence, (Digest*))                                                                                \
  X(void*, DefragAlloc, (DefragContext*, void*))                                                                       \
  X(int, DefragShouldStop, (DefragContext*))                                                                           \
  X(int, DefragCursorSet, (DefragContext*, unsigned long))                                                             \
  X(int, DefragCursorGet, (DefragContext*, unsigned long*))

// X(result, name, parameters): functions that only some servers have, or that a test without a server may
// lack. A missing one is null.
#define BLOOMERY_LATER_SERVER_CALLS(X)                                                                                 \
  X(int, RedactClientCommandArgument, (Context*, int))                                                                 \
  X(Context*, GetContextFromIO, (RdbStream*))                                                                          \
  X(void*, TryAlloc, (std::size_t))                                     /* 7.0, missing before 7.0.0 was final */      \
  X(void*, TryCalloc, (std::size_t, std::size_t))                       /* Redis 7.4, Valkey 8.0 */                    \
  X(int, AddACLCategory, (Context*, const char*))                       /* Redis 7.4, Valkey 8.0 */                    \
  X(int, SetCommandACLCategories, (Command*, const char*))              /* Redis 7.2, Valkey 8.0 */
// clang-format on

struct ServerCalls {
#define BLOOMERY_DECLARE(result, name, parameters) result(*name) parameters = nullptr;
  BLOOMERY_SERVER_CALLS(BLOOMERY_DECLARE)
  BLOOMERY_LATER_SERVER_CALLS(BLOOMERY_DECLARE)
#undef BLOOMERY_DECLARE
};

// The server's functions, valid after bind().
extern ServerCalls server;

// Looks up the server's functions. Returns the name of a missing one, or null.
const char* bind(Context* context);

}  // namespace bloomery::redis_module
