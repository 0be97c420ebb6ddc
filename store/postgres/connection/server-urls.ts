/**
 * A `postgres://` URL in its parts; the hosts stand between the last `@` and the path, comma-separated as in libpq. Behind the
 * hosts an `@` is written %40: else it ends a password with a slash in it, or a second URL, and what stands before would be
 * taken for a host or a database, which faults name.
 */
const form = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)([/?#][^@]*)?$/

/** Servers that one URL may name. */
export const serversMax = 8

/**
 * The servers of a DATABASE_URL (`postgres://user:password@first:5432,second:5432/database?...`), a URL for each, in their order.
 * null: it is no such URL, or names more than `serversMax`.
 */
export function serverUrls(url: string): readonly string[] | null {
  const [, before, hosts, after = ''] = form.exec(url) ?? []
  if (before === undefined || hosts === undefined) return null
  const urls = hosts.split(',').map((host) => `${before}${host}${after}`)
  const fits =
    urls.length <= serversMax &&
    hosts.split(',').every((host) => host !== '') &&
    urls.every((each) => URL.canParse(each))
  return fits ? urls : null
}
