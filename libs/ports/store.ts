/**
 * ClickHouse: inserts and queries. Every method may throw StoreUnavailable, StoreDenied,
 * StoreMissing or StoreFailed; a query also StoreBehind and ResultTooLarge, if requested.
 */
export interface Store {
  /**
   * Acknowledged when the promise resolves: the server has written as many rows as there are.
   * @param rows RowBinary in the order of `columns`; without a count, at least one row
   */
  insert(table: string, columns: readonly string[], rows: Uint8Array | CountedRows): Promise<void>
  /** Parameters are bound, never concatenated. @returns RowBinary. */
  query(sql: string, parameters: QueryParameters, options?: QueryOptions): Promise<Buffer>
  /** DDL. */
  execute(sql: string): Promise<void>
  /** A minimal query, not queued behind others. */
  ping(signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** Rows of an insert. */
export interface CountedRows {
  /** RowBinary. */
  readonly bytes: Uint8Array
  readonly count: number
}

export const insertedBytes = (rows: Uint8Array | CountedRows): Uint8Array =>
  rows instanceof Uint8Array ? rows : rows.bytes

export interface QueryOptions {
  /** Name of the statement, of a bounded number: a label of its duration, else not measured. */
  readonly name?: string | undefined
  readonly onCost?: ((cost: QueryCost) => void) | undefined
  /** Cancels the query, queued or sent: it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** The group whose tables it reads, in its version, as `progress` names it. */
  readonly group?: string | undefined
  /**
   * Minimum position of that group on the answering replica, by its row in `progress`.
   * @throws StoreBehind
   */
  readonly position?: number | undefined
  /**
   * Those of which one has to answer, for each table that the statement reads.
   * @throws StoreBehind if another one does, or none is named for a table
   */
  readonly replicas?: WholeReplicas | undefined
  /** Not queued behind others; for small statements of this process itself. */
  readonly isUrgent?: boolean | undefined
  /** Of the result. @throws ResultTooLarge */
  readonly bytesMax?: number | undefined
  /**
   * Rows that the server may read, by its estimate before it reads any.
   * @throws TooManyRows; RowBoundRefused if the server does not let this user set that bound
   */
  readonly rowsReadMax?: number | undefined
  /**
   * Rows of a result, by decoding it; a result that ends within a row rejects with RowCut. They
   * must be as many as the server says: a body that ends early may end at a row's end.
   * @throws StoreUnavailable from the query if they are not
   */
  readonly countRows?: ((result: Buffer) => Promise<number>) | undefined
}

/** RowBinary that ends within a row. */
export class RowCut extends RangeError {
  override readonly name = 'RowCut'
}

/**
 * Seconds that a server has to be up to answer as one of `WholeReplicas`: longer than its state is
 * used. One that restarts, perhaps with another disk, answers only once its new state is known.
 */
export const replicaUptimeMin = 10

/** By table, the replicas that have all of its rows: `UUID of the server/UUID of the table`. */
export type WholeReplicas = ReadonlyMap<string, readonly string[]>

/** Rows and bytes read by a query, from `X-ClickHouse-Summary`. */
export interface QueryCost {
  readonly rowsRead: number
  readonly bytesRead: number
}

/** Values of `{name:Type}` placeholders; hashes and addresses go as hex text. */
export type QueryParameters = Readonly<
  Record<string, string | number | bigint | boolean | readonly (string | number | bigint)[]>
>

/** No response from the store, or not in time: retriable. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
}

/** Too many queued queries in this process; does not concern the state of the server. */
export class StoreOverloaded extends StoreUnavailable {
  override readonly name = 'StoreOverloaded'
}

/** Too few replicas are there for an insert to be acknowledged. */
export class QuorumLost extends StoreUnavailable {
  override readonly name = 'QuorumLost'
}

/** The replica lacks rows that another replica has acknowledged. */
export class StoreBehind extends Error {
  override readonly name = 'StoreBehind'
}

/** The result exceeds the size limit: query fewer rows. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge'
}

/** The query would read more rows than it may: query fewer keys. */
export class TooManyRows extends Error {
  override readonly name: string = 'TooManyRows'
}

/** The server does not let this user bound the rows that a query reads or sorts. */
export class RowBoundRefused extends TooManyRows {
  override readonly name = 'RowBoundRefused'
}

/** The server returned an error that is not known to be transient. */
export class StoreFailed extends Error {
  override readonly name = 'StoreFailed'
}

/** Access denied. Not retriable. */
export class StoreDenied extends Error {
  override readonly name = 'StoreDenied'
  readonly kind: DenialKind

  constructor(kind: DenialKind, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.kind = kind
  }
}

/** Wrong user or password; missing grants; a profile; untrusted certificate or no TLS. */
export type DenialKind = 'credentials' | 'rights' | 'settings' | 'certificate'

/** The database or a table does not exist (yet). */
export class StoreMissing extends Error {
  override readonly name = 'StoreMissing'
}
