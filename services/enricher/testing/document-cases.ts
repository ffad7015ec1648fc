import type { DocumentCase } from './document-case.ts'
import { inlineCases } from './inline-cases.ts'
import { jsonCases, refusedCases } from './json-cases.ts'
import { locatedCases, unlocatedCases } from './located-cases.ts'
import { mediaCases } from './media-cases.ts'
import { shownCases } from './shown-cases.ts'

export const documentCases: readonly DocumentCase[] = [
  ...locatedCases,
  ...unlocatedCases,
  ...inlineCases,
  ...mediaCases,
  ...jsonCases,
  ...refusedCases,
  ...shownCases,
]
