import type { ChainSource } from '../../libs/ports/node.ts'

/** The source as it stands now: it ends at the head that it has. */
export async function upToHead(source: ChainSource): Promise<ChainSource> {
  const head = await source.head()
  return {
    chainId: source.chainId,
    endsAtHead: true,
    hasState: source.hasState,
    head: async () => head,
    block: (number) => source.block(number),
    hash: (number) => source.hash(number),
    async nextNumber(number) {
      const next = await source.nextNumber(number)
      return next === null || next > head ? null : next
    },
    observed: (number, hash) => source.observed(number, hash),
    tokens: (addresses, block) => source.tokens(addresses, block),
    codes: (addresses, block) => source.codes(addresses, block),
    observe: (question) => source.observe(question),
    waitAbove: (number, signal) => source.waitAbove(number, signal),
    close: () => source.close(),
  }
}
