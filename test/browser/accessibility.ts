import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { z } from 'zod'

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const results = z.object({
  violations: z.array(
    z.object({
      id: z.string(),
      impact: z.enum(['minor', 'moderate', 'serious', 'critical']).nullable(),
      help: z.string(),
      nodes: z.array(z.object({ target: z.array(z.unknown()), failureSummary: z.string() })),
    }),
  ),
})

/** Elements shown of a violation. */
const shownMax = 5

/**
 * What axe finds serious or critical in the page as it is now, a line for each rule: its id, and
 * where. @param allowed ids of rules, each with the reason why it is left
 */
export async function seriousViolations(
  page: Page,
  allowed: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  await page.evaluate(axe)
  const { violations } = results.parse(
    await page.evaluate('axe.run({ resultTypes: ["violations"] })'),
  )
  return violations
    .filter(({ id, impact }) => !(id in allowed) && (impact === 'serious' || impact === 'critical'))
    .map(({ id, help, nodes }) => {
      const shown = nodes.slice(0, shownMax)
      const where = shown.map(
        ({ target, failureSummary }) => `${target.join(' ')}: ${failureSummary}`,
      )
      return `${id} (${help}), ${nodes.length} times:\n${where.join('\n')}`
    })
}
