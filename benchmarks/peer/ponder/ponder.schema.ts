import { index, onchainTable, primaryKey } from 'ponder'

/** What an account holds of a token. */
export const balance = onchainTable(
  'balance',
  (t) => ({
    token: t.hex().notNull(),
    holder: t.hex().notNull(),
    value: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.token, table.holder] }),
    // Ponder sorts with NULLS LAST unless an index says so: then it is not used.
    ranked: index().on(
      table.token,
      table.value.desc().nullsFirst(),
      table.holder.desc().nullsFirst(),
    ),
  }),
)

/** A transfer with what its page shows of its transaction, so that a page is one range. */
export const transfer = onchainTable(
  'transfer',
  (t) => ({
    id: t.text().primaryKey(),
    token: t.hex().notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    value: t.bigint().notNull(),
    block: t.integer().notNull(),
    logIndex: t.integer().notNull(),
    timestamp: t.integer().notNull(),
    transaction: t.hex().notNull(),
    position: t.integer().notNull(),
    sender: t.hex().notNull(),
  }),
  (table) => ({
    sent: index().on(
      table.sender,
      table.block.desc().nullsFirst(),
      table.position.desc().nullsFirst(),
    ),
    moved: index().on(
      table.token,
      table.block.desc().nullsFirst(),
      table.logIndex.desc().nullsFirst(),
    ),
  }),
)
