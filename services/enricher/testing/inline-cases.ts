import type { DocumentCase, Expected, Shown } from './document-case.ts'
import { pngBytes, svgText } from './media-cases.ts'

/** Documents by what is difficult in them. */
const documents: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plain: { name: 'Cat 1', attributes: [{ trait_type: 'fur', value: 'red' }] },
  'other scripts': { name: '猫 № 1 😺>>??', description: 'Chaté' },
  'number signs and percents': { name: 'Cat #1', description: '100% cat, 5 %, #2' },
  'quotes and commas': { name: 'A "cat", so; called', description: 'a\\b\tc' },
}

const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')
const wrapped = (text: string) => base64(text).replace(/(.{20})/g, '$1\r\n')

const encodings: Readonly<Record<string, (json: string) => string>> = {
  base64: (json) => `data:application/json;base64,${base64(json)}`,
  'base64 without padding': (json) =>
    `data:application/json;base64,${base64(json).replace(/=+$/, '')}`,
  'base64 for URLs': (json) =>
    `data:application/json;base64,${Buffer.from(json).toString('base64url')}`,
  'base64 in lines': (json) => `data:application/json;base64,${wrapped(json)}`,
  'base64 with escapes': (json) =>
    `data:application/json;base64,${encodeURIComponent(base64(json))}`,
  'every character escaped': (json) =>
    `data:application/json,${Buffer.from(json).toString('hex').replace(/(..)/g, '%$1')}`,
  'escapes of components': (json) => `data:application/json,${encodeURIComponent(json)}`,
  'escapes of URIs': (json) => `data:application/json;charset=utf-8,${encodeURI(json)}`,
  'nothing escaped': (json) => `data:application/json;utf8,${json}`,
  'the document itself': (json) => json,
}

const encoded: readonly DocumentCase[] = Object.entries(encodings).flatMap(([encoding, uriOf]) =>
  Object.entries(documents).map(([kind, metadata]) => ({
    name: `inline: ${kind}, ${encoding}`,
    uri: uriOf(JSON.stringify(metadata)),
    expected: { metadata },
  })),
)

const cat = { name: 'Cat' }
const packed = base64('{"name":"Cat"}')
const png = `data:image/png;base64,${Buffer.from(pngBytes).toString('base64')}`
const svg = `data:image/svg+xml;utf8,${svgText}`
const largeSvg = `data:image/svg+xml;utf8,${svgText.replace('><', `>${' '.repeat(9000)}<`)}`
const one = '1'.padStart(64, '0')

type Inline = readonly [name: string, uri: string, expected: Expected, shown?: Shown]

const sloppy: readonly Inline[] = [
  ['scheme in capitals', `DATA:application/json;base64,${packed}`, { metadata: cat }],
  ['media type in capitals', `data:Application/JSON;BASE64,${packed}`, { metadata: cat }],
  ['no media type', `data:;base64,${packed}`, { metadata: cat }],
  ['no head', 'data:,{"name":"Cat"}', { metadata: cat }],
  ['wrong media type', `data:text/plain;base64,${packed}`, { metadata: cat }],
  ['no media type but a word', `data:json;base64,${packed}`, { metadata: cat }],
  [
    'charset before base64',
    `data:application/json;charset=UTF-8;base64,${packed}`,
    { metadata: cat },
  ],
  [
    'base64 before charset',
    `data:application/json;base64;charset=utf-8,${packed}`,
    { metadata: cat },
  ],
  ['blanks in the head', `data: application/json ; base64 ,${packed}`, { metadata: cat }],
  ['blanks around base64', `data:application/json;base64, ${packed}\n`, { metadata: cat }],
  ['fragment after base64', `data:application/json;base64,${packed}#1`, { metadata: cat }],
  ['base64 that is text', 'data:application/json;base64,{"name":"Cat"}', { metadata: cat }],
  [
    'base64 that is escaped text',
    'data:application/json;base64,%7B%22name%22:%22Cat%22%7D',
    { metadata: cat },
  ],
  ['plain that is base64', `data:application/json,${packed}`, { refused: 'not JSON' }],
  ['NULs after base64', `data:application/json;base64,${packed}\0\0`, { metadata: cat }],
  [
    'NULs within base64',
    `data:application/json;base64,${base64('{"name":"Cat"}\0\0')}`,
    { metadata: cat },
  ],
  [
    'escapes of quotes in raw JSON',
    `data:application/json,{"name":"a %22cat%22"}`,
    { metadata: { name: 'a "cat"' } },
  ],
  [
    'escapes of signs in raw JSON',
    'data:application/json,{"name":"Cat %231, 100%"}',
    { metadata: { name: 'Cat #1, 100%' } },
  ],
  ['line break in raw JSON', '{"name":"Cat\n1"}', { metadata: { name: 'Cat\n1' } }],
  ['blanks before raw JSON', '\n  {"name":"Cat"}\0', { metadata: cat }],
  ['list of one', '[{"name":"Cat"}]', { metadata: cat }],
  ['id in raw JSON', '{"name":"Cat {id}"}', { metadata: { name: `Cat ${one}` } }],
  ['escapes that are no UTF-8', 'data:,{"name":"%ff%E7"}', { metadata: { name: '\ufffd\ufffd' } }],
]

const refusedInline: readonly Inline[] = [
  ['no comma', 'data:application/json;base64', { refused: 'data URI without a comma' }],
  ['nothing after the comma', 'data:application/json,', { refused: 'empty' }],
  ['nothing in base64', 'data:application/json;base64,', { refused: 'empty' }],
  [
    'malformed base64',
    'data:application/json;base64,e*yJ9',
    { refused: 'data URI with malformed base64' },
  ],
  ['padding within base64', 'data:;base64,e30=e30=', { refused: 'data URI with malformed base64' }],
  ['page', 'data:text/html,<html><body>Cat</body></html>', { refused: 'HTML, not JSON' }],
  [
    'page in base64',
    `data:text/html;base64,${base64('<!doctype html><p>Cat')}`,
    { refused: 'HTML, not JSON' },
  ],
  ['text', 'data:text/plain,Cat', { refused: 'not JSON' }],
  ['null', 'data:application/json,null', { refused: 'null, not an object' }],
  ['malformed JSON', '{"name":"Cat"', { refused: 'not JSON' }],
  ['list of two', '[{"name":"Cat"},{}]', { refused: 'an array, not an object' }],
]

const inlineMedia: readonly Inline[] = [
  ['PNG', png, { media: 'image/png' }, { image_url: png, media_type: 'image/png' }],
  [
    'PNG called JSON',
    png.replace('image/png', 'application/json'),
    { media: 'image/png' },
    { image_url: null },
  ],
  ['SVG', svg, { media: 'image/svg+xml' }, { image_url: svg, media_type: 'image/svg+xml' }],
  ['SVG in base64', `data:image/svg+xml;base64,${base64(svgText)}`, { media: 'image/svg+xml' }],
  [
    'SVG with escapes',
    `data:image/svg+xml,${encodeURIComponent(svgText)}`,
    { media: 'image/svg+xml' },
  ],
  ['SVG called base64', `data:image/svg+xml;base64,${svgText}`, { media: 'image/svg+xml' }],
  [
    'SVG above the length of a URL',
    largeSvg,
    { media: 'image/svg+xml' },
    { image_url: null, media_type: 'image/svg+xml' },
  ],
]

/** URIs that hold the document. */
export const inlineCases: readonly DocumentCase[] = [
  ...encoded,
  ...[...sloppy, ...refusedInline, ...inlineMedia].map(([name, uri, expected, shown]) => ({
    name: `inline: ${name}`,
    uri,
    expected,
    ...(shown === undefined ? {} : { shown }),
  })),
]
