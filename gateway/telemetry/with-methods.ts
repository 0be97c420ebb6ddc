export type Method = (...args: unknown[]) => unknown

/**
 * The same object with every method as `wrap` makes it, wrapped once, when it is first asked for; what is no method stays.
 *
 * @param wrap  gets the method's name and the method, which is to be applied to `target`
 */
export function withMethods<T extends object>(target: T, wrap: (name: string, method: Method) => Method): T {
  const methods = new Map<string | symbol, Method>()
  return new Proxy(target, {
    get(_, property) {
      const known = methods.get(property)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, property)
      if (typeof value !== 'function') return value
      const method = wrap(String(property), value as Method)
      methods.set(property, method)
      return method
    },
  })
}
