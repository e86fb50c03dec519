# Run by cpack when the packages are made: CMake 3.25 writes the build's paths into the check sums of -dbgsym packages
# and leaves out the documentation's folder, which debhelper makes a link to the package's own.
foreach(file ${CPACK_PACKAGE_FILES})
  if(NOT file MATCHES "/([^/]*)-dbgsym_[^/]*$")
    continue()
  endif()
  set(package ${CMAKE_MATCH_1})
  set(tree ${file}.tree)
  file(REMOVE_RECURSE ${tree})
  execute_process(COMMAND dpkg-deb --raw-extract ${file} ${tree} COMMAND_ERROR_IS_FATAL ANY)
  file(MAKE_DIRECTORY ${tree}/usr/share/doc)
  file(CREATE_LINK ${package} ${tree}/usr/share/doc/${package}-dbgsym SYMBOLIC)
  file(GLOB_RECURSE symbols RELATIVE ${tree} ${tree}/usr/*.debug)
  execute_process(COMMAND chmod 644 ${symbols} WORKING_DIRECTORY ${tree} COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND md5sum ${symbols} WORKING_DIRECTORY ${tree} OUTPUT_FILE ${tree}/DEBIAN/md5sums
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND dpkg-deb --root-owner-group -Z${CPACK_DEBIAN_COMPRESSION_TYPE} --build ${tree} ${file} OUTPUT_QUIET
                  COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
endforeach()
