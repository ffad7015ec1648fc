/** Requests of clients, counted for all processes in windows of one length. */
export interface SharedCounts {
  /**
   * Counts further requests of a client; the first ones begin its window.
   * @param client short, and no secret
   * @returns null if that is not known to have been done
   */
  add(client: string, requests: number): Promise<ClientWindow | null>
  close(): Promise<void>
}

export interface ClientWindow {
  /** Requests of the client in its current window, of all processes. */
  readonly requests: number
  /** Time until it ends, when the answer was given. */
  readonly leftMs: number
}
