/** What is another, but for some methods. */
export const inPlaceOf = <T extends object>(other: T, own: Partial<T>): T =>
  new Proxy(other, {
    get: (_, name) => {
      const value: unknown = Reflect.get(own, name) ?? Reflect.get(other, name)
      return typeof value === 'function' ? value.bind(other) : value
    },
  })
