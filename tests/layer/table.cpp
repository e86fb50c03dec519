#include "tests/layer/entry.hpp"
#include "tests/layer/handlers.hpp"

namespace glint::layer {

const cl_icd_dispatch& make_table(const cl_icd_dispatch& below) {
    static cl_icd_dispatch table;
    table = below;
#define X(name, version)                                      \
    Entry<Function::name, cl_api_##name>::inner = below.name; \
    table.name = Entry<Function::name, cl_api_##name>::call;
    GLINT_LAYER_FUNCTIONS(X)
#undef X
#define X(name) \
    if (below.name != nullptr) Entry<Function::name, cl_api_##name>::inner = on_##name;
    GLINT_LAYER_HANDLED(X)
#undef X
    return table;
}

}  // namespace glint::layer
