import { type Address, withoutPrefix, zeroAddress } from '../chain/hex.ts'
import { addressType } from '../tables/declare/columns.ts'
import { groupId } from '../tables/declare/group-versions.ts'
import { readRows } from '../tables/declare/read-rows.ts'
import type { AnnouncedTable } from '../tables/declare/table.ts'
import { contractAbis } from '../tables/tables/abis.ts'
import { addressLabels, addressState } from '../tables/tables/addresses.ts'
import { tokenMarket } from '../tables/tables/tokens.ts'
import { type Question, question } from './reading/question.ts'

interface SubjectsOptions {
  /** The last address of the previous read; null: from the start. */
  readonly after: Address | null
  readonly limit: number
}

/** Reads the addresses that a table has rows of, ascending, those of deleted rows included. */
export type SubjectsQuestion = Question<SubjectsOptions, readonly Address[]>

interface TableOfAddresses<N extends string> extends AnnouncedTable {
  readonly stored: string
  readonly key: { readonly [Name in N]: typeof addressType }
}

const subjectsOf = <N extends string>(table: TableOfAddresses<N>, column: N): SubjectsQuestion => {
  // Names of a declared table: all values are parameters.
  const sql = `SELECT DISTINCT "${column}" FROM ${table.stored}
WHERE "${column}" > toFixedString(unhex({after:String}), 20)
  OR ({isFirst:UInt8} = 1 AND "${column}" = toFixedString(unhex({after:String}), 20))
ORDER BY "${column}" LIMIT {limit:UInt64}`
  return question({
    table,
    subjects: () => [],
    async read(store, { after, limit }): Promise<readonly Address[]> {
      const isFirst = after === null ? 1 : 0
      const parameters = { after: withoutPrefix(after ?? zeroAddress), limit, isFirst }
      return await readRows(
        store,
        { sql, parameters, group: groupId(table.group) },
        addressType.read,
      )
    },
  })
}

export const addressStateSubjects = subjectsOf(addressState, 'address')
export const addressLabelSubjects = subjectsOf(addressLabels, 'address')
export const contractAbiSubjects = subjectsOf(contractAbis, 'address')
export const tokenMarketSubjects = subjectsOf(tokenMarket, 'token')
