#!/bin/sh
# Makes the secrets that deploy/compose.yaml reads, once: sh deploy/secrets.sh
set -eu
folder=$(dirname "$0")/secrets
[ -e "$folder" ] && exit 0
secret() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }
# Containers read the files as other users; only the owner of the folder comes to them here.
umask 022
mkdir -m 700 "$folder"
secret > "$folder/postgres"
printf 'postgres://loyalty:%s@postgres/loyalty' "$(cat "$folder/postgres")" > "$folder/database-url"
printf 'admin:%s,reader:%s' "$(secret)" "$(secret)" > "$folder/tokens"
printf '%s\n' "$(secret)" > "$folder/signing"
