/**
 * ClickHouse, seen from those who write rows and send queries. Whatever it does may end in
 * StoreUnavailable, StoreDenied, StoreMissing or StoreFailed; a query also in StoreBehind and
 * ResultTooLarge, where its options say so.
 */
export interface Store {
  /** Acknowledged when the promise resolves. `rows` is RowBinary in the order of `columns`. */
  insert(table: string, columns: readonly string[], rows: Uint8Array): Promise<void>
  /** Parameters are bound, never pasted. @returns RowBinary. */
  query(sql: string, parameters: QueryParameters, options?: QueryOptions): Promise<Buffer>
  /** DDL. */
  execute(sql: string): Promise<void>
  /** The smallest of queries, past all that waits for a connection. */
  ping(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

export interface QueryOptions {
  readonly onCost?: ((cost: QueryCost) => void) | undefined
  /** Gives the query up, waiting or sent: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The group whose tables it reads. */
  readonly group?: 'ledger' | 'state' | 'dimensions' | undefined
  /**
   * What the replica that answers must have written of that group, by its row in `progress`.
   * @throws StoreBehind
   */
  readonly position?: number | undefined
  /** Of the result. @throws ResultTooLarge */
  readonly bytesMax?: number | undefined
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

/** The store did not answer in time, or not at all: waiting may help. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** Too many queries of this process wait for the store. It says nothing about the store itself. */
export class StoreOverloaded extends StoreUnavailable {
  override readonly name = 'StoreOverloaded'
}

/** The replica that was asked lacks rows that another one has acknowledged. */
export class StoreBehind extends Error {
  override readonly name = 'StoreBehind'
}

/** A result has more bytes than may be held: fewer rows are to be asked for. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge'
}

/** The store answered with an error that is not known to pass. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
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
