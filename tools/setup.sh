# Shared by tools/demo and tools/test: says what it does, installs what is missing, builds.
# shellcheck shell=bash

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
logs=$top/build/logs
mkdir -p "$logs"

build_packages=(
    g++ cmake ninja-build pkg-config
    ocl-icd-opencl-dev pocl-opencl-icd    # the OpenCL loader, and a driver that runs on the CPU
    libsystemd-dev libgpiod-dev
    libtomlplusplus-dev libcli11-dev libfmt-dev libpng-dev
    cpputest libcpputest-dev
    libbenchmark-dev nlohmann-json3-dev   # glint-bench; the layer's tables and reports
    dbus
)
layer_packages=(
    clang                                 # what an old compiler would say
)
test_packages=(
    clang libclang-rt-14-dev clang-format # the second compiler, its sanitizers; the format check
    python3 libxml2-utils systemd         # introspection, XML and unit checks
    clinfo                                # the played devices as people see them
    oclgrind python3-pip                  # data races in kernels; a second OpenCL driver, from PyPI
    dpkg-dev file lintian                 # the Debian packages
    systemd-container mmdebstrap libeatmydata1 eatmydata debian-archive-keyring # the service in a container
)

say() { printf '\033[1m==>\033[0m %s\n' "$*"; }

# step WHAT COMMAND...: runs the command with its output in a log; shows the passing seconds, and the
# log's end if it fails.
step() {
    local what=$1 log started=$SECONDS pid
    shift
    log=$logs/$(tr -cs '[:alnum:]\n' '-' <<<"$what").log
    "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        if [ -t 1 ]; then
            printf '\r    %s ... %d s' "$what" $((SECONDS - started))
        elif (((SECONDS - started) % 10 == 9)); then
            printf '    %s ... %d s\n' "$what" $((SECONDS - started))
        fi
        sleep 1
    done
    [ -t 1 ] && printf '\r'
    if wait "$pid"; then
        printf '    %s: done in %d s          \n' "$what" $((SECONDS - started))
    else
        printf '    %s: FAILED; the end of %s:\n' "$what" "$log"
        tail -n 40 "$log"
        exit 1
    fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

apt_install() {
    as_root apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# install_missing PACKAGE...: nothing happens when all are there.
install_missing() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f='${Status}\n' "$package" 2>/dev/null | grep -q '^install ok installed' ||
            missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return
    say "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    [ "$(id -u)" = 0 ] || sudo -v
    step "apt-get install" apt_install "${missing[@]}"
}

# build PRESET TARGET...: configures once, then builds what has changed.
build() {
    local preset=$1
    shift
    cd "$top" || exit 1
    [ -f "build/$preset/build.ninja" ] || step "configure $preset" cmake --preset "$preset"
    step "build $preset" cmake --build --preset "$preset" --target "$@"
}
