# check_each.sh HEDDLE PROGRAM...: each under all tools but for leaks, and whether it and they were content
heddle=$1
shift
for program; do
  echo "## $program"
  "$heddle" check --tool memcheck,racecheck,initcheck,synccheck "./$program" || echo "$program: returned $?"
done
