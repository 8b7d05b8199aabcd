#!/usr/bin/env bash
# Installs the wheel for Linux on AArch64 in a fresh Debian under qemu's emulation, steps the humanoid there, and
# compares its numbers with those recorded on x86-64. On Debian, as root: apt-get install qemu-user-static debootstrap
#
#   tools/run_arm64.sh WHEEL FOLDER [MACOS-WHEEL]
#
# The Debian in FOLDER is kept for the next time. The kernels of a wheel for macOS are tried as well, if one is given.
set -euo pipefail
wheel="$(realpath "$1")"
root="$(realpath -m "$2")"
here="$(cd "$(dirname "$0")/.." && pwd)"
suite=trixie

[[ -e /proc/sys/fs/binfmt_misc/register ]] || mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
[[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ]] || update-binfmts --import qemu-aarch64

if [[ ! -e "$root/usr/bin/python3" ]]; then
    echo "A Debian for arm64 is installed in $root: ten minutes."
    debootstrap --arch=arm64 --variant=minbase --include=python3,python3-venv,ca-certificates \
        "$suite" "$root" http://deb.debian.org/debian > "$root.log" 2>&1
fi

# packages come from outside, where the network and pip are set up
version="$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
rm -rf "$root/try" && mkdir -p "$root/try/packages"
python="${PYTHON:-python3}"
"$python" -m pip download --quiet --dest "$root/try/packages" --only-binary :all: --python-version "$version" \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux_2_17_aarch64 \
    --platform manylinux2014_aarch64 "$wheel"
cp "$here/tools/sample_run.py" "$here/tests/data/sample_run.json" "$root/try"

echo "The wheel is installed and run under Python $version, emulated: some minutes."
chroot "$root" python3 -m venv /try/venv
chroot "$root" /try/venv/bin/python -m pip install --quiet --no-index --find-links /try/packages conjoint
chroot "$root" env CONJOINT_CACHE_DIR=/try/cache /try/venv/bin/python /try/sample_run.py --compare /try/sample_run.json
made="$(find "$root/try/cache" -name '*.o' 2> /dev/null | wc -l)"
echo "$made kernels were compiled there"
[[ "$made" == 0 ]]

if [[ -n "${3:-}" ]]; then
    mkdir "$root/try/tools"
    cp "$here"/tools/{foreign_objects,sample_run}.py "$root/try/tools"
    cp "$3" "$root/try"
    chroot "$root" sh -c "cd /try && venv/bin/python -m tools.foreign_objects $(basename "$3") --compare sample_run.json"
fi
