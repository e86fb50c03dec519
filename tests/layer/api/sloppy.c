/* A program as people write them on a desk: it works there, and on a small GPU it does not.
 *
 * Its sins, one a step: memory that is not aligned, results that are read without a map, more
 * work-items than the hardware counts, a work-group larger than the kernel's limit, and an atomic
 * histogram. It goes on after every error. Returns 0 if every step gave the right numbers.
 *
 *   OPENCL_LAYERS=.../glint-layer.so GLINT_LAYER_PROFILE=gc2000 GLINT_LAYER_MEMORY=strict ./sloppy
 */
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { many = 70000, grouped = 1350, group = 135, pixels = 4096 };

static const char* plain_source =
    "__kernel void twice(__global uint* data) { data[get_global_id(0)] *= 2; }\n"
    "__kernel void number(__global uint* data) { data[get_global_id(0)] = get_global_id(0); }\n";
static const char* histogram_source =
    "__kernel void histogram(__global const uchar* picture, __global uint* bins) {\n"
    "    atomic_inc(&bins[picture[get_global_id(0)]]);\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static int failed_steps;

static void report(const char* step, cl_int code, size_t wrong, size_t of) {
    if (code == CL_SUCCESS && wrong == 0) {
        printf("%s: right\n", step);
        return;
    }
    ++failed_steps;
    if (code != CL_SUCCESS)
        printf("%s: error %d\n", step, code);
    else
        printf("%s: %zu of %zu numbers are wrong\n", step, wrong, of);
}

static cl_program build(const char* source, cl_int* code) {
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    *code = clBuildProgram(program, 1, &device, "", NULL, NULL);
    if (*code != CL_SUCCESS) {
        char log[1000] = "";
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        printf("build log: %s\n", log);
    }
    return program;
}

static size_t count_wrong(const uint32_t* numbers, size_t count, uint32_t factor) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; ++i) wrong += numbers[i] != i * factor;
    return wrong;
}

/* Two sins: where the memory is, and to look into it without a map. */
static void use_own_memory(cl_kernel twice) {
    uint32_t* room = malloc((pixels + 1) * sizeof *room);
    uint32_t* data = (uint32_t*)((uintptr_t)room | 4U); /* malloc gives multiples of 16 */
    for (uint32_t i = 0; i < pixels; ++i) data[i] = i;
    const size_t size = pixels;
    cl_int code = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                                   pixels * sizeof *data, data, &code);
    report("memory that is not aligned", code, 0, 0);
    clSetKernelArg(twice, 0, sizeof buffer, &buffer);
    code = clEnqueueNDRangeKernel(queue, twice, 1, NULL, &size, NULL, 0, NULL, NULL);
    clFinish(queue);
    report("results read without a map", code, count_wrong(data, pixels, 2), pixels);
    clReleaseMemObject(buffer);
    free(room);
}

static void number_items(const char* step, cl_kernel number, size_t global, const size_t* local) {
    uint32_t* numbers = calloc(global, sizeof *numbers);
    cl_mem buffer =
        clCreateBuffer(context, CL_MEM_READ_WRITE, global * sizeof *numbers, NULL, NULL);
    clSetKernelArg(number, 0, sizeof buffer, &buffer);
    cl_int code = clEnqueueNDRangeKernel(queue, number, 1, NULL, &global, local, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, global * sizeof *numbers, numbers, 0, NULL,
                        NULL);
    report(step, code, count_wrong(numbers, global, 1), global);
    clReleaseMemObject(buffer);
    free(numbers);
}

static void count_pixels(void) {
    uint8_t picture[pixels];
    uint32_t bins[256] = {0};
    for (size_t i = 0; i < pixels; ++i) picture[i] = (uint8_t)(i % 256);
    cl_int code = CL_SUCCESS;
    cl_program program = build(histogram_source, &code);
    cl_kernel kernel = clCreateKernel(program, "histogram", NULL);
    cl_mem in = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof picture, picture, NULL);
    cl_mem out = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof bins, bins, NULL);
    clSetKernelArg(kernel, 0, sizeof in, &in);
    clSetKernelArg(kernel, 1, sizeof out, &out);
    const size_t size = pixels;
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL);
    size_t wrong = 0;
    for (size_t i = 0; i < 256; ++i) wrong += bins[i] != pixels / 256;
    report("atomic histogram", code, wrong, 256);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
}

int main(void) {
    cl_platform_id platform = NULL;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    if (queue == NULL) {
        puts("there is no OpenCL device");
        return 1;
    }
    cl_int code = CL_SUCCESS;
    cl_program program = build(plain_source, &code);
    cl_kernel number = clCreateKernel(program, "number", NULL);
    const size_t local = group;
    use_own_memory(clCreateKernel(program, "twice", NULL));
    number_items("global size 70000", number, many, NULL);
    number_items("local size 135", number, grouped, &local);
    count_pixels();
    return failed_steps == 0 ? 0 : 1;
}
