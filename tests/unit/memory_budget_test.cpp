// The memory of all cameras' buffers: summed, limited, given back.
#include <string>
#include <tuple>
#include <utility>

#include "daemon/failure.hpp"
#include "daemon/memory_budget.hpp"
#include "daemon/names.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::missing_in;
using glint::test::text_thrown;

TEST_GROUP(MemoryBudgets) {
    MemoryBudget budget{1000};

    std::string refused(uint32_t buffers, uint64_t bytes_each) {
        return text_thrown<Failure>([&] { std::ignore = budget.take(buffers, bytes_each); });
    }
};

TEST(MemoryBudgets, AreSummedOverTheCameras) {
    const auto first = budget.take(4, 100);
    const auto second = budget.take(3, 200);
    STRCMP_EQUAL("", missing_in(refused(1, 1),
                                {"1 buffers of 1 bytes need 1 bytes",
                                 "with 1000 of the other cameras", "that is 1001", "allows 1000"})
                         .c_str());
}

TEST(MemoryBudgets, AreGivenBackWhenAStreamEnds) {
    {
        const auto share = budget.take(10, 100);
        CHECK_THROWS(Failure, budget.check(1, 1));
    }
    budget.check(10, 100);
}

TEST(MemoryBudgets, AShareThatMovesIsGivenBackOnce) {
    auto first = budget.take(5, 100);
    {
        const MemoryBudget::Share second = std::move(first);
        CHECK_THROWS(Failure, budget.check(6, 100));
    }
    first = budget.take(10, 100);
    first = MemoryBudget::Share();
    const auto all = budget.take(1, 1000);
    CHECK_THROWS(Failure, budget.check(1, 1));
}

TEST(MemoryBudgets, ACheckTakesNothing) {
    budget.check(10, 100);
    budget.check(10, 100);
    const auto all = budget.take(10, 100);
}

TEST(MemoryBudgets, WhatIsRefusedTakesNothing) {
    STRCMP_EQUAL("", missing_in(refused(4'000'000'000, 4'000'000'000), {"allows 1000"}).c_str());
    const auto all = budget.take(10, 100);
    try {
        budget.check(1, 1);
        FAIL("over the limit");
    } catch (const Failure& failure) {
        STRCMP_EQUAL(names::error::format_unsupported, failure.name());
    }
}
