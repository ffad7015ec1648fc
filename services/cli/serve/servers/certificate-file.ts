import { readFileSync } from 'node:fs'
import { StartupError } from '../../../../libs/signals/startup-error.ts'

/** PEM of that file; null if there is none. @throws StartupError naming the setting */
export function readCertificate(path: string | null, setting: string): string | null {
  if (path === null) return null
  let text = ''
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const because = error instanceof Error ? error.message : String(error)
    throw new StartupError(`The file of ${setting} cannot be read: ${because}.`)
  }
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text
  throw new StartupError(`The file of ${setting}, ${path}, holds no certificate in PEM.`)
}
