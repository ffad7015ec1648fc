import { answered, type DocumentCase } from './document-case.ts'

const latin1 = (text: string): Uint8Array => Buffer.from(text.padEnd(80, '\0'), 'latin1')

/** The signature and the first chunk. */
const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0'
export const pngBytes = latin1(png)
export const svgText = '<svg xmlns="http://www.w3.org/2000/svg"><text>Cat</text></svg>'
const withProlog = (prolog: string) => `${prolog}${svgText}`
const doctype =
  '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">'
const inUtf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

type Media = readonly [
  name: string,
  body: string | Uint8Array,
  contentType: string | null,
  media: string,
]

const images: readonly Media[] = [
  ['PNG', pngBytes, 'image/png', 'image/png'],
  ['PNG called JSON', pngBytes, 'application/json', 'image/png'],
  ['PNG called JPEG', pngBytes, 'image/jpeg', 'image/png'],
  ['PNG called nothing', pngBytes, null, 'image/png'],
  ['JPEG', latin1('\xff\xd8\xff\xe0\0\x10JFIF\0'), 'image/jpg', 'image/jpeg'],
  ['JPEG with Exif', latin1('\xff\xd8\xff\xe1\0\x10Exif\0'), 'text/html', 'image/jpeg'],
  ['GIF of 1987', latin1('GIF87a\x01\0\x01\0'), 'image/gif', 'image/gif'],
  ['GIF of 1989', latin1('GIF89a\x01\0\x01\0'), 'text/plain', 'image/gif'],
  ['WebP', latin1('RIFF\x24\0\0\0WEBPVP8 '), 'application/json', 'image/webp'],
  ['AVIF', latin1('\0\0\0\x1cftypavif\0\0\0\0avifmif1'), 'image/avif', 'image/avif'],
  [
    'AVIF by its second brand',
    latin1('\0\0\0\x1cftypmif1\0\0\0\0mif1avif'),
    'image/heic',
    'image/avif',
  ],
  ['HEIC', latin1('\0\0\0\x18ftypheic\0\0\0\0mif1heic'), 'image/heic', 'image/heic'],
  ['bitmap', latin1('BM\x7a\0\0\0\0\0\0\0\x7a\0\0\0'), 'image/bmp', 'image/bmp'],
  ['TIFF of Intel', latin1('II*\0\x08\0\0\0'), 'image/tiff', 'image/tiff'],
  ['TIFF of Motorola', latin1('MM\0*\0\0\0\x08'), null, 'image/tiff'],
  ['icon', latin1('\0\0\x01\0\x01\0\x10\x10'), 'image/x-icon', 'image/x-icon'],
  ['JPEG XL', latin1('\xff\x0a\xfa\x1f'), 'image/jxl', 'image/jxl'],
  ['JPEG XL in boxes', latin1('\0\0\0\x0cJXL \r\n\x87\n'), 'image/jxl', 'image/jxl'],
]

const videos: readonly Media[] = [
  ['MP4', latin1('\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41'), 'video/mp4', 'video/mp4'],
  [
    'MP4 called JSON',
    latin1('\0\0\0\x18ftypmp42\0\0\0\0mp42isom'),
    'application/json',
    'video/mp4',
  ],
  ['QuickTime', latin1('\0\0\0\x14ftypqt  \0\0\0\0qt  '), 'video/quicktime', 'video/quicktime'],
  ['video of a phone', latin1('\0\0\0\x18ftyp3gp4\0\0\0\0'), 'video/3gpp', 'video/3gpp'],
  ['WebM', latin1('\x1aE\xdf\xa3\x9fB\x86\x81\x01B\x82\x84webm'), 'video/webm', 'video/webm'],
  ['Matroska', latin1('\x1aE\xdf\xa3\xa3B\x82\x88matroska'), null, 'video/x-matroska'],
  ['AVI', latin1('RIFF\x24\0\0\0AVI LIST'), 'video/avi', 'video/x-msvideo'],
  ['Theora', latin1(`OggS\0\x02${'\0'.repeat(20)}\x01\x2a\x80theora`), 'video/ogg', 'video/ogg'],
  ['MPEG', latin1('\0\0\x01\xba\x44\0'), 'video/mpeg', 'video/mpeg'],
  ['Flash', latin1('FLV\x01\x05\0\0\0\x09'), 'video/x-flv', 'video/x-flv'],
]

const drawings: readonly Media[] = [
  ['SVG', svgText, 'image/svg+xml', 'image/svg+xml'],
  ['SVG called text', svgText, 'text/plain', 'image/svg+xml'],
  ['SVG called JSON', svgText, 'application/json', 'image/svg+xml'],
  ['SVG without members', '<svg/>', 'image/svg+xml', 'image/svg+xml'],
  ['SVG in capitals', '<SVG viewBox="0 0 1 1"></SVG>', 'text/html', 'image/svg+xml'],
  ['SVG with a prefix', '<svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>', null, 'image/svg+xml'],
  ['SVG after a declaration', withProlog('<?xml version="1.0"?>\n'), 'text/xml', 'image/svg+xml'],
  ['SVG after a comment', withProlog('<!-- drawn by <html> -->'), 'text/xml', 'image/svg+xml'],
  ['SVG after its type', withProlog(`<?xml version="1.0"?>${doctype}`), null, 'image/svg+xml'],
  ['SVG after entities', withProlog('<!DOCTYPE svg [ <!ENTITY a "b>"> ]>'), null, 'image/svg+xml'],
  ['SVG after blanks and a mark', `\ufeff \n${svgText}`, 'image/svg+xml', 'image/svg+xml'],
  ['SVG in UTF-16', inUtf16(svgText), 'image/svg+xml', 'image/svg+xml'],
]

/** Servers that send the image or video itself, whatever they call it. */
export const mediaCases: readonly DocumentCase[] = [...images, ...videos, ...drawings].map(
  ([name, body, contentType, media]) => ({
    name: `media: ${name}`,
    uri: null,
    answer: answered(body, contentType),
    expected: { media },
    shown: { metadata: null, media_type: media },
  }),
)
