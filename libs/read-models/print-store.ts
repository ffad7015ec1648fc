import { storePage } from '../tables/store-page.ts'
import { readModels } from './registry.ts'

/** `libs/tables/STORE.md` as it must be now. */
export const printStore = (): string => storePage(readModels)
