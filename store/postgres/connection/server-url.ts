/**
 * A `postgres://` URL of one host, which stands between the last `@` and the path. Behind the host an `@` is written %40: else it ends a
 * password with a slash in it, and what stands before would be taken for a host or a database, which faults name.
 */
const form = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?[^/?#@,]+(?:[/?#][^@]*)?$/

/** The server of a DATABASE_URL. null: it is no such URL, or names several hosts. */
export function serverUrl(text: string): URL | null {
  return form.test(text) && URL.canParse(text) ? new URL(text) : null
}
