import { readFileSync } from 'node:fs'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { type PriceSource, readPriceSource } from '../../enricher/prices/price-source.ts'

/** What the file of `--price-source` says; null for none. @throws StartupError */
export function priceSourceOf(file: string | null): PriceSource | null {
  if (file === null) return null
  try {
    return readPriceSource(readFileSync(file, 'utf8'), process.env)
  } catch (error) {
    if (error instanceof StartupError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new StartupError(`--price-source cannot be read: ${reason}.`)
  }
}
