/** Requests of clients, counted for all processes in windows of one length. */
export interface SharedCounts {
  /**
   * Counts further requests of a client; the first ones begin its window.
   * @param client short, and no secret
   */
  add(client: string, requests: number): Promise<Added>
  close(): Promise<void>
}

/** `unsent`: they were not counted; `unknown`: maybe, an answer did not come. */
export type Added = ClientWindow | 'unsent' | 'unknown'

interface ClientWindow {
  /** Requests of the client in its current window, of all processes. */
  readonly requests: number
  /** Time until it ends, when the answer was given. */
  readonly leftMs: number
}
