/**
 * Null for text that is no URL. Not by `URL.canParse`: in Node 20, once it was called some thousand
 * times, that denies every URL with a letter such as é.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

export const isUrl = (text: string): boolean => parsedUrl(text) !== null
