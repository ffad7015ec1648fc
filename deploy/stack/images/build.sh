#!/bin/sh
# Images for the container form where no registry can be reached: root file systems made by
# mmdebstrap from this machine's own package sources, with the servers that `npm run stack` runs,
# imported as foldscan-stack/{kafka,clickhouse,redis}:local. As in the official images, the users
# 1000 of Kafka, 101 of ClickHouse and 999 of Redis can run them. Needs root, mmdebstrap, a Docker
# daemon, and one `npm run stack` before, which fetches Kafka.
#
#     deploy/stack/images/build.sh                # or with some of: kafka clickhouse redis
#     . deploy/stack/images/local-images          # then compose.yaml and the tests take these
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../.." && pwd)
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
sources=$(find /etc/apt -name '*.sources' -o -name 'sources.list' | sort)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# made NAME PACKAGES [mmdebstrap options]: $work/NAME.tar
made() {
  name=$1 packages=$2
  shift 2
  # shellcheck disable=SC2086
  mmdebstrap --quiet --variant=minbase --include="$packages" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$@" "$suite" "$work/$name.tar" $sources
}

# imported NAME CHANGES...: foldscan-stack/NAME:local
imported() {
  name=$1
  shift
  for change in "$@"; do set -- "$@" --change "$change"; shift; done
  docker import "$@" "$work/$name.tar" "foldscan-stack/$name:local"
  rm "$work/$name.tar"
}

redis() {
  made redis redis-server
  imported redis 'CMD ["redis-server"]' 'EXPOSE 6379'
}

kafka() {
  jars=$(ls -d "$top"/.foldscan-stack/binaries-*/kafka | tail -n 1)
  made kafka openjdk-17-jre-headless \
    --customize-hook='mkdir -p "$1/mnt/shared/config" "$1/var/lib/kafka/data"' \
    --customize-hook="copy-in $jars $here/kafka-start.sh /opt" \
    --customize-hook='chown -R 1000:1000 "$1/var/lib/kafka"'
  imported kafka 'ENTRYPOINT ["/bin/sh", "/opt/kafka-start.sh"]' 'EXPOSE 9092' \
    'VOLUME /var/lib/kafka/data' 'VOLUME /mnt/shared/config'
}

clickhouse() {
  modules="$work/node_modules"
  mkdir -p "$modules/@chdb" "$modules/@yuuang"
  for package in chdb ffi-rs @chdb/lib-linux-* @yuuang/ffi-rs-linux-*; do
    for found in "$top"/node_modules/$package; do
      cp -rL "$found" "$modules/$(dirname "$package")/"
    done
  done
  made clickhouse libstdc++6 \
    --customize-hook='mkdir -p "$1/opt/engine" "$1/etc/clickhouse-server/users.d"' \
    --customize-hook='mkdir -p "$1/var/lib/clickhouse"' \
    --customize-hook="copy-in $modules $here/clickhouse-start.mjs /opt/engine" \
    --customize-hook="copy-in $top/libs/adapters/clickhouse/engine-child.mjs /opt/engine" \
    --customize-hook="upload $(readlink -f "$(command -v node)") /usr/bin/node" \
    --customize-hook='chmod 755 "$1/usr/bin/node"' \
    --customize-hook='chown -R 101:101 "$1/etc/clickhouse-server" "$1/var/lib/clickhouse"'
  imported clickhouse 'ENTRYPOINT ["node", "/opt/engine/clickhouse-start.mjs"]' 'EXPOSE 8123' \
    'VOLUME /var/lib/clickhouse'
}

[ $# -gt 0 ] || set -- kafka clickhouse redis
for name in "$@"; do
  case $name in
    kafka | clickhouse | redis) "$name" ;;
    *) echo "no such image: $name" >&2 && exit 2 ;;
  esac
done
