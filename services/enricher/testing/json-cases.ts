import { type Answer, answered, type DocumentCase } from './document-case.ts'

const cat = { name: 'Cat é 1', attributes: [{ trait_type: 'fur', value: 'red' }] }

const shapes: Readonly<Record<string, string>> = {
  object: JSON.stringify(cat),
  'list of one': JSON.stringify([cat]),
  'object printed twice': JSON.stringify(JSON.stringify(cat)),
}

const utf8 = (text: string) => Buffer.from(text, 'utf8')
const littleEndian = (text: string) => Buffer.from(text, 'utf16le')
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()

const encodings: Readonly<Record<string, (json: string) => Uint8Array>> = {
  'UTF-8': utf8,
  'UTF-8 with its mark': (json) => utf8(`\ufeff${json}`),
  'UTF-8 with two marks': (json) => utf8(`\ufeff\ufeff${json}`),
  'UTF-16, low byte first': (json) => littleEndian(`\ufeff${json}`),
  'UTF-16, high byte first': (json) => bigEndian(`\ufeff${json}`),
  'UTF-16, low byte first, no mark': littleEndian,
  'UTF-16, high byte first, no mark': bigEndian,
  'NULs at the end': (json) => utf8(json.padEnd(1000, '\0')),
  'blanks and lines around': (json) => utf8(`\r\n\t  ${json} \n\u00a0`),
}

const encoded: readonly DocumentCase[] = Object.entries(shapes).flatMap(([shape, json]) =>
  Object.entries(encodings).map(([encoding, bytesOf]) => ({
    name: `JSON: ${shape}, ${encoding}`,
    uri: null,
    answer: answered(bytesOf(json), 'application/json'),
    expected: { metadata: cat },
  })),
)

const labels = [
  ...['image/png', 'text/html', 'text/plain; charset=iso-8859-1', 'application/octet-stream'],
  ...['video/mp4', 'no type at all', '', null],
]

const labelled: readonly DocumentCase[] = labels.map((contentType) => ({
  name: `JSON: called ${contentType ?? 'nothing'}`,
  uri: null,
  answer: answered(utf8(JSON.stringify(cat)), contentType),
  expected: { metadata: cat },
}))

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const proto = '{"name":"a","__proto__":{"isAdmin":true}}'

type Read = readonly [name: string, json: string, metadata: Readonly<Record<string, unknown>>]

const values: readonly Read[] = [
  ['nothing in it', '{}', {}],
  [
    'values of attributes as they are',
    '{"attributes":[{"value":7},{"value":true},{"value":null}]}',
    { attributes: [{ value: 7 }, { value: true }, { value: null }] },
  ],
  [
    'fields of no standard',
    '{"dna":"abc","edition":3,"compiler":{"a":[1]}}',
    { dna: 'abc', edition: 3, compiler: { a: [1] } },
  ],
  ['greatest exact integer', '{"n":9007199254740991}', { n: 9007199254740991 }],
  ['first integer that is not exact', '{"n":9007199254740993}', { n: '9007199254740993' }],
  ['number of 256 bits', `{"n":[${(1n << 256n) - 1n}]}`, { n: [((1n << 256n) - 1n).toString()] }],
  [
    'negative large integer',
    '{"n":-18446744073709551616,"m":-1}',
    { n: '-18446744073709551616', m: -1 },
  ],
  ['number above the range', '{"n":1e999,"m":[-1E+999]}', { n: '1e999', m: ['-1E+999'] }],
  ['float', '{"n":0.1,"m":1.50,"k":1e3}', { n: 0.1, m: 1.5, k: 1000 }],
  ['large float', '{"n":1e30}', { n: 1e30 }],
  ['digits in strings', '{"n":"9007199254740993, \\"1e999"}', { n: '9007199254740993, "1e999' }],
  ['name twice', '{"name":"a","name":"b"}', { name: 'b' }],
  ['prototype', proto, { name: 'a' }],
  ['prototype further down', `{"a":[${proto}]}`, { a: [{ name: 'a' }] }],
  ['prototype with an escape', '{"__pr\\u006fto__":{"isAdmin":true},"a":1}', { a: 1 }],
  [
    'constructor',
    '{"constructor":{"prototype":{"a":1}}}',
    { constructor: { prototype: { a: 1 } } },
  ],
  [
    'names of methods',
    '{"toJSON":1,"hasOwnProperty":null,"valueOf":"a"}',
    { toJSON: 1, hasOwnProperty: null, valueOf: 'a' },
  ],
  ['name that is empty', '{"":"a"}', { '': 'a' }],
  ['names that are numbers', '{"1":"a","0":"b"}', { 0: 'b', 1: 'a' }],
  ['half of a pair', '{"name":"\\ud83d cat"}', { name: '\ufffd cat' }],
  ['second half of a pair', '{"name":["\\ude3a"]}', { name: ['\ufffd'] }],
  ['half of a pair in a name', '{"\\ud83d":1}', { '\ufffd': 1 }],
  ['pair in escapes', '{"name":"\\ud83d\\ude3a"}', { name: '😺' }],
  ['NUL in a string', '{"name":"a\\u0000b"}', { name: 'a\0b' }],
  ['line breaks in a string', '{"name":"a\r\nb\tc"}', { name: 'a\r\nb\tc' }],
  ['most levels', `{"a":${nested(64)}}`, { a: JSON.parse(nested(64)) }],
  ['brackets in strings', `{"a":"${'['.repeat(100)}"}`, { a: '['.repeat(100) }],
  ['most characters', `{"a":"${'x'.repeat(262_136)}"}`, { a: 'x'.repeat(262_136) }],
  ['many escapes', `{"a":"${'\\u0041'.repeat(100_000)}"}`, { a: 'A'.repeat(100_000) }],
  ['many blanks', `{${' '.repeat(500_000)}"a":1}`, { a: 1 }],
]

const malformedUtf8: DocumentCase = {
  name: 'JSON: malformed UTF-8',
  uri: null,
  answer: answered(Buffer.from('{"name":"\xff\xc3("}', 'latin1'), 'application/json'),
  expected: { metadata: { name: '\ufffd\ufffd(' } },
}

/** Servers that send an object of JSON, in whatever form. */
export const jsonCases: readonly DocumentCase[] = [
  ...encoded,
  ...labelled,
  ...values.map(([name, json, metadata]) => ({
    name: `JSON: ${name}`,
    uri: null,
    answer: answered(json, 'application/json'),
    expected: { metadata },
  })),
  malformedUtf8,
]

type Refused = readonly [name: string, body: string | Uint8Array, reason: string]

const otherJson: readonly Refused[] = [
  ['list of none', '[]', 'an array, not an object'],
  ['list of two', '[{"a":1},{"b":2}]', 'an array, not an object'],
  ['list of a text', '["a"]', 'an array, not an object'],
  ['list of a list', '[[{"a":1}]]', 'an array, not an object'],
  ['list of null', '[null]', 'an array, not an object'],
  ['text', '"Cat"', 'a string, not an object'],
  [
    'text printed three times',
    JSON.stringify(JSON.stringify('{"a":1}')),
    'a string, not an object',
  ],
  ['text of a number', '"7"', 'a number, not an object'],
  ['text of nothing', '""', 'a string, not an object'],
  ['number', '404', 'a number, not an object'],
  ['large number', '123456789012345678901234567890', 'a string, not an object'],
  ['boolean', 'true', 'a boolean, not an object'],
  ['null', 'null', 'null, not an object'],
  [
    'more characters than a fact may have',
    `{"a":"${'x'.repeat(262_137)}"}`,
    'more than 262144 characters',
  ],
  [
    'more characters once printed',
    `{"a":"${'\x01'.repeat(50_000)}"}`,
    'more than 262144 characters',
  ],
  ['many members', `{"a":[${'1,'.repeat(200_000)}1]}`, 'more than 1024 values'],
  ['one value more', `{"a":[${'1,'.repeat(1_022)}1]}`, 'more than 1024 values'],
  ['one level more', `{"a":${nested(65)}}`, 'more than 65 levels'],
  ['a million levels', '['.repeat(1_000_000), 'more than 65 levels'],
  ['five megabytes', `{"a":"${'x'.repeat(5_000_000)}"}`, 'more than 1048576 bytes'],
]

const noJson: readonly Refused[] = [
  ['nothing', '', 'empty'],
  ['blanks', ' \r\n ', 'empty'],
  ['NULs', '\0\0\0\0', 'empty'],
  ['mark alone', '\ufeff', 'empty'],
  ['text', 'Not Found', 'not JSON'],
  ['word of JavaScript', 'undefined', 'not JSON'],
  ['no number', '{"a":NaN}', 'not JSON'],
  ['comma at the end', '{"a":1,}', 'not JSON'],
  ['single quotes', "{'a':1}", 'not JSON'],
  ['names without quotes', '{a:1}', 'not JSON'],
  ['comment', '// a cat\n{"a":1}', 'not JSON'],
  ['end that is missing', '{"name":"Ca', 'not JSON'],
  ['escape that is missing', '{"name":"\\', 'not JSON'],
  ['two documents', '{"a":1}{"b":2}', 'not JSON'],
  ['sign alone', '{"a":-}', 'not JSON'],
  ['sound', Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1'), 'not JSON'],
  ['sound in MP4', Buffer.from('\0\0\0\x18ftypM4A \0\0\0\0', 'latin1'), 'not JSON'],
  ['sound in Ogg', Buffer.from('OggS\0\x02\0\0\x01vorbis', 'latin1'), 'not JSON'],
  ['sound in RIFF', Buffer.from('RIFF\x24\0\0\0WAVEfmt ', 'latin1'), 'not JSON'],
  ['model', Buffer.from('glTF\x02\0\0\0\x10\0\0\0', 'latin1'), 'not JSON'],
  ['PDF', '%PDF-1.7\n', 'not JSON'],
  ['archive', Buffer.from('PK\x03\x04\x14\0\0\0', 'latin1'), 'not JSON'],
  ['compressed bytes', Buffer.from('\x1f\x8b\x08\0\0\0\0\0', 'latin1'), 'not JSON'],
  ['text like a bitmap', 'BMW of a cat, by night', 'not JSON'],
]

const shell =
  '<!DOCTYPE html><html lang="en"><head></head><body><div id="root"></div></body></html>'

const markup: readonly (readonly [...Refused, contentType?: string])[] = [
  ['shell of an application', shell, 'HTML, not JSON'],
  ['page after a mark and blanks', `\ufeff\n ${shell}`, 'HTML, not JSON'],
  ['page in lower case', '<html><h1>404 Not Found</h1></html>', 'HTML, not JSON'],
  ['page in capitals', '<HTML><BODY>Gone</BODY></HTML>', 'HTML, not JSON'],
  ['page after a comment', '<!-- cached --><html></html>', 'HTML, not JSON'],
  ['page as XML', '<?xml version="1.0"?><!DOCTYPE html PUBLIC "a"><html/>', 'HTML, not JSON'],
  ['piece of a page', '<p>Too many requests</p>', 'HTML, not JSON'],
  ['page with a drawing', '<body><svg></svg></body>', 'HTML, not JSON'],
  ['page of unknown elements', '<cat-app></cat-app>', 'HTML, not JSON', 'text/html; charset=utf-8'],
  ['page of five megabytes', shell + ' '.repeat(5_000_000), 'HTML, not JSON'],
  [
    'error of a store',
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    'XML, not JSON',
  ],
  ['element like SVG', '<svgs></svgs>', 'XML, not JSON'],
  ['comment without an end', '<!-- <svg>', 'XML, not JSON'],
]

const answerOf = (body: string | Uint8Array, contentType = 'application/json'): Answer =>
  answered(body, contentType)

/** Servers that send something else, mostly as JSON with status 200. */
export const refusedCases: readonly DocumentCase[] = [...otherJson, ...noJson, ...markup].map(
  ([name, body, reason, contentType]) => ({
    name: `refused: ${name}: ${reason}`,
    uri: null,
    answer: answerOf(body, contentType),
    expected: { refused: reason },
  }),
)
