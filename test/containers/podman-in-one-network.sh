#!/bin/bash
# Podman for podman-compose: all containers share the network in which this runs, instead of one of their own.
words=()
while [ $# -gt 0 ]; do
  case $1 in
    --net | --network | --network-alias | -p) shift 2 ;;
    *) words+=("$1") && shift ;;
  esac
done
case ${words[0]} in
  network) exit 0 ;;
  run) exec podman run --add-host postgres:127.0.0.1 --add-host redis:127.0.0.1 "${words[@]:1}" ;;
  *) exec podman "${words[@]}" ;;
esac
