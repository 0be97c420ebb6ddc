# Postgres by the variables of the official image, or any other command.
set -e
[ "$1" = postgres ] || exec "$@"
export PGDATA=/var/lib/postgresql/data
PATH=$(echo /usr/lib/postgresql/*/bin):$PATH
if [ "$(id -u)" = 0 ]; then
  chown postgres: "$PGDATA"
  chmod 700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups sh "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  cat "${POSTGRES_PASSWORD_FILE:?}" > /tmp/password
  initdb --username="${POSTGRES_USER:?}" --pwfile=/tmp/password --encoding=UTF8 --locale=C.UTF-8 --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  pg_ctl --wait --options='-c listen_addresses=' start
  createdb --username="$POSTGRES_USER" "${POSTGRES_DB:?}"
  pg_ctl --wait stop
fi
exec "$@" -c listen_addresses='*'
