/** Bytes at the beginning that tell what a file is. */
const headBytes = 64

/** As in the MIME Sniffing standard, and what else is published as art. */
const signatures: readonly (readonly [mediaType: string, at: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/x-icon', 0, '\0\0\x01\0'],
  ['image/jxl', 0, '\xff\x0a'],
  ['image/jxl', 0, '\0\0\0\x0cJXL \r\n\x87\n'],
  ['video/mpeg', 0, '\0\0\x01\xba'],
  ['video/x-flv', 0, 'FLV\x01'],
]

const avifBrands = ['avif', 'avis']
const heicBrands = ['heic', 'heix', 'hevc', 'mif1', 'msf1']
const audioBrands = ['M4A ', 'M4B ', 'M4P ']

/** @returns the MIME type of an image or a video, by its bytes alone; null for anything else */
export function sniffMedia(bytes: Uint8Array): string | null {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString('latin1')
  const known = signatures.find(([, at, signature]) => head.startsWith(signature, at))
  return known?.[0] ?? ofContainer(head)
}

function ofContainer(head: string): string | null {
  if (head.startsWith('RIFF')) {
    if (head.startsWith('WEBP', 8)) return 'image/webp'
    return head.startsWith('AVI ', 8) ? 'video/x-msvideo' : null
  }
  // A text may begin with the letters; the reserved bytes of a bitmap are zero.
  if (head.startsWith('BM')) return head.startsWith('\0\0\0\0', 6) ? 'image/bmp' : null
  if (head.startsWith('\x1aE\xdf\xa3')) {
    return head.includes('webm') ? 'video/webm' : 'video/x-matroska'
  }
  if (head.startsWith('OggS')) return head.includes('\x80theora') ? 'video/ogg' : null
  return head.startsWith('ftyp', 4) ? ofBrands(head) : null
}

/** ISO base media: the first brand, then a version, then brands that it is compatible with. */
function ofBrands(head: string): string | null {
  const brand = head.slice(8, 12)
  if (avifBrands.includes(brand)) return 'image/avif'
  if (heicBrands.includes(brand)) return head.includes('avif', 16) ? 'image/avif' : 'image/heic'
  if (audioBrands.includes(brand)) return null
  if (brand === 'qt  ') return 'video/quicktime'
  return brand.startsWith('3g') ? 'video/3gpp' : 'video/mp4'
}

/** What begins with `<`, by its first element. */
export type Markup = 'svg' | 'html' | 'xml'

const htmlElement =
  /^<(?:html|head|body|script|style|title|meta|link|div|span|table|iframe|center|pre|main|section|[abp]|h[1-6]|br)[\s>/]/i

/** @param head the first characters of a document, without padding */
export function markupOf(head: string): Markup | null {
  if (!head.startsWith('<')) return null
  if (/^<!doctype\s+html/i.test(head)) return 'html'
  const element = withoutProlog(head)
  if (/^<!doctype\s+html/i.test(element) || htmlElement.test(element)) return 'html'
  return /^<(?:svg:)?svg(?:[\s>/]|$)/i.test(element) ? 'svg' : 'xml'
}

/** Declarations and comments before the first element. */
function withoutProlog(markup: string): string {
  let rest = markup
  for (;;) {
    const end = prologEnd(rest)
    if (end === null) return rest
    rest = rest.slice(end).trimStart()
  }
}

function prologEnd(text: string): number | null {
  const endOf = (mark: string) => {
    const at = text.indexOf(mark)
    return at < 0 ? text.length : at + mark.length
  }
  if (text.startsWith('<?')) return endOf('?>')
  if (text.startsWith('<!--')) return endOf('-->')
  if (!/^<!doctype\s(?!\s*html)/i.test(text)) return null
  const [close, subset] = [text.indexOf('>'), text.indexOf('[')]
  return subset >= 0 && subset < close ? endOf(']>') : endOf('>')
}
