// Names for the replication slot of a feeder.
//
// A new feed receives a unique name. The filter's place notes it (filter_sink.h). So the name stays the same
// wherever the place is moved, and two files of the same name never share a slot.
#pragma once

#include <string>
#include <string_view>

namespace bloomery::feed {

// Returns "bloomery_users_" and twelve random digits.
std::string new_slot_name(std::string_view table);

// Returns "bloomery_users_users_leased", made of the table and the last component of the path. Feeds into a
// server's key use this name; earlier versions used it for feeds into a file, too.
std::string slot_name_of(std::string_view table, std::string_view place);

}  // namespace bloomery::feed
