/** What one page decodes together, whatever strangers sent; what exceeds it is shown raw. */
export const pageDecodedValuesMax = 4_096
/** Bytes of inputs, log data and reasons, each signature that is tried counting anew. */
export const pageDecodedBytesMax = 512 * 1024

/**
 * What may still be decoded for a page. It is used up in the order of the page's items, so that a
 * page is the same in every process.
 */
export class DecodeBudget {
  #values = pageDecodedValuesMax
  #bytes = pageDecodedBytesMax

  get valuesLeft(): number {
    return this.#values
  }

  get bytesLeft(): number {
    return this.#bytes
  }

  /** Counts what was tried, decoded or not. */
  use({ values, bytes }: { readonly values: number; readonly bytes: number }): void {
    this.#values = Math.max(0, this.#values - values)
    this.#bytes = Math.max(0, this.#bytes - bytes)
  }
}
