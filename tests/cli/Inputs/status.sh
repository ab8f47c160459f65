"$@"
echo "returned $?"
