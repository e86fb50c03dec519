// Files played as if a camera sent them: content, loops, and files that are not what they say.
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "daemon/gpu/operators.hpp"
#include "daemon/plan.hpp"
#include "tests/fakes/temporary_folder.hpp"
#include "tests/unit/expect.hpp"
#include "tests/unit/lanes.hpp"
#include "zero_copy/file_source.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::zero_copy;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

/// Every byte of frame n of a clip is another; neighbours differ too.
std::string frame_bytes(size_t size, uint32_t number) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + number * 31 + 1);
    return bytes;
}

std::string y4m_clip(const std::string& parameters, size_t frame_size, uint32_t frames) {
    std::string text = "YUV4MPEG2 " + parameters + "\n";
    for (uint32_t i = 0; i < frames; ++i) {
        text += (i == 1 ? "FRAME Ip\n" : "FRAME\n") + frame_bytes(frame_size, i);
    }
    return text;
}

/// A source that has been started with one dirty buffer.
struct Player {
    explicit Player(const SourceRequest& request) : source(open_source(request)) {
        buffers.emplace_back(source->layout().size_bytes);
        std::ranges::fill(buffers[0].bytes(), uint8_t{0xa5});
        source->start(buffers);
    }
    ~Player() { source->stop(); }

    [[nodiscard]] bool read() { return source->read({.slot = 0}); }
    [[nodiscard]] std::string pixels() const {
        return {reinterpret_cast<const char*>(buffers[0].data()), source->layout().size_bytes};
    }

    std::unique_ptr<Source> source;
    std::vector<FrameMemory> buffers;
};

}  // namespace

TEST_GROUP(FileSources) {
    glint::fakes::TemporaryFolder folder;

    SourceRequest request(const std::string& name) {
        return {.source = "file:" + folder.file(name)};
    }

    void check_refused(const SourceRequest& asked, SourceError::Kind kind,
                       std::initializer_list<std::string_view> parts) {
        const std::string text = text_thrown<SourceError>([&] { (void)open_source(asked); });
        STRCMP_EQUAL("", missing_in(text, parts).c_str());
        try {
            (void)open_source(asked);
        } catch (const SourceError& error) {
            CHECK_TRUE(error.kind() == kind);
        }
    }
    void check_bad_format(const SourceRequest& asked,
                          std::initializer_list<std::string_view> parts) {
        check_refused(asked, SourceError::Kind::format, parts);
    }
};

TEST(FileSources, AClipOfEveryColourSpaceLoopsExactly) {
    struct Row {
        const char* space;
        size_t size;
    };
    for (const Row& row :
         {Row{"Cmono", 15}, {"C420", 15 + 2 * 6}, {"C422", 15 + 2 * 9}, {"C444", 45}}) {
        folder.write("clip.y4m", y4m_clip(std::string("W5 H3 F25:1 ") + row.space, row.size, 3));
        Player player(request("clip.y4m"));
        LONGS_EQUAL(row.size, player.source->layout().size_bytes);
        DOUBLES_EQUAL(25, player.source->rate(), 0);
        for (const uint32_t expected : {0U, 1U, 2U, 0U, 1U, 2U, 0U}) {
            CHECK_TRUE(player.read());
            CHECK_TRUE(frame_bytes(row.size, expected) == player.pixels());
        }
    }
}

TEST(FileSources, AnEightBitPgmIsShownAgainAndAgain) {
    folder.write("still.pgm", "P5\n# still\n5 3 255\n" + frame_bytes(15, 4));
    Player player(request("still.pgm"));
    CHECK_TRUE(player.source->layout().format == PixelFormat::grey);
    DOUBLES_EQUAL(default_rate, player.source->rate(), 0);
    for (int i = 0; i < 3; ++i) {
        CHECK_TRUE(player.read());
        CHECK_TRUE(frame_bytes(15, 4) == player.pixels());
    }
}

TEST(FileSources, AWidePgmIsMeasuredInItsTopEightBits) {
    // Of 10 bits, big endian: 0x3ff, 0x004, 0x200.
    folder.write("wide.pgm",
                 std::string("P5 3 1 1023\n") + std::string("\x03\xff\x00\x04\x02\x00", 6));
    Player player(request("wide.pgm"));
    CHECK_TRUE(player.read());
    const auto plan = glint::make_plan(player.source->layout(), {}, 1);
    LONGS_EQUAL(4, plan->bin_width());
    const auto bins = glint::test::reference_bins(player.buffers[0].data(), plan->lanes[0]);
    LONGS_EQUAL(1, bins[255]);
    LONGS_EQUAL(1, bins[1]);
    LONGS_EQUAL(1, bins[128]);
}

TEST(FileSources, ARawFileIsReadWithTheStrideThatIsAsked) {
    folder.write("clip.raw", frame_bytes(8 * 3, 0) + frame_bytes(8 * 3, 1));
    SourceRequest asked = request("clip.raw");
    asked.width = 5;
    asked.height = 3;
    asked.format = PixelFormat::grey;
    asked.stride_bytes = 8;
    asked.rate = 12.5;
    asked.range = Range::limited;
    Player player(asked);
    LONGS_EQUAL(8, player.source->layout().planes[0].stride_bytes);
    CHECK_TRUE(player.source->layout().range == Range::limited);
    DOUBLES_EQUAL(12.5, player.source->rate(), 0);
    for (const uint32_t expected : {0U, 1U, 0U}) {
        CHECK_TRUE(player.read());
        CHECK_TRUE(frame_bytes(24, expected) == player.pixels());
    }
}

TEST(FileSources, ARawFileNeedsWidthHeightAndFormat) {
    folder.write("clip.raw", frame_bytes(24, 0));
    SourceRequest asked = request("clip.raw");
    check_bad_format(asked, {folder.file("clip.raw"), "width, height and format"});
    asked.width = 5;
    asked.height = 3;
    check_bad_format(asked, {"width, height and format"});
    asked.format = PixelFormat::grey;
    asked.stride_bytes = 4;
    check_bad_format(asked, {"stride 4", "5 bytes"});
    asked.stride_bytes = 9;
    check_bad_format(asked, {"27 bytes a frame", "only 24"});
}

TEST(FileSources, AMissingFileIsAbsent) {
    check_refused(request("nothing"), SourceError::Kind::absent,
                  {folder.file("nothing"), "No such file"});
}

TEST(FileSources, WhatIsNotARegularFileIsRefusedWithoutWaiting) {
    folder.write("empty", "");
    check_bad_format(request("empty"), {folder.file("empty"), "empty"});
    std::filesystem::create_directory(folder.path() / "folder");
    check_bad_format(request("folder"), {"not a regular file"});
    LONGS_EQUAL(0, ::mkfifo(folder.file("fifo").c_str(), 0600));
    check_bad_format(request("fifo"), {"not a regular file"});
    check_bad_format({.source = "file:/dev/zero"}, {"not a regular file"});
}

TEST(FileSources, AHeaderThatLiesAboutTheSizeIsRefusedWithTheNumbers) {
    folder.write("clip.y4m", y4m_clip("W5 H4 Cmono", 15, 1));
    check_bad_format(request("clip.y4m"), {"5x4", "20 bytes", "only 15"});
    folder.write("still.pgm", "P5 5 3 256\n" + frame_bytes(15, 0));
    check_bad_format(request("still.pgm"), {"30 bytes", "only 15"});
    folder.write("huge.y4m", y4m_clip("W65535 H32000 Cmono", 15, 1));
    check_bad_format(request("huge.y4m"), {"65535x32000", "2097120000"});
    folder.write("headonly.pgm", "P5 5 3 255\n");
    check_bad_format(request("headonly.pgm"), {"only 0"});
}

TEST(FileSources, AFirstFrameThatIsCutShortIsRefused) {
    const std::string whole = y4m_clip("W5 H3 Cmono", 15, 1);
    const size_t header = whole.find("FRAME");
    for (size_t size = 1; size < whole.size(); ++size) {
        folder.write("clip.y4m", whole.substr(0, size));
        const std::string text =
            text_thrown<SourceError>([&] { (void)open_source(request("clip.y4m")); });
        STRCMP_EQUAL("", missing_in(text, {folder.file("clip.y4m")}).c_str());
        if (size >= header && size < header + 6) {
            STRCMP_EQUAL("", missing_in(text, {"no FRAME line"}).c_str());
        }
    }
}

TEST(FileSources, ALastFrameThatIsCutShortStartsTheClipAgain) {
    const std::string two = y4m_clip("W5 H3 Cmono", 15, 2);
    const std::string three = y4m_clip("W5 H3 Cmono", 15, 3);
    for (size_t size = two.size(); size < three.size(); ++size) {
        folder.write("clip.y4m", three.substr(0, size));
        Player player(request("clip.y4m"));
        for (const uint32_t expected : {0U, 1U, 0U, 1U}) {
            CHECK_TRUE(player.read());
            CHECK_TRUE(frame_bytes(15, expected) == player.pixels());
        }
    }
}

TEST(FileSources, TheConfigurationMustAgreeWithTheFile) {
    folder.write("clip.y4m", y4m_clip("W5 H3 Cmono", 15, 1));
    SourceRequest asked = request("clip.y4m");
    asked.width = 6;
    check_bad_format(asked, {"6x3", "5x3"});
    asked.width = 5;
    asked.height = 4;
    check_bad_format(asked, {"5x4", "5x3"});
    asked.height = 3;
    asked.format = PixelFormat::nv12;
    check_bad_format(asked, {"NV12", "GREY"});
    asked.format = PixelFormat::grey;
    asked.range = Range::full;
    asked.rate = 99;
    Player player(asked);
    CHECK_TRUE(player.source->layout().range == Range::full);
    DOUBLES_EQUAL(99, player.source->rate(), 0);
}

TEST(FileSources, ABrokenHeaderIsRefusedWithPathAndReason) {
    folder.write("clip.y4m", "YUV4MPEG2 W5 H-3\nFRAME\n");
    check_bad_format(request("clip.y4m"), {folder.file("clip.y4m"), "height", "-3"});
    folder.write("still.pgm", "P5 5 3 0\nxxxxxxxxxxxxxxx");
    check_bad_format(request("still.pgm"), {folder.file("still.pgm"), "maximum value"});
}

TEST(FileSources, AFileThatShrinksWhilePlayingGivesCorruptFrames) {
    const std::string path = folder.write("clip.y4m", y4m_clip("W5 H3 Cmono", 15, 3));
    Player player(request("clip.y4m"));
    CHECK_TRUE(player.read());
    for (const size_t left : {size_t{25}, size_t{18}, size_t{3}, size_t{0}}) {
        std::filesystem::resize_file(path, left);
        CHECK_FALSE(player.read());
        CHECK_FALSE(player.read());
    }
    folder.write("clip.y4m", y4m_clip("W5 H3 Cmono", 15, 3));
    CHECK_TRUE(player.read());
    CHECK_TRUE(frame_bytes(15, 0) == player.pixels());
}

TEST(FileSources, AFileThatShrinksToItsFirstFrameGoesOnWithThat) {
    const std::string path = folder.write("clip.y4m", y4m_clip("W5 H3 Cmono", 15, 3));
    Player player(request("clip.y4m"));
    CHECK_TRUE(player.read());
    std::filesystem::resize_file(path, y4m_clip("W5 H3 Cmono", 15, 1).size());
    CHECK_TRUE(player.read());
    CHECK_TRUE(frame_bytes(15, 0) == player.pixels());
}

TEST(FileSources, TextOfASourceIsChecked) {
    STRCMP_EQUAL("", check_source_text("file:/x").c_str());
    STRCMP_EQUAL("", check_source_text("test:flat:3").c_str());
    for (const char* wrong : {"", "file:", "test:", "test:flat:256", "v4l2:", "FILE:/x", "file"}) {
        CHECK_FALSE_TEXT(check_source_text(wrong).empty(), wrong);
        check_bad_format({.source = wrong}, {std::string("\"") + wrong + '"'});
    }
}

TEST(FileSources, ATestSourceHasAPaddedLayoutOfItsOwn) {
    const auto source =
        open_source({.source = "test:ramp", .width = 100, .format = PixelFormat::rgb24});
    LONGS_EQUAL(100, source->layout().width);
    LONGS_EQUAL(480, source->layout().height);
    LONGS_EQUAL(320, source->layout().planes[0].stride_bytes);
    check_bad_format({.source = "test:ramp", .width = 100, .stride_bytes = 99},
                     {"test:ramp", "99", "100"});
}
