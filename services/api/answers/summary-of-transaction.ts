import type { Deed } from '../../../libs/presenters/deed.ts'
import { summaryOfTransaction as endpoint } from '../../../libs/presenters/endpoints.ts'
import { summaryObject } from '../../../libs/presenters/summary.ts'
import { approvalsIn } from '../../../libs/presenters/summary-approvals.ts'
import { deedItemsMax, summaryRequest } from '../../../libs/presenters/summary-request.ts'
import { Needs } from '../needs.ts'
import { transactionRoute } from '../route.ts'

export const summaryOfTransaction = transactionRoute({
  endpoint,
  pageAsked: ({ just_request_body }) => ({ isRequestOnly: just_request_body === true }),
  answer: async ({ subject, asked: { isRequestOnly } }, { asks, know, chainId }) => {
    const [transactions, transfers, logs] = await Promise.all([
      asks.transactions([subject]),
      asks.transfersOfTransaction({
        hash: subject,
        standards: null,
        after: null,
        limit: deedItemsMax,
      }),
      asks.logsOfTransaction(subject, deedItemsMax),
    ])
    const transaction = transactions.get(subject)
    if (transaction === undefined) return 'not found'
    const deed: Deed = { transaction, transfers, logs }
    const known = await know(deedNeeds(deed))
    const body = isRequestOnly ? summaryRequest(deed, chainId, known) : summaryObject(deed, known)
    return { body }
  },
})

function deedNeeds({ transaction, transfers, logs }: Deed): Needs {
  const needs = new Needs().transactions([transaction]).transfers(transfers).logs(logs)
  for (const { token, spender } of approvalsIn(logs)) needs.token(token).address(spender)
  return needs
}
