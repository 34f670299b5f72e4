// Names for the replication slot of a feeder.
//
// A new feed gets a name that no other one has. The filter's place notes it (filter_sink.h), so it stays the same wherever the
// place is moved, and two files never share a slot because they are called alike.
#pragma once

#include <string>
#include <string_view>

namespace bloomery::feed {

// Returns "bloomery_users_" and twelve random digits.
std::string new_slot_name(std::string_view table);

// Returns "bloomery_users_users_leased", made of the table and of the last part of the place's path. It is the name that a
// feed into a key of a server has, and that earlier versions gave to a feed into a file.
std::string slot_name_of(std::string_view table, std::string_view place);

}  // namespace bloomery::feed
