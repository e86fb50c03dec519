// Splitting filters into outer products, and the tables that kernels get of them.
#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "daemon/gpu/filter_tables.hpp"
#include "daemon/gpu/filters.hpp"
#include "daemon/gpu/separation.hpp"
#include "tests/unit/lanes.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::gpu;
using namespace glint::test;

namespace {

/// The separation must give the matrix back, element by element.
void check_exact(const Filter& filter, const Separation& separation, const char* what) {
    for (uint32_t j = 0; j < filter.size; ++j) {
        for (uint32_t i = 0; i < filter.size; ++i) {
            int64_t sum = 0;
            for (const OuterProduct& term : separation.terms) {
                sum += int64_t{term.column[j]} * term.row[i];
            }
            LONGS_EQUAL_TEXT(filter.coefficients[j * filter.size + i], sum, what);
        }
    }
}

uint32_t terms_of(const std::string& name) {
    const Filter filter = *named_filter(name);
    const auto separation = separate(filter);
    if (!separation) return 0;
    check_exact(filter, *separation, name.c_str());
    return separation->count;
}

/// A sum of outer products of numbers up to `largest`.
Filter random_sum(Random& random, uint32_t size, uint32_t products, uint32_t largest) {
    Filter filter{.size = size};
    for (uint32_t n = 0; n < products; ++n) {
        std::vector<int32_t> numbers(2 * size_t{size});
        for (int32_t& number : numbers) {
            number =
                static_cast<int32_t>(random.below(2 * largest + 1)) - static_cast<int32_t>(largest);
        }
        for (uint32_t k = 0; k < filter.taps(); ++k) {
            filter.coefficients[k] = static_cast<int16_t>(
                filter.coefficients[k] + numbers[k / size] * numbers[size + k % size]);
        }
    }
    return filter;
}

Filter matrix(uint32_t size, const std::vector<int16_t>& coefficients) {
    Filter filter{.size = size};
    std::ranges::copy(coefficients, filter.coefficients.begin());
    return filter;
}

}  // namespace

TEST_GROUP(Separation){};

TEST(Separation, SmoothingFiltersAreOneOuterProduct) {
    for (const char* name :
         {"binomial3", "binomial9", "box7", "box15", "box31", "gaussian7", "gaussian31",
          "gaussian:0.1", "gaussian:2.5", "sobel_x3", "sobel_y3"}) {
        LONGS_EQUAL_TEXT(1, terms_of(name), name);
    }
}

TEST(Separation, WhatTakesASmoothedPictureFromThePictureIsTwo) {
    for (const char* name : {"unsharp3", "unsharp7", "unsharp31", "sharpen3", "laplacian3"}) {
        LONGS_EQUAL_TEXT(2, terms_of(name), name);
    }
}

TEST(Separation, RowsHaveNoCommonDivisorSoTheyAreAsSmallAsTheyGet) {
    const Separation separation = separate(matrix(3, {6, 12, 6, 0, 0, 0, -9, -18, -9})).value();
    LONGS_EQUAL(1, separation.count);
    LONGS_EQUAL(4, separation.row_magnitude);
    LONGS_EQUAL(15, separation.column_magnitude);
    LONGS_EQUAL(60, separation.magnitude);
}

TEST(Separation, FractionsAreAvoidedWhereRowsShareNoLattice) {
    // (1 1 0) and (1 -1 0) only reach every second vector of their plane: 3 0 0 needs another
    // basis.
    const Filter filter = matrix(3, {1, 1, 0, 1, -1, 0, 3, 0, 0});
    const auto separation = separate(filter);
    CHECK_TRUE(separation.has_value());
    check_exact(filter, *separation, "half");
}

TEST(Separation, ThreeIndependentRowsAreRefused) {
    CHECK_FALSE(separate(matrix(3, {1, 0, 0, 0, 1, 0, 0, 0, 1})).has_value());
    CHECK_FALSE(separate(matrix(3, {1, 2, 3, 4, 5, 6, 7, 8, 10})).has_value());
}

TEST(Separation, OneElementThatIsOffByOneIsNoticed) {
    for (const char* name : {"gaussian5", "box9", "gaussian31"}) {
        Filter filter = *named_filter(name);
        ++filter.coefficients[1];
        ++filter.coefficients[filter.size * 2 + 3];
        const auto separation = separate(filter);
        CHECK_FALSE_TEXT(separation.has_value(), name);
    }
}

TEST(Separation, OnlySmoothingIsDoneInTwoHalvesOfSixteenBits) {
    for (const char* name : {"gaussian3", "gaussian31", "box7", "box31", "binomial9"}) {
        const Filter filter = *named_filter(name);
        CHECK_TEXT(smooths_in_16_bits(separate(filter).value(), filter.shift), name);
        // Brighter than the picture, so that pixels would have to be saturated.
        CHECK_TEXT(!smooths_in_16_bits(separate(filter).value(), filter.shift - 1), name);
    }
    // No lower byte of a sum to cut off; two products; taps of both signs.
    for (const char* name : {"binomial3", "binomial5", "unsharp9", "sobel_x3"}) {
        const Filter filter = *named_filter(name);
        CHECK_TEXT(!smooths_in_16_bits(separate(filter).value(), filter.shift), name);
    }
}

TEST(Separation, SumsBeyondTwoHalvesOfSixteenBitsAreNotCut) {
    Separation separation{.magnitude = 257 * 255, .row_magnitude = 257, .column_magnitude = 255};
    CHECK(smooths_in_16_bits(separation, 16));
    CHECK(smooths_in_16_bits(separation, 23));
    CHECK(!smooths_in_16_bits(separation, 24));  // no shift in 16 bits
    separation.magnitude = 257 * 257;            // a + b / 256 is up to 65790
    CHECK(!smooths_in_16_bits(separation, 17));
    separation.magnitude = 258 * 200;
    separation.row_magnitude = 258;
    CHECK(!smooths_in_16_bits(separation, 16));
    separation.row_magnitude = 200;
    separation.column_magnitude = 258;
    CHECK(!smooths_in_16_bits(separation, 16));
}

TEST(Separation, ZerosAreOneTermOfZeros) {
    const auto separation = separate(Filter{.size = 5});
    LONGS_EQUAL(1, separation->count);
    LONGS_EQUAL(0, separation->magnitude);
}

TEST(Separation, RandomSumsOfTwoAreFoundAndGivenBack) {
    Random random;
    uint32_t found = 0;
    for (int round = 0; round < 3000; ++round) {
        const uint32_t size = 3 + 2 * random.below(15);
        const Filter filter = random_sum(random, size, 1 + random.below(2), 1 + random.below(120));
        const auto separation = separate(filter);
        if (!separation) continue;
        ++found;
        check_exact(filter, *separation, "random");
        CHECK_TRUE(separation->magnitude >= filter.magnitude());
        CHECK_TRUE(uint64_t{separation->magnitude} * 255 < 1ULL << 31);
    }
    // Two of large numbers may need sums that 32 bits do not hold.
    CHECK_TRUE(found > 2900);
}

TEST(Separation, NarrowRowSumsStartSoThatTheLeastIsZero) {
    Filter filter = *named_filter("sobel_x3");
    filter.border_value = 10;
    const Separation separation = separate(filter).value();
    const std::vector<int32_t> table = term_table(separation, filter, true);
    const OuterProduct& term = separation.terms[0];
    const int32_t down = std::accumulate(term.column.begin(), term.column.end(), 0);
    LONGS_EQUAL(255, table[128]);
    LONGS_EQUAL(255, table[130]);  // + 10 x (1 - 1)
    LONGS_EQUAL(-255 * down, table[132]);
    LONGS_EQUAL(1, table[133]);
    const std::vector<int32_t> wide = term_table(separation, filter, false);
    LONGS_EQUAL(0, wide[128]);
    LONGS_EQUAL(0, wide[132]);
}

TEST(Separation, CoefficientsAreSurroundedByZeros) {
    const Filter filter = matrix(3, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    const std::vector<int32_t> padded = padded_coefficients(filter);
    LONGS_EQUAL(9 * 4, padded.size());
    for (size_t k = 0; k < padded.size(); ++k) {
        const size_t row = k / 4;
        const size_t column = k % 4;
        const bool tap = row >= 3 && row < 6 && column < 3;
        LONGS_EQUAL(tap ? (row - 3) * 3 + column + 1 : 0, padded[k]);
    }
}
