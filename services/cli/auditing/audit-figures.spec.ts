import { expect, test } from 'vitest'
import { startMetrics } from '../../../libs/signals/metrics.ts'
import type { AuditOutcome, PageLook } from '../operate/audit/finding.ts'
import { AuditFigures } from './audit-figures.ts'

const look = (...found: readonly AuditOutcome[]): PageLook => ({
  failure: null,
  findings: found.map((outcome, at) => ({
    ...{ kind: 'balances', standard: 'ERC-20', path: '/api/v2/tokens/0x1', outcome, block: 5 },
    ...{ field: `holder ${at}`, shown: '1', told: outcome === 'equal' ? '1' : '2' },
  })),
})

function bed() {
  const metrics = startMetrics()
  const figures = new AuditFigures(metrics)
  const exported = async (name: string) => {
    const text = await metrics.registry.metrics()
    return text.split('\n').find((line) => line.startsWith(`foldscan_${name} `))
  }
  return { figures, metrics, exported }
}

test('before the first round there is no figure but 0, and each series exists', async () => {
  const { figures, metrics, exported } = bed()
  expect(figures.shown).toEqual({
    ...{ at: null, checked: 0, equal: 0, differing: 0, unknown: 0, rows: [], differences: [] },
  })
  expect(await exported('audit_differing')).toBe('foldscan_audit_differing 0')
  expect(await exported('audit_time_seconds')).toBe('foldscan_audit_time_seconds 0')
  expect(await metrics.registry.metrics()).toContain(
    'foldscan_audited_values_total{kind="owners",outcome="differing"} 0',
  )
})

test('a round that has ended is shown, with its time, and counted', async () => {
  const { figures, metrics, exported } = bed()
  figures.begin()
  figures.add(look('equal', 'equal', 'unknown', 'unanswered'))
  expect(figures.shown.checked).toBe(0)
  figures.end(60_500)
  expect(figures.shown).toMatchObject({ at: 60_500, checked: 3, equal: 2, unknown: 1 })
  expect(figures.shown.rows).toMatchObject([{ kind: 'balances', standard: 'ERC-20', checked: 3 }])
  expect(await exported('audit_time_seconds')).toBe('foldscan_audit_time_seconds 60.5')
  expect(await metrics.registry.metrics()).toContain(
    'foldscan_audited_values_total{kind="balances",outcome="equal"} 2',
  )
})

test('a difference is shown at once, and until a whole round has none', async () => {
  const { figures, exported } = bed()
  figures.begin()
  figures.add(look('differing', 'equal'))
  expect(figures.shown).toMatchObject({ at: null, differing: 1 })
  expect(figures.shown.differences).toMatchObject([{ field: 'holder 0', shown: '1', told: '2' }])
  expect(await exported('audit_differing')).toBe('foldscan_audit_differing 1')
  figures.end(1_000)
  figures.begin()
  figures.add(look('equal'))
  expect(await exported('audit_differing')).toBe('foldscan_audit_differing 1')
  figures.end(2_000)
  expect(figures.shown).toMatchObject({ at: 2_000, differing: 0, differences: [] })
  expect(await exported('audit_differing')).toBe('foldscan_audit_differing 0')
})

test('a round that has not ended is forgotten', () => {
  const { figures } = bed()
  figures.begin()
  figures.add(look('differing'))
  figures.begin()
  expect(figures.shown.differing).toBe(0)
})
