#!/bin/sh
# Runs a server for as long as whoever started it lives: its end closes our stdin, and then the
# server is killed. The server's pid is the first line on descriptor 3.
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
server=$!
echo "$server" >&3
exec 3>&-
{ read -r _; kill -KILL "$server" 2>/dev/null; } <&4 &
watch=$!
exec 4<&-
wait "$server"
code=$?
kill -KILL "$watch" 2>/dev/null
exit "$code"
