import type { RowSink } from './row-binary.ts'

type Write = (sink: RowSink, value: unknown) => void

const columnForm = /^[a-z][A-Za-z0-9]*$/

/**
 * A function that writes a row column by column, made as source text, once a table. In a loop
 * over columns each value is looked up by name and each writer called through a list, of every
 * table in the same few lines that can be made fast for none. Figures in libs/README.md.
 *
 * @throws if a name is anything but a property in the code that is made of it.
 */
export function compiledEncoder<R>(
  columns: readonly (readonly [name: string, write: Write])[],
): (sink: RowSink, row: R) => void {
  for (const [name] of columns) {
    if (!columnForm.test(name)) throw new Error(`not the name of a column: ${name}`)
  }
  const writers = columns.map((_, at) => `write${at}`)
  const calls = columns.map(([name], at) => `${writers[at]}(sink, row.${name})`)
  const source = `'use strict'; return (sink, row) => { ${calls.join('; ')} }`
  return new Function(...writers, source)(...columns.map(([, write]) => write))
}
