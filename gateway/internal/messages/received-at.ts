/** The text of a field of a request by its path, such as `rows[3].currency_id`; for a member its id or loyalty id. Empty: none. */
export function receivedAt(request: object, path: string): string {
  let value: unknown = request
  for (const name of path.match(/[^.[\]]+/g) ?? []) {
    if (typeof value !== 'object' || value === null) return ''
    value = (value as Readonly<Record<string, unknown>>)[camelCase(name)]
  }
  return textOf(value)
}

function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value ?? '')
  return textOf((value as { readonly by?: { readonly value?: string } }).by?.value)
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
