// One entry of the table: what is done around every call, whatever it is.
#pragma once

#include <tuple>
#include <type_traits>

#include "tests/layer/layer.hpp"

namespace glint::layer {

template <typename... Arguments>
struct LastOf {
    using Type = void;
};
template <typename First, typename... Rest>
struct LastOf<First, Rest...> {
    using Type = std::tuple_element_t<sizeof...(Rest), std::tuple<First, Rest...>>;
};

template <typename... Arguments>
auto last(Arguments... arguments) {
    return std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
}

/// The result of a function that did nothing but fail.
template <typename Result, typename... Arguments>
Result failure(cl_int code, Arguments... arguments) {
    if constexpr (std::is_same_v<Result, cl_int>) {
        return code;
    } else if constexpr (std::is_pointer_v<Result>) {
        if constexpr (std::is_same_v<typename LastOf<Arguments...>::Type, cl_int*>) {
            cl_int* const code_ret = last(arguments...);
            if (code_ret != nullptr) *code_ret = code;
        }
        return nullptr;
    }
}

template <typename T>
constexpr bool is_object =
    std::is_same_v<T, cl_context> || std::is_same_v<T, cl_command_queue> ||
    std::is_same_v<T, cl_mem> || std::is_same_v<T, cl_sampler> || std::is_same_v<T, cl_program> ||
    std::is_same_v<T, cl_kernel> || std::is_same_v<T, cl_event>;

template <Function function, typename Pointer>
struct Entry;

template <Function function, typename Result, typename... Arguments>
struct Entry<function, Result(CL_API_CALL*)(Arguments...)> {
    using Pointer = Result(CL_API_CALL*)(Arguments...);
    static inline Pointer inner = nullptr;  ///< the layer's own handler, or the driver

    static Result CL_API_CALL call(Arguments... arguments) {
        Layer& the = layer();
        cl_int code = the.before(function);
        if (code == CL_SUCCESS && inner == nullptr) code = CL_INVALID_OPERATION;
        if (code == CL_SUCCESS && is_lost(the, arguments...)) {
            code = the.refuse(function, CL_OUT_OF_RESOURCES, "the context was lost");
        }
        if (code != CL_SUCCESS) return failure<Result>(code, arguments...);
        if constexpr (std::is_void_v<Result>) {
            inner(arguments...);
        } else {
            const Result result = inner(arguments...);
            remember(the, result, arguments...);
            return result;
        }
    }

  private:
    template <typename First, typename... Rest>
    static bool is_lost(const Layer& the, First first, Rest...) {
        constexpr bool frees = info_of(function).name.find("clRelease") == 0;
        if constexpr (!frees && (std::is_same_v<First, cl_context> ||
                                 std::is_same_v<First, cl_command_queue>)) {
            return the.lost(first);
        } else {
            return false;
        }
    }
    static bool is_lost(const Layer&) { return false; }

    /// Objects that the program has got and must release.
    template <typename Made>
    static void remember(Layer& the, Made result, Arguments... arguments) {
        using Last = typename LastOf<Arguments...>::Type;
        if constexpr (is_object<Made>) {
            if (result != nullptr) the.objects.created(result);
        } else if constexpr (std::is_same_v<Made, cl_int> && std::is_same_v<Last, cl_event*>) {
            cl_event* const event = last(arguments...);
            if (result == CL_SUCCESS && event != nullptr) the.objects.created(*event);
        }
    }
};

}  // namespace glint::layer
