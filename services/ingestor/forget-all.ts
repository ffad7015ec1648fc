import type { StateStore } from '../../libs/ports/state-store.ts'

const forgottenAtOnceMax = 1_000

/** Removes every key under a tag. */
export async function forgetAll(state: StateStore, tag: Buffer): Promise<void> {
  for (;;) {
    const keys = [...state.scan(tag, forgottenAtOnceMax)].map(({ key }) => key)
    if (keys.length === 0) return
    await state.commit(keys.map((key) => [key, null] as const))
  }
}
