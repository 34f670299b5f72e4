#include "codec/cassandra/index_entries.h"

namespace bloomery {

bool IndexEntries::damaged() {
  status_ = is_ascending_
                ? Error::corruption("Index.db", begin_, "a complete entry",
                                    "the end after " + std::to_string(file_.size() - begin_) + " bytes")
                : Error::corrupt_field("Index.db", begin_, "position", "one above that of the entry before",
                                       position_);
  return false;
}

}  // namespace bloomery
