/** ClickHouse, seen from those who write rows and ask queries. */
export interface Store {
  /** Acknowledged when the promise resolves. `rows` is RowBinary in the order of `columns`. */
  insert(table: string, columns: readonly string[], rows: Uint8Array): Promise<void>
  /** Parameters are bound, never pasted. @returns RowBinary. @throws StoreUnavailable */
  query(
    sql: string,
    parameters: QueryParameters,
    onCost?: (cost: QueryCost) => void,
  ): Promise<Buffer>
  /** DDL. */
  execute(sql: string): Promise<void>
  close(): Promise<void>
}

/** What a query read, by the engine's own count (`X-ClickHouse-Summary`). */
export interface QueryCost {
  readonly rowsRead: number
  readonly bytesRead: number
}

/** Values of `{name:Type}` placeholders; hashes and addresses go as hex text. */
export type QueryParameters = Readonly<
  Record<string, string | number | bigint | boolean | readonly (string | number | bigint)[]>
>

/** The store did not answer in time, or not at all: the reader's 503. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
}

/** The store does not serve us as we are. Waiting is no use. */
export class StoreDenied extends Error {
  override readonly name = 'StoreDenied'
  readonly kind: DenialKind

  constructor(kind: DenialKind, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.kind = kind
  }
}

/** User or password; what the user may do; a certificate, or TLS where there is none. */
export type DenialKind = 'credentials' | 'rights' | 'certificate'

/** The database or a table is not there (yet). */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing'
}
