const contractForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const anyCase = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** True for a UUID of the contract's form: lower-case, hyphenated, 36 characters, any version. */
export function isUuid(text: string): boolean {
  return contractForm.test(text)
}

/** The same in either case, for X-Request-Id, whose form the contract leaves open. */
export function isUuidInAnyCase(text: string): boolean {
  return anyCase.test(text)
}
