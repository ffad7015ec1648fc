import type { Sentence } from '../summary/phrase.ts'

/** A sentence as a client shows it: coins as `COIN`, tokens by symbol, addresses by name. */
export const rendered = ({ summary_template, summary_template_variables }: Sentence): string =>
  summary_template.replaceAll(/\{(\w+)\}/g, (placeholder, name) => {
    if (name === 'native') return 'COIN'
    const variable = summary_template_variables[name]
    if (variable === undefined) return placeholder
    switch (variable.type) {
      case 'token':
        return variable.value.symbol ?? short(variable.value.address_hash)
      case 'address':
        return variable.value.metadata?.name ?? short(variable.value.hash)
      case 'dexTag':
        return variable.value.name
      default:
        return variable.value
    }
  })

const short = (hash: string): string => `${hash.slice(0, 6)}..${hash.slice(-4)}`.toLowerCase()
