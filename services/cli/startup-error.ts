/** Why `foldscan` does not start or go on: one sentence for people, with what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
