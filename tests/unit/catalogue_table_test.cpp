// The table of all variants.
#include <string>

#include "tools/tune/catalogue_table.hpp"

#include <CppUTest/TestHarness.h>

TEST_GROUP(CatalogueTable){};

TEST(CatalogueTable, ARowSaysWhatTheVariantNeedsAndItsDefaults) {
    const std::string table = glint::tune::catalogue_table();
    STRCMP_CONTAINS(
        "| histogram | fp | local_copies |  | full profile, local atomics, global atomics, by "
        "default real local memory, 1024 bytes of local memory | LOCAL 256, ITEMS_PER_UNIT 256, "
        "COPIES 32 |  |",
        table.c_str());
    STRCMP_CONTAINS(
        "| convolution | ep | binomial_rows | 3x3, 5x5 | a binomial filter | COLUMNS "
        "16, ROWS 16, LOCAL_X 16 (CPU 64), LOCAL_Y 1 |  |",
        table.c_str());
    STRCMP_CONTAINS(
        "| convolution | fp | naive | 3x3, 5x5 | full profile | COLUMNS 1, ROWS 1, "
        "LOCAL_X 16, LOCAL_Y 16 | yes |",
        table.c_str());
    STRCMP_CONTAINS("| convolution | ep | any_size | 3x3 to 31x31 |", table.c_str());
}
