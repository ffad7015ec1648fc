import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { unknownIn } from '../../libs/signals/testing/unknown-names.ts'

const top = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, top), 'utf8')

const rule = z.strictObject({
  alert: z.string().regex(/^Foldscan(?:[A-Z][a-z]+)+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({
    summary: z.string().regex(/^[A-Z][^\n]{20,100}\.$/),
    runbook_url: z.string().regex(/^deploy\/runbooks\/[\w-]+\.md$/),
  }),
})
const form = z.strictObject({
  groups: z.tuple([z.strictObject({ name: z.literal('foldscan'), rules: z.array(rule) })]),
})
const { rules } = form.parse(parse(read('deploy/alerts/foldscan.rules.yaml'))).groups[0]

describe('an alert', () => {
  it('is one of a list without repetition', () => {
    expect(rules.length).toBeGreaterThan(10)
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  it.each(rules)('$alert names metrics and labels that exist', ({ expr }) => {
    expect(expr).toMatch(/\b(?:foldscan|process)_\w+|\b(?:kafka_|ClickHouse|chi_clickhouse)\w+/)
    expect(unknownIn(expr)).toEqual([])
    expect(expr).not.toContain('$')
  })

  it.each(rules)('$alert has a page that begins with its name', ({ alert, annotations }) => {
    const path = annotations.runbook_url
    expect(existsSync(new URL(path, top)), path).toBe(true)
    const [title = '', first = ''] = read(path).split('\n\n')
    expect(title).toMatch(/^# /)
    expect(first).toMatch(/^\*\*Alerts?\.\*\* /)
    expect(first).toContain(`\`${alert}\``)
  })

  it('is listed in the page for operators, with its page, and no other is', () => {
    const listed = [...read('deploy/README.md').matchAll(/^\| `(Foldscan\w+)` \|.*`(.+)` \|$/gm)]
    expect(listed.map(([, alert, page]) => [alert, page])).toEqual(
      rules.map(({ alert, annotations }) => [alert, annotations.runbook_url]),
    )
  })

  it('exists where a page names it', () => {
    const known = rules.map(({ alert }) => alert)
    const named = readdirSync(new URL('deploy/runbooks', top)).flatMap(
      (file) => read(`deploy/runbooks/${file}`).match(/\bFoldscan(?:[A-Z][a-z]+)+\b/g) ?? [],
    )
    expect(named.length).toBeGreaterThan(rules.length)
    expect(named.filter((alert) => !known.includes(alert))).toEqual([])
  })
})
