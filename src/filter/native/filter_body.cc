#include "filter/native/filter_body.h"

#include "base/message.h"

namespace bloomery {
namespace {

template <typename T>
void note_difference(std::string& differences, const char* name, const T& left, const T& right) {
  if (left != right) {
    differences += message(differences.empty() ? "" : ", ", name, " (", left, " and ", right, ")");
  }
}

}  // namespace

void note_hash_differences(std::string& differences, const NativeHeader& left, const NativeHeader& right) {
  note_difference(differences, "hash", std::string(hash_name(left.hash.id)),
                  std::string(hash_name(right.hash.id)));
  note_difference(differences, "seed", left.hash.seed, right.hash.seed);
  note_difference(differences, "key id", show_key_id(left.hash_key_id), show_key_id(right.hash_key_id));
  note_difference(differences, "key form", describe(of_any_width(left.keys)),
                  describe(of_any_width(right.keys)));
}

void join_digest_widths(NativeHeader& header, const NativeHeader& other) {
  if (header.keys.digest_bytes != other.keys.digest_bytes) {
    header.keys.digest_bytes = 0;
  }
}

Status check_same_plan(const NativeHeader& left, const NativeHeader& right, std::string differences) {
  note_difference(differences, "type", std::string(filter_type_name(left.type)),
                  std::string(filter_type_name(right.type)));
  note_hash_differences(differences, left, right);
  note_difference(differences, "capacity", left.capacity, right.capacity);
  note_difference(differences, "target fpp", left.target_fpp, right.target_fpp);
  if (!is_static_type(left.type)) {  // parts of a static filter are as large as their keys need
    note_difference(differences, "bits", left.bits, right.bits);
  }
  note_difference(differences, "stride", left.stride_bytes, right.stride_bytes);
  note_difference(differences, "hash count", left.hash_count, right.hash_count);
  note_difference(differences, "hash bits", left.hash_bits, right.hash_bits);
  note_difference(differences, "shards", left.shards, right.shards);
  if (!differences.empty()) {
    return Error::invalid_argument("merge", "expected filters of one plan, found different " + differences);
  }
  return {};
}

}  // namespace bloomery
