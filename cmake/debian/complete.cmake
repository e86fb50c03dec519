# Run by cpack before it packs: what Debian wants beside what is installed, compressed as Debian wants it.
set(package_of_glintd glintd)
set(package_of_ctl glintctl)
set(package_of_dev glintd-dev)
set(package_of_bench glint-bench)
foreach(component ${CPACK_COMPONENTS_ALL})
  set(share ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}/share)
  set(doc ${share}/doc/${package_of_${component}})
  configure_file(${CPACK_GLINT_DEBIAN_FOLDER}/copyright ${doc}/copyright COPYONLY)
  configure_file(${CPACK_GLINT_DEBIAN_FOLDER}/changelog ${doc}/changelog.Debian COPYONLY)
  file(GLOB texts ${share}/man/man?/*.? ${doc}/changelog.Debian)
  # -n: the same file at every build.
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
