# Writes the OpenCL sources into one C++ header:
#   cmake -DKERNELS="DIR/ep/a.cl;DIR/fp/b.cl" -DROOT=DIR -DOUTPUT=FILE -P embed_kernels.cmake
# The text of ROOT/ep/a.cl, with the headers it includes from ROOT, becomes glint::kernels::ep_a
# and the file ep/a.cl beside OUTPUT, for whoever wants to compile it alone. The header is touched only if
# its content changes.
cmake_minimum_required(VERSION 3.25)

foreach(name KERNELS ROOT OUTPUT)
  if(NOT DEFINED ${name})
    message(FATAL_ERROR "embed_kernels.cmake: ${name} is missing")
  endif()
endforeach()

# Puts every header of ROOT in the place where it is included for the first time: a kernel must compile
# alone, and drivers take a text, not a folder.
function(resolve_includes variable)
  set(text "${${variable}}")
  set(seen)
  while(text MATCHES "#include \"([a-z_]+\\.h)\"\n")
    set(line "${CMAKE_MATCH_0}")
    set(name "${CMAKE_MATCH_1}")
    set(included "")
    if(NOT name IN_LIST seen)
      file(READ "${ROOT}/${name}" included)
      list(APPEND seen ${name})
    endif()
    string(FIND "${text}" "${line}" at)
    string(LENGTH "${line}" length)
    math(EXPR after "${at} + ${length}")
    string(SUBSTRING "${text}" 0 ${at} before)
    string(SUBSTRING "${text}" ${after} -1 rest)
    set(text "${before}${included}${rest}")
  endwhile()
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

set(header "// Written by cmake/embed_kernels.cmake; edit the files in kernels/ instead.
#pragma once

#include <string_view>

namespace glint::kernels {
")

foreach(kernel IN LISTS KERNELS)
  get_filename_component(kernel "${kernel}" ABSOLUTE BASE_DIR "${ROOT}")
  file(RELATIVE_PATH relative "${ROOT}" "${kernel}")
  string(REGEX REPLACE "\\.cl$" "" identifier "${relative}")
  string(MAKE_C_IDENTIFIER "${identifier}" identifier)
  file(READ "${kernel}" text)
  resolve_includes(text)
  string(FIND "${text}" ")cl\"" terminator)
  if(NOT terminator EQUAL -1)
    message(FATAL_ERROR "${relative}: contains the end mark of the raw string it is embedded as")
  endif()
  get_filename_component(folder "${OUTPUT}" DIRECTORY)
  file(WRITE "${folder}/${relative}" "${text}")
  string(APPEND header "\ninline constexpr std::string_view ${identifier} = R\"cl(${text})cl\";\n")
endforeach()

string(APPEND header "\n}  // namespace glint::kernels\n")

# Written aside first: a build that is interrupted leaves no half header behind.
file(WRITE "${OUTPUT}.new" "${header}")
file(COPY_FILE "${OUTPUT}.new" "${OUTPUT}" ONLY_IF_DIFFERENT)
file(REMOVE "${OUTPUT}.new")
