#!/bin/sh
# Both base images of the Dockerfile where no image registry can be reached: Debian 13 by
# mmdebstrap, Node and npm from the npm registry, imported as foldscan-base/{node,runtime}:local.
# Debian comes from where this machine's own sources have it (DEBIAN_MIRROR overrides that), npm's
# packages from the registry that this machine is set to. Needs root, mmdebstrap, npm and a Docker
# daemon.
#
#     deploy/image/bases.sh 24.21.0
#     docker build -f deploy/Dockerfile --network host -t foldscan \
#       --build-arg NODE_IMAGE=foldscan-base/node:local --build-arg BASE_IMAGE=foldscan-base/runtime:local .
set -eu
version=${1:?the version of Node}
npm_version=11.6.2
# The first of the sources that has a whole release, not only its updates; of any release.
mirror=${DEBIAN_MIRROR:-$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
  'Created-By: Packages' | awk '$2 !~ /-/ { print $1; exit }')}
[ -n "$mirror" ] || { echo "no sources of Debian on this machine: set DEBIAN_MIRROR" >&2 && exit 2; }
case $(uname -m) in
  x86_64) platform=linux-x64 ;;
  aarch64) platform=linux-arm64 ;;
  *) echo "no base images for $(uname -m)" >&2 && exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# packed PACKAGE FOLDER: what the npm registry has under that name, unpacked
packed() {
  mkdir -p "$2"
  (cd "$work" && tar -xzf "$(npm pack --silent "$1")" -C "$2" --strip-components=1)
}
packed "node-$platform@$version" "$work/node"
packed "npm@$npm_version" "$work/npm"

# The certificate authorities of this machine: its way to the registries may be a proxy.
authorities=/etc/ssl/certs/ca-certificates.crt
mmdebstrap --quiet --variant=minbase --include=ca-certificates \
  --customize-hook="upload $authorities $authorities" \
  --customize-hook='mkdir -p "$1/usr/local/lib/node_modules"' \
  --customize-hook="copy-in $work/npm /usr/local/lib/node_modules" \
  --customize-hook="upload $work/node/bin/node /usr/local/bin/node" \
  --customize-hook='chmod 755 "$1/usr/local/bin/node"' \
  --customize-hook='ln -s ../lib/node_modules/npm/bin/npm-cli.js "$1/usr/local/bin/npm"' \
  --customize-hook='ln -s ../lib/node_modules/npm/bin/npx-cli.js "$1/usr/local/bin/npx"' \
  trixie "$work/node.tar" "$mirror"
docker import --change "ENV NODE_EXTRA_CA_CERTS=$authorities" "$work/node.tar" foldscan-base/node:local

# As distroless: the C and C++ libraries, a user without rights, no shell and no package manager.
mmdebstrap --quiet --variant=extract --include=base-files,libc6,libgcc-s1,libstdc++6 \
  --dpkgopt='path-exclude=/usr/share/*' --dpkgopt='path-exclude=/usr/lib/*/gconv/*' \
  --customize-hook='mkdir -p "$1/etc" "$1/tmp" "$1/data" && chmod 1777 "$1/tmp" && chown 65532 "$1/data"' \
  --customize-hook='echo nonroot:x:65532:65532::/data:/sbin/nologin > "$1/etc/passwd"' \
  --customize-hook='echo nonroot:x:65532: > "$1/etc/group"' \
  trixie "$work/runtime.tar" "$mirror"
docker import "$work/runtime.tar" foldscan-base/runtime:local
