// Block lists: no address or host name that an entry stands for is answered no, by brute force over the plain list, in
// every type of filter; the joint fpp; levels that are added later.
#include "bloomery/filter/block_list.h"

#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "bloomery/hash/domain_name.h"
#include "tests/base/test_folder.h"

namespace bloomery {
namespace {

constexpr unsigned kListSeed = 19;

BlockList empty_list(KeyForm form, std::uint64_t capacity, double fpp, FilterPlan plan = {}) {
  plan.capacity = capacity;
  plan.fpp = fpp;
  plan.options.keys.form = form;
  Result<AnyFilter> filter = make_filter(plan);
  EXPECT_TRUE(filter) << filter.error().to_string();
  Result<BlockList> list = BlockList::of(std::move(*filter));
  EXPECT_TRUE(list) << list.error().to_string();
  return std::move(*list);
}

void insert(BlockList& list, const std::string& entry) {
  const Result<bool> inserted = list.insert(entry);
  ASSERT_TRUE(inserted) << inserted.error().to_string();
  ASSERT_TRUE(*inserted);
}

std::string dotted(std::uint32_t address) {
  return std::to_string(address >> 24) + "." + std::to_string(address >> 16 & 255) + "." +
         std::to_string(address >> 8 & 255) + "." + std::to_string(address & 255);
}

struct PlainNetwork {
  std::uint32_t address;
  unsigned length;

  bool holds(std::uint32_t other) const { return length == 0 || ((address ^ other) >> (32 - length)) == 0; }
};

std::vector<PlainNetwork> random_networks(std::mt19937& random, std::size_t count) {
  std::vector<PlainNetwork> networks;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned length = 10 + static_cast<unsigned>(random() % 23);
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - length);
    networks.push_back({static_cast<std::uint32_t>(random()) & mask, length});
  }
  return networks;
}

TEST(BlockList, NoAddressOfANetworkIsAnsweredNo) {
  std::mt19937 random(kListSeed);
  const std::vector<PlainNetwork> networks = random_networks(random, 300);
  BlockList list = empty_list(KeyForm::kCidr, 500, 1e-5);
  for (const PlainNetwork& network : networks) {
    insert(list, dotted(network.address) + "/" + std::to_string(network.length));
  }
  std::uint64_t wrong = 0;
  std::uint64_t in = 0;
  for (int i = 0; i < 100'000; ++i) {
    // Every second address lies in a network, at its ends or between.
    std::uint32_t address = static_cast<std::uint32_t>(random());
    if (i % 2 == 0) {
      const PlainNetwork& network = networks[random() % networks.size()];
      const std::uint32_t host = network.length == 32 ? 0 : ~std::uint32_t{0} >> network.length;
      address = network.address | (i % 8 == 0 ? 0 : i % 8 == 2 ? host : address & host);
    }
    bool expected = false;
    for (const PlainNetwork& network : networks) {
      expected = expected || network.holds(address);
    }
    const Result<bool> answer = list.may_contain(dotted(address));
    ASSERT_TRUE(answer);
    ASSERT_TRUE(*answer || !expected) << dotted(address) << " is in, seed " << kListSeed;
    wrong += *answer && !expected ? 1U : 0U;
    in += expected ? 1U : 0U;
  }
  EXPECT_GE(in, 50'000u);
  EXPECT_LE(wrong, 50u);  // about 50,000 x 23 x 1e-5 = 11 are expected
}

TEST(BlockList, NoHostBelowADomainIsAnsweredNo) {
  std::mt19937 random(kListSeed);
  const auto label = [&random] { return std::string(1, static_cast<char>('a' + random() % 6)); };
  const auto name = [&](std::size_t labels) {
    std::string text = label();
    for (std::size_t i = 1; i < labels; ++i) {
      text += "." + label();
    }
    return text;
  };
  std::set<std::string> domains;
  BlockList list = empty_list(KeyForm::kDomainSuffix, 500, 1e-5);
  for (int i = 0; i < 200; ++i) {
    const std::string entry = name(3 + random() % 4);
    domains.insert(entry);
    insert(list, entry);
  }
  std::uint64_t in = 0;
  std::uint64_t wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string host = name(1 + random() % 9);
    bool expected = domains.contains(host);
    for (std::size_t dot = host.find('.'); dot != std::string::npos; dot = host.find('.', dot + 1)) {
      expected = expected || domains.contains(host.substr(dot + 1));
    }
    const Result<bool> answer = list.may_contain(host);
    ASSERT_TRUE(answer);
    ASSERT_TRUE(*answer || !expected) << host << " is in, seed " << kListSeed;
    in += expected ? 1U : 0U;
    wrong += *answer && !expected ? 1U : 0U;
  }
  EXPECT_GE(in, 10'000u);
  EXPECT_LE(wrong, 40u);
}

TEST(BlockList, EveryTypeAnswersFromItsOwnLevels) {
  std::vector<FilterPlan> plans;
  for (const FilterType type : {FilterType::kBloom, FilterType::kBlocked, FilterType::kCounting,
                                FilterType::kQuotient, FilterType::kScalable}) {
    plans.push_back({.type = type});
  }
  plans.push_back({.exact_below = 100});
  plans.push_back({.type = FilterType::kWindowed, .options = {.window = {.length = 1000}}});
  for (const FilterPlan& plan : plans) {
    BlockList list = empty_list(KeyForm::kCidr, 1000, 1e-9, plan);
    insert(list, "10.0.0.0/8");
    insert(list, "2001:db8::/32");
    std::string bytes;
    list.filter().native().serialize(bytes);
    const TestFolder folder;
    folder.write("list", bytes);
    const Result<BlockList> opened = BlockList::open(folder.path("list"));
    ASSERT_TRUE(opened) << plan.type_name() << opened.error().to_string();
    const bool windowed = plan.type == FilterType::kWindowed;
    EXPECT_EQ(opened->levels().count(), windowed ? 162u : 2u) << plan.type_name();
    EXPECT_EQ(opened->most_questions(), windowed ? 129u : 1u);
    for (const char* const text : {"10.1.2.3", "10.9.0.0/16", "2001:db8:9::1", "::ffff:10.1.2.3"}) {
      EXPECT_TRUE(opened->may_contain(text).value()) << plan.type_name() << " " << text;
    }
    for (const char* const text : {"11.1.2.3", "10.0.0.0/7", "2001:db9::1"}) {
      EXPECT_FALSE(opened->may_contain(text).value()) << plan.type_name() << " " << text;
    }
  }
}

// Levels that come later are in before their keys, and a merge has those of both.
TEST(BlockList, LevelsAreAddedAndMerged) {
  BlockList a = empty_list(KeyForm::kCidr, 1000, 1e-9);
  BlockList b = empty_list(KeyForm::kCidr, 1000, 1e-9);
  insert(a, "10.0.0.0/8");
  insert(b, "192.168.0.0/16");
  EXPECT_FALSE(a.may_contain("192.168.1.1").value());
  ASSERT_TRUE(a.filter().merge(b.filter()));
  a.read_levels();
  EXPECT_EQ(describe(a.form(), a.levels()), "IPv4 /8 /16");
  EXPECT_TRUE(a.may_contain("10.1.1.1").value());
  EXPECT_TRUE(a.may_contain("192.168.1.1").value());
  insert(a, "172.16.0.0/12");
  EXPECT_TRUE(a.may_contain("172.31.1.1").value());
}

TEST(BlockList, TheJointFppIsThatOfAllQuestions) {
  EXPECT_DOUBLE_EQ(joint_fpp(0.5, 2), 0.75);
  EXPECT_DOUBLE_EQ(joint_fpp(0.25, 1), 0.25);
  EXPECT_EQ(joint_fpp(0.25, 0), 0);
  EXPECT_EQ(joint_fpp(1, 3), 1);
  EXPECT_EQ(joint_fpp(1, 0), 0);
  EXPECT_NEAR(joint_fpp(1e-12, 30), 3e-11, 1e-20);
  for (const double fpp : {1e-9, 0.001, 0.3, 1.0}) {
    for (const double questions : {1.0, 7.5, 129.0}) {
      EXPECT_NEAR(joint_fpp(fpp_of_one_question(fpp, questions), questions), fpp, fpp * 1e-9);
    }
  }
}

// A list with 20 prefix lengths, made so that an address has an fpp of 1 %.
TEST(BlockList, TheMeasuredJointFppIsTheOneThatWasPlanned) {
  constexpr double kJoint = 0.01;
  constexpr std::size_t kQuestions = 20;
  constexpr std::size_t kEntries = 20'000;
  BlockList list = empty_list(KeyForm::kCidr, kEntries + kQuestions, fpp_of_one_question(kJoint, kQuestions),
                              {.type = FilterType::kBloom});
  std::mt19937 random(kListSeed);
  std::set<std::string> entries;
  while (entries.size() < kEntries) {
    const auto length = static_cast<unsigned>(32 - entries.size() % kQuestions);
    const std::uint32_t mask = ~std::uint32_t{0} << (32 - length);
    entries.insert(dotted(random() & 0x7fffffffU & mask) + "/" + std::to_string(length));
  }
  for (const std::string& entry : entries) {
    insert(list, entry);
  }
  EXPECT_EQ(list.most_questions(), kQuestions);
  EXPECT_NEAR(list.current_fpp(), kJoint, 0.1 * kJoint);
  constexpr int kAsked = 100'000;
  int wrong = 0;
  for (int i = 0; i < kAsked; ++i) {
    wrong += list.may_contain(dotted(0x80000000U | (random() & 0x7fffffffU))).value() ? 1 : 0;
  }
  const double deviation = std::sqrt(kAsked * kJoint * (1 - kJoint));
  EXPECT_NEAR(wrong, kAsked * list.current_fpp(), 4 * deviation) << "seed " << kListSeed;
}

TEST(BlockList, OtherFiltersAndTextsAreRefused) {
  FilterPlan plan{.capacity = 10, .fpp = 0.1};
  Result<AnyFilter> plain = make_filter(plan);
  ASSERT_TRUE(plain);
  EXPECT_EQ(BlockList::of(std::move(*plain)).error().code(), ErrorCode::kInvalidArgument);
  plan.options.keys = {.form = KeyForm::kCidr, .parts = 2};
  EXPECT_EQ(make_filter(plan).error().code(), ErrorCode::kInvalidArgument);
  BlockList list = empty_list(KeyForm::kDomainSuffix, 10, 0.1);
  EXPECT_FALSE(list.insert("1.2.3.4"));
  EXPECT_FALSE(list.insert("a..b"));
  EXPECT_FALSE(list.may_contain("a..b"));
  EXPECT_EQ(list.levels().count(), 0u);
  EXPECT_EQ(list.most_questions(), 0u);
  EXPECT_EQ(list.current_fpp(), 0);
  // One key of a text would be a wrong no.
  EXPECT_EQ(list.filter().key_of("example.com").error().code(), ErrorCode::kInvalidArgument);
}

TEST(BlockList, AKeyedListNeedsItsSecret) {
  const Result<HashSecret> secret = HashSecret::generate();
  ASSERT_TRUE(secret);
  BlockList list = empty_list(KeyForm::kCidr, 10, 1e-6, {.options = {.hash = keyed_hash(*secret)}});
  insert(list, "10.0.0.0/8");
  const TestFolder folder;
  ASSERT_TRUE(list.filter().save(folder.path("list")));
  const Result<BlockList> opened = BlockList::open(folder.path("list"), {.secret = &*secret});
  ASSERT_TRUE(opened) << opened.error().to_string();
  EXPECT_TRUE(opened->may_contain("10.1.2.3").value());
  EXPECT_FALSE(BlockList::open(folder.path("list")));
  EXPECT_FALSE(BlockList::open(folder.path("list"), {.without_secret = true}));
}

}  // namespace
}  // namespace bloomery
