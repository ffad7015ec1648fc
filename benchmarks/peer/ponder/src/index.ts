import { ponder } from 'ponder:registry'
import { balance, transfer } from 'ponder:schema'
import { zeroAddress } from 'viem'

ponder.on('token:Transfer', async ({ event, context }) => {
  const { from, to, value } = event.args
  const token = event.log.address
  const add = (holder: `0x${string}`, amount: bigint) =>
    context.db
      .insert(balance)
      .values({ token, holder, value: amount })
      .onConflictDoUpdate((row) => ({ value: row.value + amount }))
  if (from !== zeroAddress) await add(from, -value)
  await add(to, value)
  await context.db.insert(transfer).values({
    ...{ id: event.id, token, from, to, value },
    block: Number(event.block.number),
    logIndex: event.log.logIndex,
    timestamp: Number(event.block.timestamp),
    transaction: event.transaction.hash,
    position: event.transaction.transactionIndex,
    sender: event.transaction.from,
  })
})
