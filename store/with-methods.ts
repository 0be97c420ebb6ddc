export type Method = (...args: unknown[]) => unknown

/** Wraps every method, also of objects within it (`ledger.sales.record`): `wrap` gets its path and the method, bound; each once. */
export function withMethods<T extends object>(target: T, wrap: (path: string, method: Method) => Method, room = ''): T {
  const wrapped = new Map<string | symbol, unknown>()
  return new Proxy(target, {
    get(_, property) {
      if (wrapped.has(property)) return wrapped.get(property)
      const value: unknown = Reflect.get(target, property)
      const path = `${room}${String(property)}`
      if (typeof value === 'function') wrapped.set(property, wrap(path, value.bind(target) as Method))
      else if (hasMethods(value)) wrapped.set(property, withMethods(value, wrap, `${path}.`))
      else return value
      return wrapped.get(property)
    },
  })
}

function hasMethods(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).some((each) => typeof each === 'function')
  )
}
