import type { Address } from '../../../../libs/chain/hex.ts'
import type { Standard } from '../../../../libs/chain/token.ts'
import { type Finding, judgedValue, type PageLook } from './finding.ts'
import { heldAt, type ShownHolding } from './holdings.ts'
import { logsOf, type NodeLog, type NodeTransaction } from './node-transaction.ts'
import { type ShownToken, type ShownTransfer, shownTransfers } from './shown-bodies.ts'
import { type LogTransfer, transfersOfLog } from './transfers-of-log.ts'
import {
  lookAt,
  requireBlock,
  type ShownPage,
  shownPage,
  type Witnesses,
  wholeList,
} from './witnesses.ts'

/** A transfer by a log of the node. */
export interface NodeTransfer extends LogTransfer {
  readonly token: Address
  readonly logIndex: number
}

/** Logs whose ids all count: beside more of them in one block some may not (decision 62). */
const consecutiveIdsMax = 1_000

/** Null where it depends on other logs of the block what is a transfer. */
export function transfersIn(
  logs: readonly NodeLog[],
  { coinEmitters }: Pick<Witnesses, 'coinEmitters'>,
): readonly NodeTransfer[] | null {
  const transfers: NodeTransfer[] = []
  let ids = 0
  for (const log of logs) {
    if (coinEmitters.has(log.address)) continue
    for (const transfer of transfersOfLog(log)) {
      // Thousands of logs may have thousands of ids each.
      if (transfer.isOfRange === true && ++ids > consecutiveIdsMax) return null
      transfers.push({ ...transfer, token: log.address, logIndex: log.index })
    }
  }
  return transfers
}

/** Pages of the transfers of one transaction. */
const pagesMax = 10

/** The transfers of a transaction: those of its logs, and no others. */
export function checkTransfers(witnesses: Witnesses, told: NodeTransaction): Promise<PageLook> {
  const path = `/api/v2/transactions/${told.transaction.hash}/token-transfers`
  return lookAt(path, async () => {
    const transfers = transfersIn(logsOf(told), witnesses)
    if (transfers === null) return []
    const list = await wholeList(witnesses.api, { path, schema: shownTransfers, pagesMax })
    if (list === null) return []
    await requireBlock(witnesses, list, told.block)
    return transferFindings(list, list.items, transfers)
  })
}

interface TransfersOfBlock {
  readonly block: NodeTransaction['block']
  /** Of the token, all of that block. */
  readonly transfers: readonly NodeTransfer[]
}

/** Transfers of a token and a block that fit into one page, with one more after them. */
export const tokenTransfersMax = 99

/** The transfers of a token in one block, and who owns their ids now. */
export function checkTransfersOfToken(
  witnesses: Witnesses,
  token: Address,
  { block, transfers }: TransfersOfBlock,
): Promise<PageLook> {
  const path = `/api/v2/tokens/${token}/transfers`
  return lookAt(path, async () => {
    const query = {
      block_number: `${block.number}`,
      index: `${Math.max(...transfers.map(({ logIndex }) => logIndex)) + 1}`,
      items_count: `${transfers.length + 1}`,
    }
    const page = await shownPage(witnesses.api, { path, query, schema: shownTransfers })
    await requireBlock(witnesses, page, block)
    const items = (page.body?.items ?? []).filter((item) => item.block_number === block.number)
    return [
      ...transferFindings(page, items, transfers),
      ...(await heldAt(witnesses.node, page, ownersIn(items))),
    ]
  })
}

/** Each transfer as a whole is a value. */
function transferFindings(
  { path, block }: ShownPage<unknown>,
  shown: readonly ShownTransfer[],
  told: readonly NodeTransfer[],
): readonly Finding[] {
  const tokens = new Map(shown.map(({ token }) => [token.address_hash, token]))
  const texts = new Map(shown.map((one) => [shownName(one), `${one.total.value}`]))
  const expected = new Map(
    told
      .map((transfer) => readBy(tokens.get(transfer.token), transfer))
      .map((one) => [nameOf(one), one]),
  )
  const standardOf = (name: string): Standard | null => {
    const transfer = expected.get(name)
    const [, token] = name.split(' ')
    const found = [...tokens.values()].find(({ address_hash }) => address_hash === token)
    return found?.type ?? (transfer === undefined ? null : transfer.form)
  }
  return [...new Set([...expected.keys(), ...texts.keys()])].map((name) => ({
    ...{ kind: 'transfers', standard: standardOf(name), path, field: name, block },
    ...judgedValue(texts.get(name) ?? null, expected.get(name)?.value.toString() ?? 'no transfer', {
      isPromised: true,
    }),
  }))
}

const nameOf = (one: Pick<NodeTransfer, 'logIndex' | 'token' | 'from' | 'to' | 'tokenId'>) =>
  [
    `${one.logIndex}:`,
    ...[one.token, one.from, 'to', one.to],
    ...(one.tokenId === null ? [] : ['id', one.tokenId]),
  ].join(' ')

const shownName = ({ log_index, token, from, to, total }: ShownTransfer): string =>
  nameOf({
    ...{ logIndex: log_index, token: token.address_hash, from: from.hash, to: to.hash },
    tokenId: total.token_id ?? null,
  })

/** As the token's standard reads the form of its log (decision 61). */
function readBy(token: ShownToken | undefined, transfer: NodeTransfer): NodeTransfer {
  const { form, value, tokenId } = transfer
  if (token?.type === 'ERC-721' && form === 'ERC-20') {
    return { ...transfer, form: 'ERC-721', tokenId: value, value: 1n }
  }
  const isAmount = token?.type === 'ERC-20' && Number(token.decimals ?? 0) > 0
  if (isAmount && form === 'ERC-721' && transfer.isOfRange !== true) {
    return { ...transfer, form: 'ERC-20', tokenId: null, value: tokenId ?? value }
  }
  return transfer
}

/** Owners that transfers show with their ids, each once. */
function ownersIn(shown: readonly ShownTransfer[]): readonly ShownHolding[] {
  const owners = new Map<string, ShownHolding>()
  for (const { token, total } of shown) {
    const owner = total.token_instance?.owner ?? null
    if (owner === null || total.token_id == null) continue
    const field = `owner of id ${total.token_id}`
    owners.set(field, {
      ...{ kind: 'owners', field, token: token.address_hash, standard: token.type },
      // Shown only of ids of which somebody has exactly one.
      ...{ holder: owner.hash, tokenId: total.token_id, value: 1n, isComplete: false },
    })
  }
  return [...owners.values()]
}
