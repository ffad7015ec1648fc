import { sinceHoleCondition } from '../reading/query.ts'

/**
 * What a query must not do (`libs/design/reading.md`), read off its text. Without FINAL a
 * row is one version of many: a condition on what is no key would pick an old version.
 */
export function ruleViolations(sql: string, key: readonly string[]): string[] {
  const text = sql.replace(/--.*$/gm, '').replaceAll(`AND ${sinceHoleCondition}`, '')
  const found: string[] = []
  if (/\bFINAL\b/i.test(text)) found.push('uses FINAL')
  // Over a key that lies greatest first, engine 26.7 makes one group of all rows.
  if (/optimize_aggregation_in_order/.test(text)) found.push('aggregates in order')
  if (/'/.test(text)) found.push('pastes a value')
  if (/\([^()]*,[^()]*\)\s*[<>]/.test(text)) found.push('compares tuples')
  if (!/\bLIMIT \{|\bIN\b/.test(text)) found.push('has neither a LIMIT nor a list of keys')
  // Rows of transactions have inputs of any length: the memory of the sort is bounded.
  if (
    /transactions_by\w+[\s\S]*\bBY\b[\s\S]*LIMIT \S+ BY\b/.test(text) &&
    !/max_bytes_to_sort/.test(text)
  ) {
    found.push('sorts any number of bytes')
  }
  for (const [clause, pattern] of clauses) {
    for (const column of namesIn(pattern.exec(text)?.[1] ?? '')) {
      if (!key.includes(column)) found.push(`${clause} names ${column}, which is no key`)
    }
  }
  return found
}

const clauses = [
  ['WHERE', /\b(?:PRE)?WHERE\b([\s\S]*?)(?=\bORDER BY\b|\bLIMIT\b|$)/],
  ['ORDER BY', /\bORDER BY\b([\s\S]*?)(?=\bLIMIT\b|$)/],
  ['LIMIT BY', /\bLIMIT\s+\S+\s+BY\b([\s\S]*?)(?=\bLIMIT\b|\bSETTINGS\b|$)/],
] as const

/** Names of columns; not parameters, functions, keywords, tables or a subquery's names of keys. */
function namesIn(clause: string): string[] {
  const withoutPrefix = clause
    .replace(/\{[^}]*\}/g, ' ')
    .replace(/\bFROM \w+/g, ' ')
    .replace(/\brow\.\d/g, ' ')
  const words = withoutPrefix.matchAll(/[A-Za-z]\w*(?!\w|\s*\()/g)
  return [...words].map(([word]) => word).filter((word) => !/^[A-Z]+$/.test(word) && word !== 'row')
}
