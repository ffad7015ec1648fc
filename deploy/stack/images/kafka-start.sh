#!/bin/sh
# Starts Kafka as the official image does: with a mounted server.properties, or with settings from
# the environment (KAFKA_NODE_ID=1 is node.id=1; __ is _, ___ is -).
set -eu
mounted=/mnt/shared/config/server.properties
properties=/tmp/server.properties
if [ -e "$mounted" ]; then
  cp "$mounted" "$properties"
else
  env | sed -n 's/^KAFKA_//p' | grep -v '^HEAP_OPTS=' | while IFS='=' read -r name value; do
    key=$(echo "$name" | sed 's/___/-/g; s/__/\t/g; s/_/./g; s/\t/_/g' | tr 'A-Z' 'a-z')
    echo "$key=$value"
  done > "$properties"
fi
run() {
  exec_options='-XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn'
  # shellcheck disable=SC2086
  exec java ${KAFKA_HEAP_OPTS:--Xmx512m} $exec_options -cp '/opt/kafka/*' "$@"
}
(run kafka.tools.StorageTool format --ignore-formatted -t "$CLUSTER_ID" -c "$properties")
run kafka.Kafka "$properties"
