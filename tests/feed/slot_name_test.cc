// Names of slots: PostgreSQL takes them, no two feeds have the same, and those of earlier versions stay what they were.
#include "feed/slot_name.h"

#include <string>

#include <gtest/gtest.h>

#include "filter/leased/lease_page.h"

namespace bloomery::feed {
namespace {

TEST(SlotName, TwoNewOnesDiffer) {
  const std::string name = new_slot_name("shop.Orders");
  EXPECT_TRUE(name.starts_with("bloomery_shop_orders_")) << name;
  EXPECT_EQ(name.size(), 21U + 12U);
  EXPECT_NE(name, new_slot_name("shop.Orders"));
  const std::string table(200, 'x');
  EXPECT_EQ(new_slot_name(table).size(), kMostOfSlotName);
  EXPECT_NE(new_slot_name(table), new_slot_name(table)) << "the digits are not cut off";
}

TEST(SlotName, IsOneThatPostgresTakes) {
  for (const std::string& table :
       {std::string("users"), std::string("\"Über uns\""), std::string(200, 'A'), std::string()}) {
    EXPECT_TRUE(is_slot_name(new_slot_name(table))) << new_slot_name(table);
    EXPECT_TRUE(is_slot_name(slot_name_of(table, "/srv/users.leased"))) << table;
  }
}

TEST(SlotName, AnEarlierVersionMadeItOfTheTableAndTheFile) {
  EXPECT_EQ(slot_name_of("users", "/srv/a/Users.leased"), "bloomery_users_users_leased");
  EXPECT_EQ(slot_name_of("users", "users.leased"), "bloomery_users_users_leased");
  EXPECT_EQ(slot_name_of("shop.orders", "app:{k}"), "bloomery_shop_orders_app__k_");
  EXPECT_EQ(slot_name_of("users", std::string(100, 'x')).size(), kMostOfSlotName);
}

TEST(SlotName, OtherTextsAreNone) {
  EXPECT_TRUE(is_slot_name("a_0"));
  EXPECT_TRUE(is_slot_name(std::string(kMostOfSlotName, 'a')));
  EXPECT_FALSE(is_slot_name(std::string(kMostOfSlotName + 1, 'a')));
  for (const char* const text : {"", "A", "a-b", "a b", "a\"b", "ü"}) {
    EXPECT_FALSE(is_slot_name(text)) << text;
  }
}

}  // namespace
}  // namespace bloomery::feed
