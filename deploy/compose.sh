#!/bin/sh
# `docker compose` of deploy/compose.yaml, with passwords: they are made once, in deploy/secrets.
#
#     deploy/compose.sh --profile demo up -d --wait
#
# STACK_SECRETS names another folder; COMPOSE another docker compose (2.20 or newer).
set -eu
here=$(cd "$(dirname "$0")" && pwd)
STACK_SECRETS=${STACK_SECRETS:-$here/secrets}
export STACK_SECRETS

# The containers' users read the files; the folder keeps all others of this machine out.
mkdir -p "$STACK_SECRETS"
chmod 700 "$STACK_SECRETS"

# password NAME: that of the file NAME, which is made if there is none
password() {
  file=$STACK_SECRETS/$1
  [ -s "$file" ] || od -An -N24 -tx1 /dev/urandom | tr -d ' \n' | written "$1"
  cat "$file"
}

# written NAME: stdin, whole or not at all
written() {
  cat > "$STACK_SECRETS/$1.new"
  chmod 644 "$STACK_SECRETS/$1.new"
  mv "$STACK_SECRETS/$1.new" "$STACK_SECRETS/$1"
}

writer=$(password clickhouse-password)
reader=$(password clickhouse-read-password)
cache=$(password redis-password)
printf 'CLICKHOUSE_PASSWORD=%s\nFOLDSCAN_CLICKHOUSE_READ_PASSWORD=%s\n' "$writer" "$reader" |
  written clickhouse.env
printf 'requirepass %s\n' "$cache" | written redis.conf
printf 'redis://:%s@redis:6379\n' "$cache" | written redis-url

# shellcheck disable=SC2086
exec ${COMPOSE:-docker compose} -f "$here/compose.yaml" "$@"
