import { db } from 'ponder:api'
import { balance, transfer } from 'ponder:schema'
import { Hono } from 'hono'
import { desc, eq } from 'ponder'

const pageSize = 50
const app = new Hono()
const keyOf = (text: string) => text as `0x${string}`
const shown = <T extends { value: bigint }>(rows: readonly T[]) =>
  rows.map((row) => ({ ...row, value: row.value.toString() }))

app.get('/addresses/:hash/transactions', async (c) => {
  const rows = await db
    .select()
    .from(transfer)
    .where(eq(transfer.sender, keyOf(c.req.param('hash'))))
    .orderBy(desc(transfer.block), desc(transfer.position))
    .limit(pageSize)
  const last = rows.at(-1)
  const next = last ? { block_number: last.block, index: last.position } : null
  return c.json({ items: shown(rows), next_page_params: next })
})

app.get('/tokens/:hash/transfers', async (c) => {
  const rows = await db
    .select()
    .from(transfer)
    .where(eq(transfer.token, keyOf(c.req.param('hash'))))
    .orderBy(desc(transfer.block), desc(transfer.logIndex))
    .limit(pageSize)
  const last = rows.at(-1)
  const next = last ? { block_number: last.block, index: last.logIndex } : null
  return c.json({ items: shown(rows), next_page_params: next })
})

app.get('/tokens/:hash/holders', async (c) => {
  const rows = await db
    .select()
    .from(balance)
    .where(eq(balance.token, keyOf(c.req.param('hash'))))
    .orderBy(desc(balance.value), desc(balance.holder))
    .limit(pageSize)
  const last = rows.at(-1)
  const next = last ? { value: last.value.toString(), address_hash: last.holder } : null
  return c.json({ items: shown(rows), next_page_params: next })
})

export default app
