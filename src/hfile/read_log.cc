#include "hfile/read_log.h"

#include <utility>

namespace bloomery::hfile {

ReadLog::ReadLog() : outer_(std::exchange(innermost(), this)) {}

ReadLog::~ReadLog() {
  innermost() = outer_;
}

}  // namespace bloomery::hfile
