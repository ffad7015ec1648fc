import { zeroAddress } from '../chain/hex.ts'
import { addressObject } from './address.ts'
import type { Deed } from './deed.ts'
import { type Known, standardAt } from './known.ts'
import { type Sentence, shownAmount, text, type Variable } from './summary-sentence.ts'
import { decimalsOf, tokenAt } from './token.ts'
import type { TransferRow } from './transfer.ts'

/** A sentence for each transfer that touches the sender; for all of them if none does. */
export function transferSentences(deed: Deed, known: Known): readonly Sentence[] {
  const sender = deed.transaction.from
  const own = deed.transfers.filter(({ from, to }) => from === sender || to === sender)
  return (own.length > 0 ? own : deed.transfers).map((at) => sentence(at, known))
}

function sentence(row: TransferRow, known: Known): Sentence {
  const what = moved(row, known)
  const template = `{action_type} ${Object.keys(what)
    .map((name) => `{${name}}`)
    .join(' ')}`
  if (row.to === zeroAddress) {
    return {
      summary_template: template,
      summary_template_variables: { action_type: text('Burned'), ...what },
    }
  }
  return {
    summary_template: `${template} to {to_address}`,
    summary_template_variables: {
      action_type: text(row.from === zeroAddress ? 'Minted' : 'Transferred'),
      ...what,
      to_address: { type: 'address', value: addressObject(row.to, known) },
    },
  }
}

/** The amount and token, or the token and its id, in the order in which they are read. */
function moved(row: TransferRow, known: Known): Readonly<Record<string, Variable>> {
  const form = standardAt(row.form)
  const token: Variable = { type: 'token', value: tokenAt(row.token, form, known) }
  const id = row.tokenId === null ? null : text(`#${row.tokenId}`)
  if (form === 'ERC-721' && id !== null) return { token, token_id: id }
  const decimals = Number(decimalsOf(known.token(row.token)) ?? 0)
  const amount = shownAmount(row.value, decimals)
  return id === null ? { amount, token } : { amount, token, token_id: id }
}
