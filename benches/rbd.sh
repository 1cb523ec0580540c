#!/bin/sh
# Recursive dynamics beside MuJoCo and Pinocchio: RNEA, ABA and CRBA on stored models (workload W1).
# Installs the peers into a virtual environment under the target folder and builds everything for this CPU.
# A peer that cannot be built is left out, and said so.   usage: benches/rbd.sh [count]
#   count   also counts instructions a call with valgrind
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$target/peers
mkdir -p "$work"

cd "$root"
RUSTFLAGS="-C target-cpu=native" cargo build --quiet --profile bench-native -p gelenk-bench --target-dir "$target/native"
ours=$target/native/bench-native/gelenk-bench

# Pinocchio 3 keeps the headers that the peer program includes.
if [ ! -x "$work/venv/bin/pip" ]; then python3 -m venv "$work/venv" || true; fi
"$work/venv/bin/pip" install --quiet mujoco "pin==3.8.0" cmeel-eigen || echo "peers could not be installed"
site=$(echo "$work"/venv/lib/python3*/site-packages)
compiler=$(command -v clang || command -v gcc || echo cc)

peers=
build() { # name, source, compiler and its options
    name=$1; source=$2; shift 2
    if [ "$work/$name" -nt "$source" ] || "$@" -O3 -march=native "$source" -o "$work/$name"; then
        peers="$peers $work/$name"
    else
        echo "skipped: $name could not be built"
    fi
}
library=$(echo "$site"/mujoco/libmujoco.so.*)
build mujoco benches/peers/mujoco.c "$compiler" -I"$site/mujoco/include" -Wl,-rpath,"$site/mujoco" "$library" -lm
prefix=$site/cmeel.prefix
case $compiler in *clang) cxx=clang++ ;; *) cxx=g++ ;; esac
build pinocchio benches/peers/pinocchio.cpp "$cxx" -std=c++17 -DNDEBUG -I"$prefix/include" -I"$prefix/include/eigen3" \
    -L"$prefix/lib" -Wl,-rpath,"$prefix/lib" -lpinocchio_default

"$ours" rbd $peers

[ "${1:-}" = count ] || exit 0
collected() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 | sed -n 's/.*Collected : //p'; }
for model in arm7 humanoid; do
    for algorithm in rnea aba crba; do
        few=$(collected "$ours" loop $model $algorithm 1)
        many=$(collected "$ours" loop $model $algorithm 5)
        echo "$model $algorithm: $(((many - few) / 1024)) instructions a call"
    done
done
