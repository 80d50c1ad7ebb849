# shellcheck shell=bash
# A Debian of another release in a directory, to build and run in without touching the machine: made by debootstrap,
# entered by chroot. Sourced after common.sh; errors go through fail, which the sourcing script defines. The functions
# that mount expect a private mount namespace (unshare --mount), so that nothing stays mounted whatever happens.

# Prints the Debian mirror of the machine's own apt, one that debootstrap understands.
debian_mirror() {
  if [ -n "${SUPERSTEP_DEBIAN_MIRROR:-}" ]; then
    echo "$SUPERSTEP_DEBIAN_MIRROR"
    return
  fi
  local codename mirror
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
  # The release itself comes before its -updates and -security, which have no complete set of packages.
  # shellcheck disable=SC2016 # the $(…) are apt's
  mirror=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 2>/dev/null |
    awk -v codename="$codename" '$3 == "main" && ($2 == codename || $2 == "stable") { print $1; exit }')
  case "$mirror" in
    mirror+file:*) mirror=$(awk '/^(http|https|file):/ { print $1; exit }' "${mirror#mirror+file:}") ;; # a list of mirrors
  esac
  case "$mirror" in
    http:* | https:* | file:*) echo "${mirror%/}" ;;
    *) fail "no Debian mirror in apt's sources (apt-get indextargets); name one in SUPERSTEP_DEBIAN_MIRROR" ;;
  esac
}

# What makes the machine's apt reach its mirror must do so for debootstrap's wget, and in the tree, too.
export_apt_proxy() {
  local AptProxy=""
  eval "$(apt-config shell AptProxy Acquire::http::Proxy)"
  if [ -n "$AptProxy" ] && [ "$AptProxy" != DIRECT ] && [ -z "${http_proxy:-}" ]; then export http_proxy=$AptProxy; fi
  AptProxy=""
  eval "$(apt-config shell AptProxy Acquire::https::Proxy)"
  if [ -n "$AptProxy" ] && [ "$AptProxy" != DIRECT ] && [ -z "${https_proxy:-}" ]; then export https_proxy=$AptProxy; fi
}

# copy_network_settings TREE: name resolution and certificates of the machine, which may change after the tree was made.
copy_network_settings() {
  local file ca_info=""
  eval "$(apt-config shell ca_info Acquire::https::CAInfo)"
  for file in /etc/resolv.conf /etc/hosts /etc/ssl/certs/ca-certificates.crt "$ca_info"; do
    if [ -f "$file" ] && ! cmp -s "$file" "$1$file"; then
      rm -f "$1$file" # a link, perhaps, that leads out of the tree
      install -D -m 644 "$file" "$1$file"
    fi
  done
}

# copy_apt_settings TREE: how apt downloads (proxies, checks, passwords), not which sources it has, and no hooks, which
# would call programs that the tree lacks.
copy_apt_settings() {
  mkdir -p "$1/etc/apt/apt.conf.d" "$1/etc/apt/auth.conf.d" "$1/etc/dpkg/dpkg.cfg.d"
  apt-config dump | grep '^Acquire::' | grep -vE '^Acquire::(IndexTargets|Changelogs|Languages|cdrom)' \
    >"$1/etc/apt/apt.conf.d/10host" || true
  echo 'Acquire::Languages "none";' >>"$1/etc/apt/apt.conf.d/10host"
  if [ -f /etc/apt/auth.conf ]; then cp /etc/apt/auth.conf "$1/etc/apt/"; fi
  cp -r /etc/apt/auth.conf.d/. "$1/etc/apt/auth.conf.d/" 2>/dev/null || true
  # Nobody reads manuals in there, and the whole tree is synced at the end instead of after each package: half the time.
  printf '%s\n' force-unsafe-io 'path-exclude=/usr/share/doc/*' 'path-exclude=/usr/share/man/*' \
    'path-exclude=/usr/share/locale/*' >"$1/etc/dpkg/dpkg.cfg.d/superstep"
}

# mount_system TREE: /proc, /sys and /dev with what is mounted in them (/dev/shm, /dev/pts).
mount_system() {
  local directory
  for directory in proc sys dev; do
    mount --rbind "/$directory" "$1/$directory"
  done
}

# run_in_tree TREE COMMAND...: as root, with a plain environment.
run_in_tree() {
  local tree=$1
  shift
  chroot "$tree" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
}

# install_packages TREE LOG PACKAGE...: the stamp in the tree says what was asked for when all of it was installed.
install_packages() {
  local tree=$1 log=$2
  shift 2
  local stamp=$tree/var/lib/superstep-packages
  if [ "$(cat "$stamp" 2>/dev/null)" = "$*" ]; then return; fi
  local apt=(apt-get -y -q -o Dpkg::Use-Pty=0)
  {
    run_in_tree "$tree" "${apt[@]}" update &&
      run_in_tree "$tree" "${apt[@]}" install --no-install-recommends "$@" &&
      run_in_tree "$tree" apt-get clean
  } >>"$log" 2>&1 </dev/null || fail "apt-get failed in the Debian tree: $(first_error "$log") (log: $log)"
  echo "$*" >"$stamp"
}

# The line of a log that says best what went wrong.
first_error() { grep -m1 -E '^(E:|dpkg: error)' "$1" || tail -n 1 "$1"; }

# make_tree TREE SUITE LOG PACKAGE...: nothing to do when it is there. Made under another name and renamed when whole.
# The caller holds the lock; what an interrupted attempt left is removed.
make_tree() {
  local tree=$1 suite=$2 log=$3
  shift 3
  [ ! -d "$tree" ] || return 0
  if ! command -v debootstrap >/dev/null 2>&1; then
    { apt-get update && apt-get -y --no-install-recommends install debootstrap; } >"$log" 2>&1 </dev/null ||
      fail "debootstrap is not installed, and apt-get cannot install it: $(first_error "$log") (log: $log)"
  fi
  local mirror seconds=$SECONDS
  mirror=$(debian_mirror)
  export_apt_proxy
  say "making a Debian tree ($suite) in $tree from $mirror: once, a few minutes (log: $log)" >&2
  making=$tree.making
  rm -rf --one-file-system "$making"
  trap 'umount -R "$making"/{proc,sys,dev} 2>/dev/null || true; rm -rf --one-file-system "$making"' EXIT

  mkdir -p "$making"
  /usr/lib/apt/apt-helper download-file "$mirror/dists/$suite/InRelease" "$making/InRelease" >"$log" 2>&1 ||
    fail "cannot reach $mirror: $(first_error "$log")"
  rm "$making/InRelease"
  copy_apt_settings "$making" # before the first package is unpacked
  debootstrap --variant=minbase "$suite" "$making" "$mirror" >>"$log" 2>&1 </dev/null ||
    fail "debootstrap failed: $(first_error "$log") (log: $log)"
  copy_network_settings "$making"
  mount_system "$making"
  install_packages "$making" "$log" "$@"
  umount -R "$making"/proc "$making"/sys "$making"/dev
  sync -f "$making"
  mv -T "$making" "$tree"
  trap - EXIT
  say "made in $((SECONDS - seconds)) s" >&2
}
