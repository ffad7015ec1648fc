/** A signal of one task's own that a signal of a whole life aborts too. */
interface LinkedAbort {
  readonly signal: AbortSignal
  /** Aborts it and lets go of the other. To be called when the task is done, however it ended. */
  readonly end: (reason?: unknown) => void
}

/** `AbortSignal.any` leaves some 55 bytes a call on a signal that lives on (Node 20). */
export function linkedAbort(parent: AbortSignal): LinkedAbort {
  const own = new AbortController()
  const end = (reason?: unknown) => {
    parent.removeEventListener('abort', follow)
    own.abort(reason)
  }
  const follow = () => end(parent.reason)
  parent.addEventListener('abort', follow)
  if (parent.aborted) follow()
  return { signal: own.signal, end }
}
