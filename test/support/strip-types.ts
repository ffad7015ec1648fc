const module = new URL('../../services/cli/strip-types.mjs', import.meta.url)

/** Words for Node, before the program: runs TypeScript as `foldscan` does. */
export const stripTypes = ['--import', module.href]
