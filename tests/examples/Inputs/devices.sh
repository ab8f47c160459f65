# devices.sh NVCC EXAMPLES FOLDER NAMES ARCHITECTURE:DEVICE...: each program compiled for each device and run there; a line for each that is right.
set -eu
nvcc=$1 examples=$2 folder=$3 names=$4
shift 4
for name in $names; do
  for device in "$@"; do
    "$nvcc" "-arch=${device%%:*}" "$examples/$name.cu" -o "$folder/program"
    HEDDLE_DEVICE=${device##*:} "$folder/program" > "$folder/log"
    grep -q right "$folder/log" && echo "$name on ${device##*:}: right"
  done
done
