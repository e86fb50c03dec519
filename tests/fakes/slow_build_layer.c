/* An OpenCL ICD loader layer: clBuildProgram sleeps for $GLINT_TEST_BUILD_DELAY_MS first, as the
 * compiler of a slow board would; everything else passes through. Load it with OPENCL_LAYERS=PATH.
 */
#include <CL/cl_layer.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct _cl_icd_dispatch table;
static cl_api_clBuildProgram build_program;

static void wait_first(void) {
    const char* text = getenv("GLINT_TEST_BUILD_DELAY_MS");
    const long delay_ms = text != NULL ? strtol(text, NULL, 10) : 0;
    struct timespec left;
    left.tv_sec = delay_ms / 1000;
    left.tv_nsec = delay_ms % 1000 * 1000000;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
}

static cl_int CL_API_CALL slow_build_program(cl_program program, cl_uint device_count,
                                             const cl_device_id* devices, const char* options,
                                             void(CL_CALLBACK* done)(cl_program, void*),
                                             void* data) {
    wait_first();
    return build_program(program, device_count, devices, options, done, data);
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                               size_t* size_ret) {
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (name != CL_LAYER_API_VERSION) return CL_INVALID_VALUE;
    if (value != NULL && size < sizeof version) return CL_INVALID_VALUE;
    if (value != NULL) memcpy(value, &version, sizeof version);
    if (size_ret != NULL) *size_ret = sizeof version;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* target,
                                            cl_uint* entries_ret,
                                            const cl_icd_dispatch** layer_ret) {
    const cl_uint known = (cl_uint)(sizeof table / sizeof(void*));
    const cl_uint count = entries < known ? entries : known;
    if (target == NULL || entries_ret == NULL || layer_ret == NULL) return CL_INVALID_VALUE;
    memcpy(&table, target, count * sizeof(void*));
    build_program = target->clBuildProgram;
    table.clBuildProgram = slow_build_program;
    *entries_ret = count;
    *layer_ret = &table;
    return CL_SUCCESS;
}
