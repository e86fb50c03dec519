// What is remembered of the GPU across restarts.
#include <string>
#include <vector>

#include "daemon/gpu_history.hpp"
#include "tests/fakes/temporary_folder.hpp"

#include <CppUTest/TestHarness.h>

using glint::GpuHistory;

TEST_GROUP(GpuHistories) {
    glint::fakes::TemporaryFolder folder;
    std::string file = folder.file("gpu-history");

    uint32_t failures() {
        return GpuHistory(file).failures();
    }
    void write_and_check_ignored(const std::string& text) {
        folder.write("gpu-history", text);
        LONGS_EQUAL(0, failures());
    }
};

TEST(GpuHistories, NothingIsRememberedAtFirst) {
    LONGS_EQUAL(0, failures());
}

TEST(GpuHistories, StallsAreCounted) {
    for (uint32_t count = 1; count <= 3; ++count) {
        GpuHistory process(file);
        process.record_use();
        process.record_stall();
        LONGS_EQUAL(count, process.failures());
        LONGS_EQUAL(count, failures());
    }
}

TEST(GpuHistories, AnEndWithoutNoticeIsCounted) {
    for (uint32_t count = 1; count <= 3; ++count) {
        GpuHistory(file).record_use();
        LONGS_EQUAL(count, failures());
    }
}

TEST(GpuHistories, ReadingAloneCountsNothing) {
    GpuHistory(file).record_use();
    for (int i = 0; i < 3; ++i) LONGS_EQUAL(1, failures());
}

TEST(GpuHistories, ACleanStopIsNotCountedAndForgetsNothing) {
    GpuHistory first(file);
    first.record_use();
    first.record_clean_stop();
    LONGS_EQUAL(0, failures());
    GpuHistory(file).record_use();
    GpuHistory third(file);
    third.record_use();
    third.record_clean_stop();
    LONGS_EQUAL(1, failures());
}

TEST(GpuHistories, HealthyMinutesStartAnew) {
    for (int i = 0; i < 2; ++i) GpuHistory(file).record_stall();
    GpuHistory process(file);
    LONGS_EQUAL(2, process.failures());
    process.record_use();
    process.record_healthy();
    LONGS_EQUAL(0, process.failures());
    // It is still using the GPU, so its end without notice would be the first.
    LONGS_EQUAL(1, failures());
    process.record_clean_stop();
    LONGS_EQUAL(0, failures());
}

TEST(GpuHistories, AnotherBootStartsAnew) {
    write_and_check_ignored("stalled 5 00000000-0000-0000-0000-000000000000\n");
    write_and_check_ignored("using 5 00000000-0000-0000-0000-000000000000\n");
    GpuHistory(file).record_stall();
    LONGS_EQUAL(1, failures());
}

TEST(GpuHistories, GarbageCountsAsNothing) {
    const std::vector<std::string> all{"",
                                       "using",
                                       "using 3",
                                       "using x y",
                                       "5 using",
                                       "\n\n\n",
                                       "stalled -1",
                                       std::string(100'000, 'x'),
                                       "using 99999999999 x",
                                       std::string("\0\0\xff\xfe", 4)};
    for (const std::string& text : all) write_and_check_ignored(text);
}

TEST(GpuHistories, AFileThatCannotBeWrittenIsHarmless) {
    folder.write("file", "x");
    GpuHistory below_a_file(folder.file("file") + "/gpu-history");
    below_a_file.record_use();
    below_a_file.record_stall();
    LONGS_EQUAL(1, below_a_file.failures());
    below_a_file.record_healthy();
    below_a_file.record_clean_stop();
    LONGS_EQUAL(0, GpuHistory("/proc/no-such-folder/gpu-history").failures());
}

TEST(GpuHistories, AFolderInPlaceOfTheFileIsHarmless) {
    GpuHistory folder_itself(folder.path());
    folder_itself.record_stall();
    LONGS_EQUAL(1, folder_itself.failures());
}

TEST(GpuHistories, WithoutAFileNothingIsRemembered) {
    GpuHistory process{""};
    process.record_stall();
    LONGS_EQUAL(1, process.failures());
    LONGS_EQUAL(0, GpuHistory("").failures());
}

TEST(GpuHistories, OnlyTheFileItselfIsLeft) {
    GpuHistory(file).record_use();
    GpuHistory(file).record_stall();
    LONGS_EQUAL(1, folder.files());
}
