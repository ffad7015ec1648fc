interface Counter {
  get(): Promise<{
    readonly values: readonly { readonly labels: object; readonly value: number }[]
  }>
}

/** Label values that have been counted: those that are known from the start begin with 0. */
export async function counted(counter: Counter): Promise<{ labels: object; value: number }[]> {
  const { values } = await counter.get()
  return values.filter(({ value }) => value > 0).map(({ labels, value }) => ({ labels, value }))
}
