// Bad values: each is refused with its place, its key, itself and what is allowed instead.
#include <string>
#include <vector>

#include "daemon/config.hpp"
#include "tests/unit/expect.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint;
using glint::test::missing_in;
using glint::test::text_thrown;

namespace {

std::string config_error(const std::string& text) {
    return text_thrown<ConfigError>([&] { (void)parse_config({{"bad.toml", text}}); });
}

void check_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
    const std::string error = config_error(text);
    STRCMP_EQUAL("", missing_in(error, parts).c_str());
    STRCMP_EQUAL("", missing_in(error, {"bad.toml:"}).c_str());
}

struct BadValue {
    const char* line;     ///< KEY = VALUE, the key being in its table
    const char* allowed;  ///< must be in the text, besides the line itself
};

/// Each line is refused at its place in a table whose other keys are good.
template <size_t count>
void check_all_refused(const char* table, const char* before, const BadValue (&rows)[count]) {
    for (const BadValue& row : rows) {
        const std::string text = std::string("[") + table + "]\n" + before + row.line + "\n";
        const std::string error = config_error(text);
        const auto newlines = std::string(before).size() == 0 ? 2 : 3;
        const std::string place = "bad.toml:" + std::to_string(newlines) + ":";
        STRCMP_EQUAL(
            "", missing_in(error, {place, std::string("[") + table + "] " + row.line, row.allowed})
                    .c_str());
    }
}

std::string camera(const std::string& rest) {
    return "[camera.front]\nsource = \"test:ramp\"\n" + rest;
}

/// The same of a table below a good camera's.
template <size_t count>
void check_all_refused_below(const std::string& table, const std::string& before,
                             const BadValue (&rows)[count]) {
    for (const BadValue& row : rows) {
        const std::string error =
            config_error(camera("[" + table + "]\n" + before + row.line + "\n"));
        STRCMP_EQUAL("", missing_in(error, {"[" + table + "] " + row.line, row.allowed}).c_str());
    }
}

std::string many_regions(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        text += "region.r" + std::to_string(i) + " = { width = 1, height = 1 }\n";
    }
    return text;
}

}  // namespace

TEST_GROUP(BadValues){};

TEST(BadValues, OfTheGpu) {
    const BadValue rows[] = {
        {"kernels = 'embedded'", "\"auto\", \"ep\", \"fp\", \"cpu\""},
        {"kernels = ''", "\"auto\""},
        {"kernels = 'EP'", "\"auto\""},
        {"kernels = 1", "a text in quotes"},
        {"kernels = true", "a text in quotes"},
        {"device = 5", "a text in quotes"},
        {"cache_dir = false", "a text in quotes"},
        {"tuning_file = 1", "a text in quotes"},
        {"stall_timeout_ms = 99", "from 100 to 600000"},
        {"stall_timeout_ms = 600001", "from 100 to 600000"},
        {"stall_timeout_ms = -1", "from 100 to 600000"},
        {"stall_timeout_ms = 4294967396", "from 100 to 600000"},
        {"stall_timeout_ms = 1000.0", "a whole number"},
        {"variant = 'cpu'", "a table [gpu.variant]"},
    };
    check_all_refused("gpu", "", rows);
    const BadValue variants[] = {
        {"histogram = 'int_rows'", "no such histogram variant"},
        {"histogram = 'nonsense'", "glintd --probe"},
        {"histogram = ''", "no such histogram variant"},
        {"convolution = 'private_counters'", "no such convolution variant"},
        {"convolution = 3", "a text in quotes"},
    };
    check_all_refused("gpu.variant", "", variants);
}

TEST(BadValues, OfTheMemory) {
    const BadValue rows[] = {{"limit_mib = 0", "from 1 to 65536"},
                             {"limit_mib = 65537", "from 1 to 65536"},
                             {"limit_mib = -9223372036854775808", "from 1 to 65536"},
                             {"limit_mib = '256'", "a whole number"}};
    check_all_refused("memory", "", rows);
}

TEST(BadValues, OfACamera) {
    const BadValue rows[] = {
        {"width = 0", "from 1 to 65535"},
        {"width = -1", "from 1 to 65535"},
        {"width = 65536", "from 1 to 65535"},
        {"width = 4294967297", "from 1 to 65535"},
        {"width = 640.0", "a whole number"},
        {"width = '640'", "a whole number"},
        {"width = true", "a whole number"},
        {"height = 0", "from 1 to 65535"},
        {"height = -1", "from 1 to 65535"},
        {"height = 65536", "from 1 to 65535"},
        {"format = 'XXXX'", "\"GREY\""},
        {"format = ''", "\"NV12\""},
        {"format = 'y16'", "\"Y16 \""},
        {"format = 16", "a text in quotes"},
        {"stride_override = 0", "from 1 to 1048576"},
        {"stride_override = 1048577", "from 1 to 1048576"},
        {"rate = nan", "a number from 0.01 to 1000"},
        {"rate = inf", "a number from 0.01 to 1000"},
        {"rate = -inf", "a number from 0.01 to 1000"},
        {"rate = 0", "a number from 0.01 to 1000"},
        {"rate = -30", "a number from 0.01 to 1000"},
        {"rate = 1001", "a number from 0.01 to 1000"},
        {"rate = '30'", "a number from 0.01 to 1000"},
        {"rate = true", "a number from 0.01 to 1000"},
        {"range = 'video'", "\"full\", \"limited\""},
        {"range = 235", "a text in quotes"},
        {"transport = 'dma'", "\"dmabuf\", \"mmap\", \"userptr\", \"host_pages\", \"copy\""},
        {"buffers = 2", "from 3 to 32"},
        {"buffers = 33", "from 3 to 32"},
        {"bins = -1", "from 256 to 4096"},
        {"bins = 255", "from 256 to 4096"},
        {"bins = 4097", "from 256 to 4096"},
        {"bins = 4294967552", "from 256 to 4096"},
        {"bins = 302", "302 bins; allowed are multiples of 4 from 256 to 4096"},
        {"bins = 256.0", "a whole number"},
        {"publish_interval_ms = -1", "from 0 to 3600000"},
        {"publish_interval_ms = 3600001", "from 0 to 3600000"},
        {"publish_histograms = 'frame'", "a list of texts"},
        {"publish_histograms = [ 1 ]", "a list of texts"},
        {"publish_histograms = [ 'frame', 5 ]", "a list of texts"},
        {"publish_histograms = [ 'sky' ]", "no region is called \"sky\""},
        {"publish_histograms = [ 'metering' ]", "no region is called \"metering\""},
        {"publish_histograms = [ 'frame', 'frame', 'frame', 'frame', 'frame' ]",
         "5 names; at most 4"},
        {"region = 5", "a table [camera.front.region]"},
        {"filter = 'box3'", "a table [camera.front.filter]"},
        {"metering = 3", "a table [camera.front.metering]"},
        {"controls = 7", "a table [camera.front.controls]"},
        {"media = 'internal'", "allowed are \"external\" and a table"},
        {"media = 3", "a table [camera.front.media]"},
    };
    check_all_refused("camera.front", "source = 'test:ramp'\n", rows);
}

TEST(BadValues, OfControls) {
    const BadValue rows[] = {
        {"gain = 1.5", "a whole number, true or false"},
        {"gain = '1'", "a whole number, true or false"},
        {"gain = [ 1 ]", "a whole number, true or false"},
    };
    check_all_refused_below("camera.front.controls", "", rows);
}

TEST(BadValues, OfAMediaGraph) {
    const BadValue rows[] = {
        {"links = 'a:0'", "a list of texts"},
        {"links = [ '1:0 > 2:0' ]", "1:0 > 2:0: "},
        {"pads = [ '1:0 [fmt:UYVY/]' ]", "1:0 [fmt:UYVY/]: "},
    };
    check_all_refused_below("camera.front.media", "device = 'm'\n", rows);
    STRCMP_CONTAINS("[camera.front.media] device is missing",
                    config_error(camera("media = { links = [] }")).c_str());
}

TEST(BadValues, OfASource) {
    const BadValue rows[] = {
        {"source = ''", "test:PATTERN, file:PATH and v4l2:NODE"},
        {"source = 'v4l2:'", "v4l2: needs a node"},
        {"source = 'usb:0'", "test:PATTERN, file:PATH and v4l2:NODE"},
        {"source = 'test:'", "gradient, ramp, checker, noise, flat:VALUE"},
        {"source = 'test:flat:256'", "gradient, ramp, checker, noise, flat:VALUE"},
        {"source = 'file:'", "file: needs a path"},
        {"source = 5", "a text in quotes"},
        {"source = [ 'test:ramp' ]", "a text in quotes"},
    };
    check_all_refused("camera.front", "", rows);
    check_refused("[camera.front]\nwidth = 5\n",
                  {":1:", "[camera.front] source is missing", "a text in quotes"});
}

TEST(BadValues, OfARegion) {
    const BadValue rows[] = {
        {"x = -1", "from 0 to 65535"},     {"x = 65536", "from 0 to 65535"},
        {"y = -1", "from 0 to 65535"},     {"y = 1.5", "a whole number"},
        {"height = 0", "from 1 to 65535"}, {"height = 65536", "from 1 to 65535"},
    };
    for (const BadValue& row : rows) {
        check_refused(
            camera(std::string("[camera.front.region.sky]\nwidth = 1\n") + row.line + "\n"),
            {":5:", std::string("[camera.front.region.sky] ") + row.line, row.allowed});
    }
    check_refused(camera("[camera.front.region.sky]\nwidth = 0\nheight = 1\n"),
                  {":4:", "width = 0", "from 1 to 65535"});
    check_refused(camera("[camera.front.region.sky]\nwidth = 1\n"),
                  {":3:", "[camera.front.region.sky] height is missing", "from 1 to 65535"});
    check_refused(camera("region.sky = 3\n"),
                  {":3:", "sky = 3", "a table [camera.front.region.sky]"});
}

TEST(BadValues, NamesOfRegionsAndCameras) {
    constexpr const char* allowed = "[a-z][a-z0-9_]{0,31}";
    for (const char* name : {"frame", "metering", "Sky", "'sky-1'", "1sky", "_sky", "''", "'a b'",
                             "abcdefghijklmnopqrstuvwxyz0123456"}) {
        check_refused(
            camera(std::string("[camera.front.region.") + name + "]\nwidth = 1\nheight = 1\n"),
            {":3:", "camera.front.region.", allowed, "neither \"frame\" nor \"metering\""});
    }
    for (const char* name : {"Front", "'front-1'", "1front", "_front", "''", "'a b'"}) {
        check_refused(std::string("[camera.") + name + "]\nsource = 'test:ramp'\n",
                      {":1:", "camera.", allowed});
    }
}

TEST(BadValues, TooManyRegions) {
    LONGS_EQUAL(
        max_regions,
        parse_config({{"", camera(many_regions(max_regions))}}).config.cameras[0].regions.size());
    check_refused(camera(many_regions(max_regions + 1)), {"region", "65 regions", "at most 64"});
}

TEST(BadValues, PublishedHistogramsAreAtMostFourKnownRegions) {
    const std::string regions = many_regions(4);
    (void)parse_config(
        {{"", camera("publish_histograms = ['r0', 'r1', 'r2', 'frame']\n" + regions)}});
    check_refused(camera("publish_histograms = ['r0', 'r1', 'r2', 'r3', 'frame']\n" + regions),
                  {"publish_histograms", "5 names", "at most 4"});
    check_refused(camera("publish_histograms = ['r0', 'r4']\n" + regions),
                  {"no region is called \"r4\""});
}

TEST(BadValues, OfAFilter) {
    const BadValue rows[] = {
        {"kernel = 'gaussian8'", "gaussianN"},
        {"kernel = 'box3'\nborder = 'wrap'", "\"reflect-101\""},
        {"kernel = 'box3'\nborder_value = 1", "only border = \"constant\""},
        {"kernel = 'box3'\nborder = 'constant'\nborder_value = 256", "from 0 to 255"},
        {"kernel = ''", "and custom"},
        {"kernel = 5", "a text in quotes"},
        {"kernel = 'custom'", "needs coefficients"},
        {"shift = 32", "from 0 to 31"},
        {"shift = -1", "from 0 to 31"},
        {"coefficients = 'box3'", "a list of whole numbers"},
        {"coefficients = [ 1, 2, 3 ]", "3 coefficients for a 3x3 filter"},
        {"coefficients = []", "0 coefficients"},
        {"coefficients = [ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ]", "10 coefficients"},
        {"coefficients = [ 32768, 0, 0, 0, 0, 0, 0, 0, 0 ]", "from -32768 to 32767"},
        {"coefficients = [ -32769, 0, 0, 0, 0, 0, 0, 0, 0 ]", "from -32768 to 32767"},
        {"coefficients = [ 1.5, 0, 0 ]", "3 coefficients for a 3x3 filter"},
        {"coefficients = [ 1.5, 0, 0, 0, 'x', 0, 0, 0, 0 ]", "a list of numbers"},
        {"coefficients = [ 1, inf, 0, 0, 0, 0, 0, 0, 0 ]", "coefficient 2 of 9 is inf"},
        {"coefficients = [ 1, 0, 0, 0, 0, 0, 0, 0, nan ]", "coefficient 9 of 9 is nan"},
        {"coefficients = [ 1e38, 0, 0, 0, 0, 0, 0, 0, 0 ]", "x 255 is 2.55e+40"},
    };
    for (const BadValue& row : rows) {
        check_refused(camera(std::string("[camera.front.filter]\n") + row.line + "\n"),
                      {"[camera.front.filter]", row.allowed});
    }
    check_refused(camera("[camera.front.filter]\nshift = 2\n"),
                  {":3:", "kernel", "needs coefficients"});
    check_refused(camera("[camera.front.filter]\nshift = 2\n"
                         "coefficients = [0.5, 0, 0, 0, 0, 0, 0, 0, 0]\n"),
                  {":4:", "shift = 2", "divide the coefficients instead"});
    for (const char* given : {"[1, 2, 3]", "[0.5, 2, 3]"}) {
        check_refused(
            camera(std::string("[camera.front.filter]\nkernel = 'box3'\ncoefficients = ") + given +
                   "\n"),
            {":5:", "coefficients = ", "only kernel = \"custom\""});
    }
}

TEST(BadValues, OfAMeteringGrid) {
    const BadValue rows[] = {
        {"columns = 0", "from 1 to 32"},
        {"columns = 33", "from 1 to 32"},
        {"columns = 'three'", "a whole number"},
        {"weights = 5", "a list of whole numbers"},
        {"weights = [ 1, 256 ]", "whole numbers from 0 to 255"},
        {"weights = [ 1, -1 ]", "whole numbers from 0 to 255"},
        {"weights = [ 1, 40000 ]", "whole numbers from 0 to 255"},
        {"weights = [ 1, 0.5 ]", "whole numbers from 0 to 255"},
        {"weights = [ 1, 2, 3 ]", "3 weights for a metering grid of 2x1, which takes 2"},
        {"weights = []", "0 weights for a metering grid of 2x1, which takes 2"},
        {"weights = [ 0, 0 ]", "give at least one cell a weight"},
    };
    for (const BadValue& row : rows) {
        const bool weights = std::string_view(row.line).starts_with("weights");
        const std::string before = weights ? "columns = 2\nrows = 1\n" : "rows = 1\n";
        check_refused(camera("[camera.front.metering]\n" + before + row.line + "\n"),
                      {std::string("[camera.front.metering] ") + row.line, row.allowed});
    }
    check_refused(camera("[camera.front.metering]\ncolumns = 2\nweights = [1, 1]\n"),
                  {":3:", "[camera.front.metering] rows is missing", "from 1 to 32"});
    check_refused(camera("[camera.front.metering]\ncolumns = 2\nrows = 1\n"),
                  {":3:", "[camera.front.metering] weights is missing", "0 weights", "takes 2"});
}

TEST(BadValues, TablesThatAreNoTables) {
    check_refused("gpu = 5\n", {":1:", "gpu = 5", "a table [gpu]"});
    check_refused("memory = 'much'\n", {"memory = 'much'", "a table [memory]"});
    check_refused("camera = ['front']\n", {"a table [camera]"});
    check_refused("[camera]\nfront = 'test:ramp'\n",
                  {":2:", "front = 'test:ramp'", "a table [camera.front]"});
    check_refused("[[camera]]\nsource = 'test:ramp'\n", {"camera", "a table [camera]"});
    check_refused("[[camera.front]]\nsource = 'test:ramp'\n", {"front", "a table [camera.front]"});
}

TEST(BadValues, LongValuesAreCutInTheMessage) {
    const std::string error = config_error("gpu.kernels = '" + std::string(5000, 'x') + "'\n");
    STRCMP_EQUAL("", missing_in(error, {"xxx...", "\"auto\""}).c_str());
    CHECK_TRUE(error.size() < 200);
}

TEST(BadValues, AMessageNamesTheFileThatSetTheValue) {
    const std::string error = text_thrown<ConfigError>([] {
        (void)parse_config({{"/usr/one.toml", "gpu.kernels = 'ep'\n"},
                            {"/etc/two.toml", "\n\ngpu.kernels = 'x'\n"}});
    });
    STRCMP_EQUAL("", missing_in(error, {"/etc/two.toml:3:"}).c_str());
}
