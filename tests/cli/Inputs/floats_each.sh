# floats_each.sh HEDDLE PROGRAM: all that floats.cu has, one after the other, with all kinds of numbers
for name in root overflow divide integer halves brain logarithm vanishes tiny near meant right; do
  "$1" check --tool fpcheck --fpcheck-kinds all "$2" "$name"
  echo "$name: returned $?"
done
