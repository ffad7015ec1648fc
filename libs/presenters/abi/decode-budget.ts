/** What one page decodes together, whatever strangers sent; what exceeds it is shown raw. */
export const pageDecodedValuesMax = 2_048
/** Bytes of inputs, log data and reasons, each signature that is tried counting anew. */
export const pageDecodedBytesMax = 256 * 1024
/** Actions of all transactions of a page: others are left out. */
export const pageActionsMax = 512
/** Values of the metadata of all instances of a page: what comes after is shown without. */
export const pageMetadataValuesMax = 8_192
/** JSON of the authorizations of a page, some 800 of them: others are left out. */
export const pageAuthorizationCharactersMax = 256 * 1024

/**
 * What may still be decoded for a page. It is used up in the order of the page's items, so that a
 * page is the same in every process.
 */
export class DecodeBudget {
  #values = pageDecodedValuesMax
  #bytes = pageDecodedBytesMax
  #actions = pageActionsMax
  #metadataValues = pageMetadataValuesMax
  #authorizationCharacters = pageAuthorizationCharactersMax

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

  /** @returns how many of the next row's actions are shown */
  useActions(count: number): number {
    const shown = Math.min(count, this.#actions)
    this.#actions -= shown
    return shown
  }

  /** @returns whether metadata of so many values are shown */
  useMetadata(values: number): boolean {
    if (values > this.#metadataValues) return false
    this.#metadataValues -= values
    return true
  }

  /** @returns how many characters of the next row's authorizations are read */
  useAuthorizations(characters: number): number {
    const read = Math.min(characters, this.#authorizationCharacters)
    this.#authorizationCharacters -= read
    return read
  }
}
