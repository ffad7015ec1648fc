/**
 * The boundaries where types are made out of bytes, text, or the compiler's ignorance: the only
 * files that may cast. Each says why. A file that casts no more must leave the list.
 */
export const allowedCasts: Readonly<Record<string, string>> = {
  'libs/signals/metrics.ts': 'makes the instrument of each row; its type comes from the row',
  'libs/settings/read-settings.ts': 'gathers parsed values by key; the type comes from the command',
  'libs/tables/declare/table.ts':
    'walks columns without their names, and forgets the row type of a table in one place',
  'services/projector/volume/group-state.ts':
    'keeps entities of all types by their tags, which tell their types',
  'services/projector/testing/memory-store.ts': 'a double that compares rows of any table',
  'services/projector/testing/toy-group.ts': 'a toy whose values have one type',
}
