SUMMARY = "TOML parser and serializer for C++17, header-only"
DESCRIPTION = "toml++ reads and writes TOML 1.0 documents and tells the line and column of errors. \
               Here for scarthgap only; later releases have it in meta-oe."
HOMEPAGE = "https://marzer.github.io/tomlplusplus/"
BUGTRACKER = "https://github.com/marzer/tomlplusplus/issues"
SECTION = "libs"
LICENSE = "MIT"
# The common text, not the file in the source, because the revision below is yours to pin.
# nooelint: oelint.var.licenseremotefile
LIC_FILES_CHKSUM = "file://${COMMON_LICENSE_DIR}/MIT;md5=0835ade698e0bcf8506ecda2f7b4f302"
CVE_PRODUCT = "tomlplusplus"

SRC_URI = "git://github.com/marzer/tomlplusplus;protocol=https;branch=master;destsuffix=${BP}"
# To be pinned: set SRCREV:pn-tomlplusplus in the distro configuration to the commit of the tag v3.4.0,
# as shown by: git ls-remote https://github.com/marzer/tomlplusplus 'v3.4.0^{}' v3.4.0
# All zeros parse, and make do_fetch fail until that is done.
SRCREV = "0000000000000000000000000000000000000000"

inherit cmake

EXTRA_OECMAKE = "-DBUILD_EXAMPLES=OFF \
                 -DBUILD_TESTS=OFF \
                 "

# Headers, CMake and pkg-config files only: the empty main package must exist for -dev to depend on.
ALLOW_EMPTY:${PN} = "1"

BBCLASSEXTEND = "native nativesdk"
