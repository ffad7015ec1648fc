/** Why `foldscan` does not start or go on: one sentence for people, with what to do. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
