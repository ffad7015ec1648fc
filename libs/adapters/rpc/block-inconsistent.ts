/** A block that contradicts itself, its receipts or its form. Names the block and the field. */
export class BlockInconsistent extends Error {
  override readonly name = 'BlockInconsistent'
  readonly block: number | string
  readonly field: string

  constructor(block: number | string, field: string, what: string) {
    super(`block ${block}: ${field} ${what}`)
    this.block = block
    this.field = field
  }
}
