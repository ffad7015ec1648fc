/** Where the checked-in artifacts lie; `write-artifacts.ts` makes them anew. */
export const artifactsFolder = new URL('./artifacts/', import.meta.url)

/** Every contract of the demo chain, by the file that holds it. */
export const contractFiles = {
  DemoToken: 'DemoToken.sol',
  OldToken: 'OldToken.sol',
  WrappedCoin: 'WrappedCoin.sol',
  Collection: 'Collection.sol',
  OldCollection: 'OldCollection.sol',
  Items: 'Items.sol',
  Hybrid: 'Hybrid.sol',
  Pool: 'Pool.sol',
  Workshop: 'Workshop.sol',
  Broken: 'Workshop.sol',
  Runner: 'Runner.sol',
} as const

export type ContractName = keyof typeof contractFiles

export function contractNames(): ContractName[] {
  const isName = (text: string): text is ContractName => text in contractFiles
  return Object.keys(contractFiles).filter(isName)
}
