import { AnvilChain } from '../ingestor/anvil-chain.ts'
import { compiled } from '../support/compiled.ts'

type Minting = 'mint' | 'mintSome' | 'change'

/** NFTs of one contract are fetched one after the other. */
const contractsCount = 8

/** A chain with contracts whose NFTs have the URIs that a test gives them; all belong to one. */
export class NftChain {
  readonly node: AnvilChain
  readonly owner: string
  readonly #tokens: readonly string[]
  readonly #nfts: ReturnType<typeof compiled>

  static async start(): Promise<NftChain> {
    const node = await AnvilChain.start()
    const nfts = compiled(new URL('nfts.sol', import.meta.url), 'Nfts')
    const [owner = ''] = await node.accounts()
    const tokens: string[] = []
    while (tokens.length < contractsCount) tokens.push(await node.create(nfts.creation([])))
    return new NftChain(node, nfts, { owner, tokens })
  }

  private constructor(
    node: AnvilChain,
    nfts: ReturnType<typeof compiled>,
    { owner, tokens }: { readonly owner: string; readonly tokens: readonly string[] },
  ) {
    this.node = node
    this.owner = owner
    this.#tokens = tokens
    this.#nfts = nfts
  }

  /** In one block. */
  async mint(uris: ReadonlyMap<bigint, string>, by: Minting = 'mint'): Promise<void> {
    await this.node.together(async () => {
      for (const [id, uri] of uris) {
        const data = this.#nfts.call(by, [id, uri])
        const to = this.#tokens[Number(id % BigInt(contractsCount))]
        await this.node.sendRaw({ to, data, gas: '0x1312d00' })
      }
    })
  }

  stop(): Promise<void> {
    return this.node.stop()
  }
}
