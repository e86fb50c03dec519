// GLINT_LAYER_FAULTS as text: what is understood, and how what is not is refused.
#include <string>

#include "tests/layer/api/child.hpp"
#include "tests/layer/api/played.hpp"
#include "tests/layer/faults.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::test;

namespace {

using Action = Fault::Action;

std::string refusal(std::string_view text) {
    try {
        const Faults faults(text);
    } catch (const FaultError& error) {
        return error.what();
    }
    return {};
}

/// The message names the rule and says why.
void check_refused(const std::string& rule, const char* why) {
    for (const std::string& text : {rule, "clFlush@1=kill;" + rule + ";clFinish@1=kill"}) {
        const std::string message = refusal(text);
        STRCMP_CONTAINS(("GLINT_LAYER_FAULTS: \"" + rule + "\": ").c_str(), message.c_str());
        STRCMP_CONTAINS(why, message.c_str());
        STRCMP_CONTAINS("a rule is FUNCTION[KERNEL]@WHEN=ACTION", message.c_str());
    }
}

/// Which of the first eight calls the rules strike.
std::string struck(Faults& faults, Function function, std::string_view kernel = {}) {
    std::string result;
    for (int call = 0; call < 8; ++call) result += faults.on_call(function, kernel) ? 'x' : '.';
    return result;
}

Fault only_fault(std::string_view text, Function function) {
    Faults faults(text);
    const auto fault = faults.on_call(function);
    CHECK(fault.has_value());
    return fault.value_or(Fault{});
}

/// A program's first call with such an environment.
Outcome start_with(const std::string& profile, const Settings& settings) {
    return in_child([&] {
        play(profile, settings);
        cl_platform_id platform = nullptr;
        clGetPlatformIDs(1, &platform, nullptr);
    });
}

void check_ends_with_78(const std::string& profile, const Settings& settings, const char* why) {
    const Outcome outcome = start_with(profile, settings);
    LONGS_EQUAL(78, outcome.code);
    STRCMP_CONTAINS(why, outcome.err.c_str());
    LONGS_EQUAL(0, outcome.err.find("glint-layer: "));
    LONGS_EQUAL(1, count_of(outcome.err, "\n"));
}

}  // namespace

TEST_GROUP(FaultGrammar){};

TEST(FaultGrammar, WhenIsCountedFromOne) {
    Faults once("clFlush@3=kill");
    STRCMP_EQUAL("..x.....", struck(once, Function::clFlush).c_str());
    Faults from("clFlush@3+=kill");
    STRCMP_EQUAL("..xxxxxx", struck(from, Function::clFlush).c_str());
    Faults every("clFlush@*=kill");
    STRCMP_EQUAL("xxxxxxxx", struck(every, Function::clFlush).c_str());
    STRCMP_EQUAL("........", struck(every, Function::clFinish).c_str());
}

TEST(FaultGrammar, RulesCountForThemselvesAndTheFirstWins) {
    Faults faults("clFlush@2=CL_INVALID_VALUE;clFlush@2+=lost;;clFinish@1=kill;");
    CHECK(!faults.on_call(Function::clFlush));
    CHECK(faults.on_call(Function::clFlush)->action == Action::error);
    CHECK(faults.on_call(Function::clFlush)->action == Action::lost);
    CHECK(faults.on_call(Function::clFinish)->action == Action::kill);
    CHECK(faults.concern(Function::clFinish));
    CHECK_FALSE(faults.concern(Function::clGetDeviceInfo));
}

TEST(FaultGrammar, AKernelIsAFilter) {
    Faults faults("clEnqueueNDRangeKernel[histogram]@2=hang");
    STRCMP_EQUAL("........",
                 struck(faults, Function::clEnqueueNDRangeKernel, "histogram2").c_str());
    STRCMP_EQUAL(".x......", struck(faults, Function::clEnqueueNDRangeKernel, "histogram").c_str());
}

TEST(FaultGrammar, CountingMayBeginAfterAnotherFunction) {
    Faults faults("clFlush@clFinish:2=kill");
    STRCMP_EQUAL("........", struck(faults, Function::clFlush).c_str());
    CHECK_TRUE(faults.concern(Function::clFinish));
    CHECK(!faults.on_call(Function::clFinish));
    STRCMP_EQUAL(".x......", struck(faults, Function::clFlush).c_str());
    check_refused("clFlush@clFinsh:2=kill", "\"clFinsh\" is no function of OpenCL");
    check_refused("clFlush@clFinish:=kill", "the call is N, N+ or *, counted from 1");
}

TEST(FaultGrammar, NothingIsNoFault) {
    Faults faults("");
    STRCMP_EQUAL("........", struck(faults, Function::clFlush).c_str());
}

TEST(FaultGrammar, EveryAction) {
    constexpr auto launch = Function::clEnqueueNDRangeKernel;
    const Fault error = only_fault("clFlush@1=CL_OUT_OF_RESOURCES", Function::clFlush);
    CHECK(error.action == Action::error);
    LONGS_EQUAL(CL_OUT_OF_RESOURCES, error.error);
    LONGS_EQUAL(-1143, only_fault("clFlush@1=CL_NOT_ALIGNED", Function::clFlush).error);
    CHECK(only_fault("clFlush@1=kill", Function::clFlush).action == Action::kill);
    CHECK(only_fault("clFlush@1=block", Function::clFlush).action == Action::block);
    CHECK(only_fault("clFlush@1=lost", Function::clFlush).action == Action::lost);
    CHECK(only_fault("clEnqueueNDRangeKernel@1=hang", launch).action == Action::hang);
    const Fault late = only_fault("clEnqueueNDRangeKernel@1=late:250", launch);
    CHECK(late.action == Action::late);
    LONGS_EQUAL(250, late.delay.count());
    const Fault flip = only_fault("clEnqueueNDRangeKernel@1=flip:3", launch);
    CHECK(flip.action == Action::flip);
    LONGS_EQUAL(3, flip.argument);
    CHECK(only_fault("clEnqueueTask@1=flip-all:0", Function::clEnqueueTask).action ==
          Action::flip_all);
    CHECK(only_fault("clBuildProgram@1=fail", Function::clBuildProgram).action == Action::fail);
    CHECK(only_fault("clEnqueueMapBuffer@1=elsewhere", Function::clEnqueueMapBuffer).action ==
          Action::elsewhere);
    constexpr auto callback = Function::clSetEventCallback;
    CHECK(only_fault("clSetEventCallback@1=sync", callback).action == Action::sync);
    CHECK(only_fault("clSetEventCallback@1=late:5", callback).action == Action::late);
    CHECK(only_fault("clSetEventCallback@1=never", callback).action == Action::never);
}

TEST(FaultGrammar, RulesWithoutTheirSigns) {
    check_refused("clFlush", "there is no @ or no =");
    check_refused("clFlush@1", "there is no @ or no =");
    check_refused("clFlush=kill", "there is no @ or no =");
    check_refused("clFlush=kill@1", "there is no @ or no =");
}

TEST(FaultGrammar, Functions) {
    check_refused("clFlsh@1=kill", "\"clFlsh\" is no function of OpenCL");
    check_refused("@1=kill", "\"\" is no function of OpenCL");
    check_refused(" clFlush@1=kill", "\" clFlush\" is no function of OpenCL");
}

TEST(FaultGrammar, Kernels) {
    check_refused("clEnqueueNDRangeKernel[k@1=hang", "the [ is not closed");
    check_refused("clEnqueueNDRangeKernel[k]x@1=hang", "the [ is not closed");
    check_refused("clFinish[k]@1=kill", "only launches have a kernel");
}

TEST(FaultGrammar, When) {
    for (const char* when :
         {"0", "", "+", "-1", "1-2", "**", "*+", "1++", " 1", "one", "99999999999999999999"}) {
        check_refused("clFlush@" + std::string(when) + "=kill",
                      "the call is N, N+ or *, counted from 1");
    }
}

TEST(FaultGrammar, Actions) {
    for (const char* action :
         {"", "CL_OUT_OF", "CL_SUCCESS", "-5", "kill:1", "Kill", "late", "late:", "late:x",
          "late:-1", "late:4294967296", "flip", "flip:all"}) {
        check_refused(
            "clEnqueueNDRangeKernel@1=" + std::string(action),
            "is neither an OpenCL error such as CL_OUT_OF_RESOURCES nor one of kill, block");
    }
}

TEST(FaultGrammar, ActionsInTheWrongPlace) {
    for (const char* rule :
         {"clFlush@1=hang", "clFlush@1=late:1", "clFinish@1=flip:0", "clFinish@1=flip-all:0",
          "clCompileProgram@1=fail", "clEnqueueMapImage@1=elsewhere", "clFlush@1=sync",
          "clEnqueueNDRangeKernel@1=never"}) {
        check_refused(rule, "cannot do that");
    }
}

TEST(FaultGrammar, ABadEnvironmentEndsTheProcess) {
    check_ends_with_78("gc2000", {{"FAULTS", "clFlsh@1=kill"}}, "\"clFlsh\" is no function");
    check_ends_with_78("gc2000", {{"MEMORY", "kind"}},
                       "GLINT_LAYER_MEMORY is \"kind\"; it may be pass, shadow, shadow-all");
    check_ends_with_78("gc2000", {{"SEED", "-1"}}, "GLINT_LAYER_SEED is \"-1\"; it is a number");
    check_ends_with_78("gc2000", {{"LOW_PAGES", "yes"}},
                       "GLINT_LAYER_LOW_PAGES is \"yes\"; it may be 0 or 1");
    check_ends_with_78("gc2001", {}, "there is no profile and no readable file \"gc2001\"");
}

TEST(FaultGrammar, AGoodEnvironmentDoesNot) {
    LONGS_EQUAL(0, start_with("", {{"FAULTS", "clFlush@1=kill"}, {"MEMORY", ""}}).code);
}
