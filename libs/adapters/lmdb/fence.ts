import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { RootDatabase } from 'lmdb'
import { z } from 'zod'
import { Fenced } from '../../ports/state-store.ts'
import { runbooks } from '../../signals/runbooks.ts'

type Entries = RootDatabase<Buffer, Buffer>

const tokenForm = z.object({ id: z.string(), host: z.string(), pid: z.int(), at: z.string() })

/** Sorts before all keys of those who use the file. */
export const fenceKey = Buffer.from('\0fence')

/**
 * Fencing token of an LMDB file: the process that opened it last may write it, no other. A lock
 * file does not work across containers, and a process that was paused or cut off does not know that
 * it was replaced. So the token is stored in the file and compared inside each transaction.
 */
export class Fence {
  readonly #file: string
  readonly #token: Buffer

  private constructor(file: string, token: Buffer) {
    this.#file = file
    this.#token = token
  }

  /**
   * From now on no process that opened the file before can write it.
   * @param check in the same transaction, which needs no reader's lock; if it throws, no fence is
   * set
   */
  static raise(file: string, entries: Entries, check: () => void = () => {}): Fence {
    const said = { id: randomUUID(), host: hostname(), pid: process.pid, at: now() }
    const token = Buffer.from(JSON.stringify(said))
    // Nothing is returned: LMDB would wait for a promise and keep the transaction open until then.
    entries.transactionSync(() => {
      check()
      void entries.put(fenceKey, token)
    })
    return new Fence(file, token)
  }

  /** To be called inside the transaction, before its first write. @throws Fenced */
  assertHeld(entries: Entries): void {
    const standing = entries.getBinary(fenceKey)
    if (standing?.equals(this.#token)) return
    throw new Fenced(
      `${this.#file} was taken over by ${holderIn(standing)}, and this process may not write it ` +
        `any more; see ${runbooks.volumeTakenOver}`,
    )
  }
}

/** Of no account for the token: only people read it. */
const now = (): string => new Date().toISOString()

function holderIn(token: Buffer | undefined): string {
  try {
    const { host, pid, at } = tokenForm.parse(JSON.parse(String(token)))
    return `process ${pid} on host ${host} at ${at}`
  } catch {
    return 'another process'
  }
}
