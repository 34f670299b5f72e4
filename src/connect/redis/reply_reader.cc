#include "connect/redis/reply_reader.h"

#include <hiredis/read.h>
#include <new>
#include <utility>

#include "base/message.h"

namespace bloomery::redis {
namespace {

// Stores a reply where the parser expects it: as the top-level reply, or as the next element of the enclosing
// array. Elements arrive in order, and an array is complete before its next sibling begins, so the parser's
// pointers stay valid. Returns null if memory is exhausted, which hiredis treats as an error, because no
// exception may pass through hiredis.
void* place(const redisReadTask* task, Reply reply) noexcept {
  try {
    if (task->parent == nullptr) {
      return new Reply(std::move(reply));
    }
    Reply& array = *static_cast<Reply*>(task->parent->obj);
    return &array.elements.emplace_back(std::move(reply));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* make_text(const redisReadTask* task, char* bytes, std::size_t size) noexcept {
  try {
    const Reply::Kind kind = task->type == REDIS_REPLY_ERROR    ? Reply::Kind::kError
                             : task->type == REDIS_REPLY_STATUS ? Reply::Kind::kStatus
                                                                : Reply::Kind::kBytes;
    return place(task, {.kind = kind, .integer = 0, .text = std::string(bytes, size), .elements = {}});
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* make_array(const redisReadTask* task, int elements) {
  return elements > kReplyElementsMax
             ? nullptr
             : place(task, {.kind = Reply::Kind::kArray, .integer = 0, .text = {}, .elements = {}});
}

void* make_integer(const redisReadTask* task, long long value) {
  return place(task, {.kind = Reply::Kind::kInteger, .integer = value, .text = {}, .elements = {}});
}

void* make_nil(const redisReadTask* task) {
  return place(task, {});
}

void free_reply(void* reply) {
  delete static_cast<Reply*>(reply);
}

redisReplyObjectFunctions functions = {make_text, make_array, make_integer, make_nil, free_reply};

}  // namespace

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(&functions)) {}

void ReplyReader::Free::operator()(redisReader* reader) const {
  redisReaderFree(reader);
}

Status ReplyReader::feed(std::string_view bytes) {
  if (reader_ != nullptr && reader_->err == 0 &&
      reader_->len - reader_->pos + bytes.size() > kReplyBytesMax) {
    return Error::capacity("reply", message("expected at most ", kReplyBytesMax, " bytes, found more"));
  }
  if (reader_ == nullptr || redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return failure();
  }
  return {};
}

Error ReplyReader::failure() const {
  if (reader_ == nullptr || reader_->err == REDIS_ERR_OOM) {
    return Error::capacity("reply", message("expected at most ", kReplyElementsMax,
                                            " elements and room for them in memory, found more"));
  }
  return Error(ErrorCode::kCorruption, "reply",
               message("expected a reply of the protocol RESP2, found: ", reader_->errstr));
}

Result<std::optional<Reply>> ReplyReader::next() {
  void* found = nullptr;
  if (reader_ == nullptr || redisReaderGetReply(reader_.get(), &found) != REDIS_OK) {
    return failure();
  }
  if (found == nullptr) {
    return std::optional<Reply>();
  }
  const std::unique_ptr<Reply> reply(static_cast<Reply*>(found));
  return std::optional<Reply>(std::move(*reply));
}

bool ReplyReader::has_rest() const {
  if (reader_ == nullptr) {
    return false;
  }
  // As soon as next() is called, the parser pushes a reply whose type is not known yet. It counts only with a
  // type.
  const bool has_begun = reader_->ridx > 0 || (reader_->ridx == 0 && reader_->rstack[0].type >= 0);
  return reader_->pos < reader_->len || has_begun;
}

}  // namespace bloomery::redis
