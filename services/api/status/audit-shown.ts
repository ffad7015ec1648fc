/** What a comparison with the node has found, as the status page shows it. */
export interface AuditShown {
  /** When the last round ended, in ms since 1970; null before. */
  readonly at: number | null
  readonly checked: number
  readonly equal: number
  readonly differing: number
  readonly unknown: number
  readonly rows: readonly AuditedKind[]
  /** The first values that differ. */
  readonly differences: readonly AuditedDifference[]
}

/** Values of one kind, and of tokens of one standard; null for those of no token. */
export interface AuditedKind {
  readonly kind: string
  readonly standard: string | null
  readonly checked: number
  readonly equal: number
  readonly differing: number
  /** Share of the checked ones that are equal, 0 .. 1; null without any. */
  readonly coverage: number | null
}

/** A value that is shown, beside the node's; null where there is none. */
export interface AuditedDifference {
  readonly path: string
  readonly field: string
  readonly block: number
  readonly shown: string | null
  readonly told: string | null
}

const differencesMax = 10
/** Contracts choose how long their texts are. */
const charactersMax = 202

/** What of it is sent: fields that are named here, within bounds. */
export function auditSection(audit: AuditShown): AuditShown {
  const { at, checked, equal, differing, unknown, rows, differences } = audit
  return {
    ...{ at, checked, equal, differing, unknown },
    rows: rows.map((row) => ({
      ...{ kind: row.kind, standard: row.standard, checked: row.checked, equal: row.equal },
      ...{ differing: row.differing, coverage: row.coverage },
    })),
    differences: differences
      .slice(0, differencesMax)
      .map(({ path, field, block, shown, told }) => ({
        ...{ path: cut(path), field: cut(field), block },
        ...{ shown: shown === null ? null : cut(shown), told: told === null ? null : cut(told) },
      })),
  }
}

const cut = (text: string): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1)}…`
