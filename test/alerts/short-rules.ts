import { readFileSync } from 'node:fs'

const source = new URL('../../helm/foldscan/files/alerts.yaml', import.meta.url)

/** Windows in which alerts look, by those of the chart: a test does not wait for hours. */
const windows: Readonly<Record<string, string>> = {
  '5m': '10s',
  '10m': '10s',
  '30m': '60s',
  '1h': '10s',
  '6h': '10s',
  '1d': '10m',
}

/** The alerts of the chart with other thresholds, windows of seconds, and without patience. */
export function shortRules(thresholds: Readonly<Record<string, number>>): string {
  const text = readFileSync(source, 'utf8')
    .replace(/\[(\w+)\]/g, (_, window: string) => `[${shorter(window)}]`)
    .replace(/offset (\w+)/g, (_, window: string) => `offset ${shorter(window)}`)
    .replace(/for: \w+/g, 'for: 0s')
  const filled = Object.entries({ ...thresholds, runbookUrl: '' }).reduce(
    (rules, [name, value]) => rules.replaceAll(`\${${name}}`, String(value)),
    text,
  )
  const missing = /\$\{\w+\}/.exec(filled.replace(/^ *#.*$/gm, ''))
  if (missing !== null) throw new Error(`no threshold for ${missing[0]}`)
  return filled
}

function shorter(window: string): string {
  const short = windows[window]
  if (short === undefined) throw new Error(`no shorter window for ${window}`)
  return short
}
