# nooelint: oelint.var.bbclassextend - a service of the target alone
SUMMARY = "Light statistics and filtered camera frames from the GPU, on D-Bus"
DESCRIPTION = "glintd is a system service that owns the Vivante GPU of an i.MX board. \
               It runs OpenCL histogram and convolution kernels on frames that it does not copy, \
               publishes the results on D-Bus, and goes on with the CPU when the GPU fails."
HOMEPAGE = "https://github.com/glintd/glintd"
BUGTRACKER = "https://github.com/glintd/glintd/issues"
SECTION = "multimedia"
LICENSE = "MIT"
LIC_FILES_CHKSUM = "file://LICENSE;md5=ca8ee920ddcf43ceaa92be27e7fa7fe7"
CVE_PRODUCT = "glintd"

# Both names are provided by meta-oe and, for boards with NXP's driver, by imx-gpu-viv: this one
# spelling is right in every release and with either.
DEPENDS = "cli11 fmt libgpiod libpng opencl-headers opencl-icd-loader systemd tomlplusplus"

PV = "0.2.0+git"

# destsuffix instead of S or UNPACKDIR: right before and after the change of the default S.
SRC_URI = "git://github.com/glintd/glintd;protocol=https;branch=main;destsuffix=${BP} \
           file://run-ptest \
           "
# To be pinned: set SRCREV:pn-glintd in the distro configuration to the commit of the release that you
# build. All zeros parse, and make do_fetch fail until that is done; AUTOREV would make builds that
# nobody can repeat.
SRCREV = "0000000000000000000000000000000000000000"

inherit cmake features_check pkgconfig ptest systemd useradd

REQUIRED_DISTRO_FEATURES = "systemd ${GLINTD_OPENCL_FEATURE}"

# After walnascar, meta-oe's ICD loader wants the distro feature "opencl". Saying so here gives a clear
# reason instead of "nothing provides". imx-gpu-viv brings a loader of its own without that feature.
GLINTD_OPENCL_FEATURE = "${@bb.utils.contains_any('LAYERSERIES_CORENAMES', 'scarthgap walnascar', '', 'opencl', d)}"
# imxviv is an override of meta-freescale:
# nooelint: oelint.vars.specific
GLINTD_OPENCL_FEATURE:imxviv = ""

PACKAGECONFIG ??= "${@bb.utils.contains('PTEST_ENABLED', '1', 'tests', '', d)}"
PACKAGECONFIG[tests] = "-DGLINT_BUILD_TESTS=ON,-DGLINT_BUILD_TESTS=OFF,cpputest"

EXTRA_OECMAKE = "-DGLINT_BUILD_BENCH=OFF \
                 -DGLINT_CATALOG_DIR=${nonarch_libdir}/systemd/catalog \
                 -DGLINT_CONFIG_DIR=${nonarch_libdir}/glintd \
                 -DGLINT_DBUS_INTERFACE_DIR=${datadir}/dbus-1/interfaces \
                 -DGLINT_DBUS_POLICY_DIR=${datadir}/dbus-1/system.d \
                 -DGLINT_DBUS_SERVICE_DIR=${datadir}/dbus-1/system-services \
                 -DGLINT_SYSTEMD_UNIT_DIR=${systemd_system_unitdir} \
                 -DGLINT_SYSUSERS_DIR=${nonarch_libdir}/sysusers.d \
                 -DGLINT_TEST_INSTALL_DIR=${PTEST_PATH}/tests \
                 -DGLINT_UDEV_RULES_DIR=${nonarch_base_libdir}/udev/rules.d \
                 "

# The tests are a component of their own, outside "all".
do_install_ptest() {
    DESTDIR='${D}' cmake --install '${B}' --component tests
}

SYSTEMD_PACKAGES = "${PN} ${PN}-tune"
SYSTEMD_SERVICE:${PN} = "glintd.service"
# Enabled, it makes the first boot minutes longer: for the image to choose.
SYSTEMD_SERVICE:${PN}-tune = "glint-tune.service"
SYSTEMD_AUTO_ENABLE:${PN}-tune = "disable"

# In step with systemd/glintd.sysusers: the image step only checks sysusers.d files, it makes nobody.
USERADD_PACKAGES = "${PN}"
GROUPADD_PARAM:${PN} = "--system video; --system render; --system gpio"
USERADD_PARAM:${PN} = "--system --user-group --groups video,render,gpio \
                       --no-create-home --home-dir ${localstatedir}/lib/glintd --shell ${base_sbindir}/nologin \
                       glintd \
                       "

# Needed where a board is tuned or looked at, not in every product.
PACKAGE_BEFORE_PN = "${PN}-tune glintctl"
SUMMARY:glintctl = "Shows and steers glintd from the command line"
FILES:glintctl = "${bindir}/glintctl"
RRECOMMENDS:${PN} += "glintctl"
SUMMARY:${PN}-tune = "Measures glintd's kernels on the board and writes its tuning file"
FILES:${PN}-tune = "${bindir}/glint-tune"
# Its unit runs as the service's user.
RDEPENDS:${PN}-tune = "${PN}"

# For code generators; the header and the pkg-config file are there by themselves.
FILES:${PN}-dev += "${datadir}/dbus-1/interfaces"

FILES:${PN} += "${datadir}/dbus-1 \
                ${nonarch_base_libdir}/udev/rules.d \
                ${nonarch_libdir}/glintd \
                ${nonarch_libdir}/systemd/catalog \
                ${nonarch_libdir}/sysusers.d \
                "
