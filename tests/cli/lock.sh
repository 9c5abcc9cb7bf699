#!/usr/bin/env bash
# One run at a time in an output folder.
. "${HS_TEST_SRCDIR:?}/tap.sh"

cp "$inputs/slow.ini" "$inputs/small.ini" .

# begin FOLDER: a run in the background, which is $pid, until it takes snapshots.
begin() {
  "$HEATSOLVE" slow.ini -q -o "$1" >begun.out 2>begun.err </dev/null &
  pid=$!
  appears "$1/snapshots.h5"
}

end() {
  kill -"$1" "$pid"
  wait "$pid" 2>/dev/null
}

begin shared
expect 'a second run in the folder of another is refused and names that one' 5 \
  "err~shared \(process $pid on .+, since 20[0-9-]+T[0-9:]+Z\)" out= -- small.ini -o shared
check '... and has written nothing' [ ! -e shared/field.h5 ]
expect '... also by another path' 5 "err~process $pid on" -- small.ini -o ./shared/../shared
expect 'a run in another folder is not' 0 -- small.ini -q -o other
check '... and leaves no lock' no_leftovers other
check 'the first one still runs' kill -0 "$pid"
end TERM
check 'a run that a signal ends leaves no lock' no_leftovers shared
expect '... and the folder is free' 0 warnings=2 -- small.ini -q -o shared

begin killed
end KILL
check 'a run that is killed leaves its lock' [ -s killed/.heatsolve-lock ]
touch killed/.field.h5.a1B2c3 killed/.checkpoint.h5.a1B2c3 killed/.report.json.a1B2c3 killed/.mine.a1B2c3
expect '... which the next run takes over' 0 warnings=1 -- small.ini -q -o killed
check '... and removes at its end, with the temporary files of runs and no others' \
  [ "$(find killed -name '.*' ! -path killed)" = killed/.mine.a1B2c3 ]

# The folder of a run is removed, and another run begins in a new one of that name.
"$HEATSOLVE" -q "$inputs/endless.ini" -o taken --set run.checkpoint_every=0.1 >first.out 2>first.err </dev/null &
first=$!
appears taken/checkpoint.h5
kill -STOP $first
rm -rf taken
begin taken
kill -CONT $first
sleep 0.5
check 'a run whose folder another one has taken writes no checkpoints there' [ ! -e taken/checkpoint.h5 ]
kill -TERM $first
wait $first
rc=$?
[ $rc -eq 5 ] && grep -q "^heatsolve: another run writes into the output folder taken (process $pid " first.err
result $? '... and ends with a sentence'
[ ! -e taken/field.h5 ] && [ -e taken/.heatsolve-lock ]
result $? '... having written nothing, and the lock of the other stays'
expect '... which still holds' 5 "err~process $pid on" -- small.ini -o taken
end TERM

mkdir linked
echo keep >target
ln -s ../target linked/.heatsolve-lock
expect 'a lock that is a link is not followed' 5 'err~cannot lock the output folder' -- small.ini -o linked
check '... nor written to' [ "$(cat target)" = keep ]

if [ "$(id -u)" -eq 0 ]; then
  skip 'a read-only folder is refused' 'the superuser may write everywhere'
else
  mkdir locked && chmod a-w locked
  expect 'a read-only folder is refused' 5 'err~locked' -- small.ini -o locked
  check '... and stays empty' [ -z "$(ls -A locked)" ]
fi
finish
