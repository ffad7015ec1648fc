import { expect, test } from 'vitest'
import { AuditTally } from './audit-tally.ts'

const long = 'ab'.repeat(200)

test.each([
  ['short', 'other', ['short', 'other']],
  ['short', null, ['short', null]],
  [`${long}x`, `${long}yz`, [`…${`${long}x`.slice(-21)}`, `…${`${long}yz`.slice(-22)}`]],
  [
    `x${long}`,
    `y${long}`,
    [`x${long}`.slice(0, 200), `y${long}`.slice(0, 200)].map((it) => `${it}…`),
  ],
  [long, null, [`${long.slice(0, 200)}…`, null]],
])('of long values the part in which they differ is kept: %s, %s', (shown, told, kept) => {
  const tally = new AuditTally()
  tally.add({
    failure: null,
    findings: [
      {
        ...{ kind: 'words', standard: 'ERC-20', path: '/p', field: 'name', block: 1 },
        ...{ outcome: 'differing', shown, told },
      },
    ],
  })
  expect(tally.examples('differing').map((one) => [one.shown, one.told])).toEqual([kept])
})
