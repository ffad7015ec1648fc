import { createTable } from '../tables/ddl.ts'
import { storePage } from '../tables/store-page.ts'
import { readModels } from './registry.ts'

/** `libs/tables/STORE.md` as it must be now. */
export const printStore = (): string => storePage(readModels)

/** Statements that make every table as it is declared now: the text of a first migration. */
export const printTables = (): string =>
  readModels.map(({ table }) => `${createTable(table)};\n`).join('\n')
