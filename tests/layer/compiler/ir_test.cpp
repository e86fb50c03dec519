// The reader of LLVM's text: both kinds of pointers, and text that is not as expected.
#include <string>

#include "tests/layer/compiler/budget.hpp"
#include "tests/layer/compiler/ir.hpp"
#include "tests/layer/compiler/support.hpp"

#include <CppUTest/TestHarness.h>

using namespace glint::layer;
using namespace glint::layer::compiler;

namespace {

const std::string text = R"(%struct.pair = type { i32, [2 x i8] }
@t = internal addrspace(2) constant [2 x i8] c", !", align 1

define dso_local spir_kernel void @k(POINTER %0, i32 noundef %1) local_unnamed_addr #0 {
  %a = alloca [3 x %struct.pair], align 4
  %3 = load <4 x i32>, POINTER %0, align 16, !tbaa !5
  %4 = icmp eq i32 %1, 0
  br i1 %4, label %5, label %loop

5:                                                ; preds = %2, %loop
  ret void

loop:                                             ; preds = %2, %loop
  %n = phi i32 [ 0, %2 ], [ %m, %loop ]
  %x = phi <4 x i32> [ %3, %2 ], [ %y, %loop ]
  %y = add nsw <4 x i32> %x, <i32 1, i32 1, i32 1, i32 1>
  %m = add i32 %n, 1
  switch i32 %m, label %loop [
    i32 7, label %5
  ]
}
)";

std::string with_pointers(const std::string& pointer) {
    std::string result = text;
    for (size_t at; (at = result.find("POINTER")) != std::string::npos;) {
        result.replace(at, 7, pointer);
    }
    return result;
}

}  // namespace

TEST_GROUP(Ir){};

TEST(Ir, TypedAndOpaquePointersReadTheSame) {
    for (const char* pointer : {"<4 x i32> addrspace(1)*", "ptr addrspace(1)"}) {
        const ir::Module module = ir::parse(with_pointers(pointer));
        LONGS_EQUAL(1, module.functions.size());
        const ir::Function& k = module.functions[0];
        STRCMP_EQUAL("k", k.name.c_str());
        CHECK_TRUE(k.kernel);
        LONGS_EQUAL(2, k.arguments);
        LONGS_EQUAL(3, k.blocks.size());
        const auto& entry = k.blocks[0].instructions;
        LONGS_EQUAL(9, entry[0].type.components);  // three pairs of an int and two char
        LONGS_EQUAL(4, entry[1].type.lanes);
        LONGS_EQUAL(2, entry[3].targets.size());
        const auto& loop = k.blocks[2].instructions;
        LONGS_EQUAL(2, loop[1].incoming.size());
        LONGS_EQUAL(2, loop.back().targets.size());
        // Load, branch, return, four lanes, one addition, a switch of two ways; the comparison is
        // the branch's own.
        LONGS_EQUAL(10, kernel_costs(module, test::gc2000())[0].instructions);
        // Three of arrays; %y on top of %x, and a counter, packed.
        LONGS_EQUAL(5, kernel_costs(module, test::gc2000())[0].registers);
    }
}

TEST(Ir, AnythingMayBeCutShort) {
    const std::string whole = with_pointers("ptr addrspace(1)");
    for (size_t size = 0; size <= whole.size(); ++size) {
        (void)kernel_costs(ir::parse(whole.substr(0, size) + "\n}\n"), test::gc2000());
    }
    for (size_t from = 0; from <= whole.size(); ++from) {
        std::string holed = whole;
        holed.erase(from, 5);
        (void)kernel_costs(ir::parse(holed), test::gc2000());
    }
}
