# What every script of the board test knows: folders, machines, and Debian's packages without touching the
# machine's own apt sources.
# shellcheck shell=bash

source "$(dirname "${BASH_SOURCE[0]}")/../../tools/setup.sh"
board=$top/tests/board
cache=$top/build/board-cache

mirror=$(sed -n 's/^URIs: *\(http[^ ]*\/debian\)\/*$/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
mirror=${mirror:-http://deb.debian.org/debian}
signed="[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"

# select_machine NAME: sets arch, triple and what kernel the machine boots.
select_machine() {
    machine=$1
    case $machine in
    virt) arch=arm64 kernel_package=linux-image-arm64 kernel_suite=bookworm-backports dtb= ;;
    imx8mp) arch=arm64 kernel_package=linux-image-arm64 kernel_suite=bookworm dtb=imx8mp-evk.dtb ;;
    pc) arch=amd64 kernel_package=linux-image-amd64 kernel_suite=bookworm-backports dtb= ;;
    imx6q) arch=armhf kernel_package=linux-image-armmp kernel_suite=bookworm dtb=imx6q-sabrelite.dtb ;;
    *)
        echo "no machine '$machine': take virt, pc, imx8mp or imx6q" >&2
        return 2
        ;;
    esac
    case $arch in
    arm64) triple=aarch64-linux-gnu ;;
    armhf) triple=arm-linux-gnueabihf ;;
    amd64) triple=x86_64-linux-gnu ;;
    esac
}

# use_apt ARCHITECTURE: from here on apt-get and apt-cache read Debian 12 with its backports, of which only
# QEMU (and a PC's firmware for it) is ever preferred. amd64 (the machine's own) installs into the machine, others are for downloads.
use_apt() {
    local folder=$cache/apt-$1 suite status=/var/lib/dpkg/status
    mkdir -p "$folder/lists" "$folder/archives"
    if [ "$1" != "$(dpkg --print-architecture)" ]; then
        status=$folder/status
        : >"$status"
    fi
    for suite in bookworm bookworm-updates bookworm-backports; do
        echo "deb $signed $mirror $suite main"
    done >"$folder/sources.list"
    cat >"$folder/preferences" <<EOF
Package: *
Pin: release n=bookworm-backports
Pin-Priority: 1

Package: src:qemu src:seabios
Pin: release n=bookworm-backports
Pin-Priority: 990
EOF
    cat >"$folder/apt.conf" <<EOF
APT::Architecture "$1";
APT::Architectures { "$1"; };
APT::Sandbox::User "root";
Acquire::Languages "none";
DPkg::Lock::Timeout "300";
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "$folder/preferences";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State::Lists "$folder/lists";
Dir::State::Status "$status";
Dir::Cache::Archives "$folder/archives";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
EOF
    export APT_CONFIG=$folder/apt.conf
    [ -n "$(find "$folder/lists" -name '*Packages*' -mmin -600 -print -quit)" ] || apt-get update -qq
}

# cached FOLDER RECIPE COMMAND...: runs COMMAND FOLDER.new unless FOLDER was made by the same recipe (a text that
# holds all it depends on). Only a finished folder gets the name.
cached() {
    local folder=$1 recipe=$2
    shift 2
    [ "$(cat "$folder.recipe" 2>/dev/null)" != "$recipe" ] || return 0
    rm -rf --one-file-system "$folder" "$folder.new" "$folder.recipe"
    mkdir -p "$folder.new"
    "$@" "$folder.new"
    mv "$folder.new" "$folder"
    echo "$recipe" >"$folder.recipe"
}
