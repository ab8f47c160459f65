#!/usr/bin/env bash
# What compute-sanitizer says, with --save and --xml, and of files that suppress; about 30 s. Result: $OUT/check.tar.gz
cd "$(dirname "$0")"
w=$(mktemp -d)
mkdir -p "$w/out"
export PATH=$PATH:/usr/local/cuda/bin:/usr/local/cuda/compute-sanitizer
for f in prog more ordered barriers; do
  nvcc -lineinfo -arch=sm_90 -diag-suppress 177 -o "$w/$(basename $f)" $f.cu & [ "$(jobs -r | wc -l)" -lt 8 ] || wait -n
done; wait
cd "$w"
nvidia-smi --query-gpu=name,driver_version --format=csv > out/device.txt; compute-sanitizer --version >> out/device.txt 2>&1
one() { # NAME OPTIONS -- PROGRAM ARGS
  n=$1; shift; o=(); while [ "$1" != -- ]; do o+=("$1"); shift; done; shift
  { echo "# compute-sanitizer ${o[*]} $*"; timeout 20 compute-sanitizer "${o[@]}" --save out/$n.xml --xml "$@" 2>&1; echo "returned $?"; } > out/$n.txt
}
par() { one "$@" & [ "$(jobs -r | wc -l)" -lt 6 ] || wait -n; }
for c in outside before misaligned freed double-free mask right; do par m-$c --tool memcheck -- ./prog $c; done
par m-leak --tool memcheck --leak-check full -- ./prog leak
for c in shared-out local-out calls wide atomic-out null heap-twice heap-leak heap-out trap two-errors launch api host-pointer async-order; do par m-$c --tool memcheck --track-stream-ordered-races all -- ./more $c; done
par m-heap-leak-full --tool memcheck --leak-check full --check-device-heap yes -- ./more heap-leak
par m-two-kernel --tool memcheck --destroy-on-device-error kernel -- ./more two-errors
par m-twice-kernel --tool memcheck --destroy-on-device-error kernel -- ./more atomic-out
for c in barrier-missing blocks right; do par r-$c --tool racecheck -- ./prog $c; par rh-$c --tool racecheck --racecheck-report hazard --print-limit 8 -- ./prog $c; done
par r-shared --tool racecheck -- ./more shared-race
for c in before before-load before-copy before-copy-from before-fill event host host-no-wait-back default-stream outside free-in-other after after-load after-copy after-fill after-same after-host reused; do
  par o-$c --tool memcheck --track-stream-ordered-races all -- ./ordered $c
done
for c in before after before-copy after-same reused; do for m in use-before-alloc use-after-free no; do par o-$c-$m --tool memcheck --track-stream-ordered-races $m -- ./ordered $c; done; done
par ra-shared --tool racecheck --racecheck-report all --print-limit 6 -- ./more shared-race
par i-unset --tool initcheck -- ./prog unset
for c in unset-copy unset-download unset-shared; do par i-$c --tool initcheck -- ./more $c; par ia-$c --tool initcheck --initcheck-address-space all --check-api-memory-access yes -- ./more $c; done
par i-unused --tool initcheck --track-unused-memory yes -- ./more unused
for c in divergent loop-barrier shuffle-mask missing-member; do par s-$c --tool synccheck -- ./more $c; done
par s-mask --tool synccheck -- ./prog mask
for c in lane_if lane_if_else lane_early data_if tail_if call_if loop_if switch_if ternary block_if; do par b-$c --tool synccheck -- ./barriers $c; done
wait
sup() { n=$1; t=$2; f=$3; shift 3; { echo "# --tool $t --suppressions $f $*"; timeout 20 compute-sanitizer --tool $t --suppressions $f "$@" 2>&1; echo "returned $?"; } > out/$n.txt; }
sup sup-race racecheck out/r-barrier-missing.xml ./prog barrier-missing
sup sup-mem memcheck out/m-outside.xml ./prog outside
sup sup-sync synccheck out/s-mask.xml ./prog mask
sup sup-leak memcheck out/m-leak.xml ./prog leak
printf '<x' > bad.xml; sup sup-bad memcheck bad.xml ./prog right; sup sup-none memcheck none.xml ./prog right
for l in 0 1 3; do { timeout 20 compute-sanitizer --tool initcheck --print-limit $l --error-exitcode 5 ./prog unset; echo "returned $?"; } > out/limit-$l.txt 2>&1; done
{ compute-sanitizer --save out/raw.bin ./prog outside; compute-sanitizer --read out/raw.bin; echo "returned $?"; ls -l out/raw.bin; compute-sanitizer --xml ./prog outside; compute-sanitizer --nonsense; compute-sanitizer --tool foo ./prog; compute-sanitizer --print-limit x ./prog; compute-sanitizer; compute-sanitizer ./nothing; } > out/read.txt 2>&1
head -c 200000 out/raw.bin > out/raw.head; rm -f out/raw.bin
for f in out/*; do [ "$(stat -c %s "$f")" -gt 300000 ] && head -c 300000 "$f" > t && mv t "$f"; done
tar czf "$OUT/check.tar.gz" out
