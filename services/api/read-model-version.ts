import { readModels } from '../../libs/read-models/registry.ts'

/** Versions of all read models: pages of another set of tables are other pages. */
export const readModelVersion = readModels.map(({ version }) => version).join('.')
