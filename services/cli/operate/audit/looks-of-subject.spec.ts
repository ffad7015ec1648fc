import { expect, test } from 'vitest'
import { auditSample } from './audit-sample.ts'
import type { PageLook } from './finding.ts'
import { type Alter, blockNumber, coin, foldscan, nodeOf } from './testing/audited-world.ts'

const { signal } = new AbortController()
/** A list that never ends: each page is the first one. */
const endless: Alter = (body) =>
  body.replace('"next_page_params":null', '"next_page_params":{"value":"10","address_hash":"0x1"}')

async function looked(more: { readonly holderPagesMax?: number }) {
  const looks: PageLook[] = []
  const report = await auditSample({
    ...{ api: foldscan({ [`/api/v2/tokens/${coin}/holders`]: endless }), node: nodeOf(), signal },
    ...{ indexed: blockNumber, sample: 10, token: null, seed: 3, timeMs: 60_000 },
    ...{ wait: async () => {}, coinEmitters: new Set<string>(), ...more },
    onLook: (look) => void looks.push(look),
  })
  const ofRow = ({ kind, standard }: { kind: string; standard: string | null }) =>
    kind === 'holders' && standard === 'ERC-20'
  const found = looks.flatMap(({ findings }) => findings)
  return {
    checked: report.rows.find(ofRow)?.checked,
    seen: found.filter(ofRow).length,
    report,
    found,
  }
}

test('of a token that is drawn one page of holders is compared, and one at a random place', async () => {
  expect((await looked({})).checked).toBe(2 + 2)
})

test('of a job so many pages are, each handed on when it was looked at', async () => {
  const { checked, seen, report, found } = await looked({ holderPagesMax: 5 })
  expect([checked, seen]).toEqual([5 * 2, 5 * 2])
  const all = report.rows.reduce((sum, row) => sum + row.checked + row.unanswered + row.moved, 0)
  expect(found).toHaveLength(all)
})
