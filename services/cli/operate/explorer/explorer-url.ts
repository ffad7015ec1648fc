import { parsedUrl } from '../../../../libs/chain/parsed-url.ts'
import { StartupError } from '../../../../libs/signals/startup-error.ts'

/** @throws StartupError which does not repeat the text: it may contain a password */
export function explorerUrl(text: string, flag: string): URL {
  const url = parsedUrl(text)
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new StartupError(`${flag} is no http:// or https:// URL.`)
}
