# What cpack makes: Debian packages glintd (service, tuner), glintctl (client) and glint-bench, each with its -dbgsym, and
# glintd-dev for authors of clients.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME glintd)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # or it would come before the first line of each description
set(CPACK_PACKAGE_CONTACT "glintd maintainers <maintainers@glintd.example>")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_COMPONENTS_ALL glintd ctl dev)
if(GLINT_BUILD_BENCH)
  list(APPEND CPACK_COMPONENTS_ALL bench)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE https://github.com/glintd/glintd)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION TRUE)

set(CPACK_DEBIAN_GLINTD_PACKAGE_NAME glintd)
set(CPACK_DEBIAN_GLINTD_PACKAGE_SECTION video)
set(CPACK_DEBIAN_GLINTD_DESCRIPTION
    "light statistics and camera frames from a small GPU
A system service that owns the GPU of a board, measures camera frames on it
without copying them, and publishes histograms, statistics and filtered
pictures on D-Bus. Where there is no usable GPU the CPU measures.

With the tuner glint-tune; the client glintctl is a package of its own.")
# systemd 250: what the unit says, and systemd-sysusers with lines for members.
set(CPACK_DEBIAN_GLINTD_PACKAGE_DEPENDS "systemd (>= 250), default-dbus-system-bus | dbus-system-bus")
set(CPACK_DEBIAN_GLINTD_PACKAGE_RECOMMENDS "udev, glintctl")
set(CPACK_DEBIAN_GLINTD_PACKAGE_SUGGESTS "opencl-icd")
set(debian ${CMAKE_SOURCE_DIR}/cmake/debian)
set(CPACK_DEBIAN_GLINTD_PACKAGE_CONTROL_EXTRA ${debian}/postinst ${debian}/prerm ${debian}/postrm)

# Before 0.2.0 glintd held what is in these two.
set(before_the_split "glintd (<< 0.2.0~)")

set(CPACK_DEBIAN_CTL_PACKAGE_NAME glintctl)
set(CPACK_DEBIAN_CTL_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_CTL_DESCRIPTION
    "shows and steers glintd, which measures camera frames on the GPU
The command line of the service glintd: cameras and their state, live
histograms, statistics, snapshots, filters, regions, lines and alarms.")
set(CPACK_DEBIAN_CTL_PACKAGE_RECOMMENDS glintd)
set(CPACK_DEBIAN_CTL_PACKAGE_BREAKS ${before_the_split})
set(CPACK_DEBIAN_CTL_PACKAGE_REPLACES ${before_the_split})

set(CPACK_DEBIAN_DEV_PACKAGE_NAME glintd-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION
    "what clients of glintd are built with
A header for C and C++, without a library, that reads the results and
pictures which the service glintd shows in shared memory; an example; and
the D-Bus interfaces of the service for code generators.")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS glintd)
set(CPACK_DEBIAN_DEV_PACKAGE_BREAKS ${before_the_split})
set(CPACK_DEBIAN_DEV_PACKAGE_REPLACES ${before_the_split})

set(CPACK_DEBIAN_BENCH_PACKAGE_NAME glint-bench)
set(CPACK_DEBIAN_BENCH_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_BENCH_DESCRIPTION
    "measures glintd's kernels against what a GPU can do
Runs every kernel that glintd has for an OpenCL device, and compares its
speed with the device's bandwidth and arithmetic. Needs neither the service
nor a bus.")

set(CPACK_GLINT_DEBIAN_FOLDER ${debian})
set(CPACK_PRE_BUILD_SCRIPTS ${debian}/complete.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${debian}/mend_dbgsym.cmake)
include(CPack)
