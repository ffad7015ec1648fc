import { StartupError } from '../../../../libs/signals/startup-error.ts'

/** @throws StartupError which does not repeat the text: it may contain a password */
export function explorerUrl(text: string, flag: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url
  throw new StartupError(`${flag} is no http:// or https:// URL.`)
}
