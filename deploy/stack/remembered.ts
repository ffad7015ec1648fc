import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const form = z.object({ ports: z.array(z.number()), password: z.string() })
export type Remembered = z.output<typeof form>

/** Ports and password of the last start: who comes back finds the same address, if it is free. */
export function remembered(folder: string): Remembered | null {
  try {
    return form.parse(JSON.parse(readFileSync(join(folder, 'address.json'), 'utf8')))
  } catch {
    return null
  }
}

export function remember(folder: string, address: Remembered): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'address.json'), JSON.stringify(address), { mode: 0o600 })
}
