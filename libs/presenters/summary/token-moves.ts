import { zeroAddress } from '../../chain/hex.ts'
import { type Flow, type Flows, isBurned, isMinted } from './flows.ts'
import { joined, type Part, type Reading } from './phrase.ts'

/** Assets that one sentence names. */
const assetsMax = 3

/**
 * What the sender gave and got, without a reason. Nothing is said of what moved between others:
 * a token can claim that any address sent it.
 */
export function moveReadings({ paid, received }: Flows): readonly Reading[] {
  if (paid.length > assetsMax || received.length > assetsMax) return []
  if (received.length === 0) return paid.length === 1 ? paid.flatMap(given) : sentOnly(paid)
  const got = joined(received.map(({ asset }) => asset))
  if (paid.length === 0) {
    return [{ verb: received.every(isMinted) ? 'Minted' : 'Received', parts: got }]
  }
  return [exchangedFor(paid, received)]
}

function exchangedFor(paid: readonly Flow[], received: readonly Flow[]): Reading {
  const verb = received.every(isMinted) && received.some(isNft) ? 'minted' : 'received'
  const gave = joined(
    paid.map(({ asset }) => asset),
    'out_',
  )
  const got = joined(
    received.map(({ asset }) => asset),
    'in_',
  )
  return { verb: 'Sent', parts: [...gave, `and ${verb}`, ...got] }
}

const isNft = ({ asset }: Flow): boolean => asset.kind === 'nfts'

/** Of coins nothing: with a call they are part of it, without one see the transfer of coins. */
function given(flow: Flow): readonly Reading[] {
  const { asset, others } = flow
  if (asset.kind === 'coin') return []
  if (isBurned(flow)) return [{ verb: 'Burned', parts: [{ asset }] }]
  const recipients = others.filter((at) => at !== zeroAddress)
  return [{ verb: 'Transferred', parts: [{ asset }, 'to', ...recipientsPart(recipients)] }]
}

function recipientsPart(recipients: Flow['others']): readonly Part[] {
  const [only, another] = recipients
  if (only === undefined) return []
  if (another === undefined) return [{ address: ['to_address', only] }]
  return [{ text: ['count', `${recipients.length}`] }, 'addresses']
}

const sentOnly = (paid: readonly Flow[]): readonly Reading[] =>
  paid.length === 0 ? [] : [{ verb: 'Sent', parts: joined(paid.map(({ asset }) => asset)) }]
