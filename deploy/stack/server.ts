/** A real server of the stack, to be asked, hurt and brought back. */
export interface Server<Address> {
  /** The same for its whole life: a restart keeps ports, credentials and what is on the disk. */
  readonly address: Address
  /** Of the process that runs now; null when none does, or not on this machine. */
  pid(): number | null
  /** Ends it in its own way, within a bound; then SIGKILL. Nothing to do is no error. */
  stop(): Promise<void>
  /** SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>
  /** Starts it again, after a stop if it runs. Resolves when it answers. */
  restart(): Promise<void>
  /** Stops its clock: it keeps its connections and answers nothing, until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Resolves with its last words when the process that runs now is gone, for whatever reason. */
  exited(): Promise<string>
}
