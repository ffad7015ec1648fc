import fc from 'fast-check'

/** Like the unit `binary` of fast-check, which first takes 200 ms for a map of all it may give. */
const codePoint = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point))

/** Any text of whole code points. @param maxLength in code points */
export const anyText = (maxLength: number) => fc.string({ unit: codePoint, maxLength })
