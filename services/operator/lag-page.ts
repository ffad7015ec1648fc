import { runbooks } from '../../libs/signals/runbooks.ts'
import { columnsOfText } from './columns-of-text.ts'
import type { Lag } from './lag.ts'

/** The same for people. */
export function lagPage({ blocks, groups, dimensions }: Lag): string {
  const { sequence, block, time, ageSeconds } = blocks
  const onChain = columnsOfText(
    ['', 'position', 'block', 'time', 'age s', 'messages behind', 'blocks behind'],
    [
      ['published', sequence, block, moment(time), ageSeconds, null, null],
      ...groups.map((group) => [
        group.group,
        group.position,
        group.block,
        moment(group.time),
        group.ageSeconds,
        group.messagesBehind,
        group.blocksBehind,
      ]),
    ],
  )
  const facts = columnsOfText(
    ['dimensions', 'end', 'read', 'behind'],
    dimensions.topics.map(({ topic, end, read, behind }) => [topic, end, read, behind]),
  )
  const total = `dimensions: rows of ${dimensions.position} facts, ${dimensions.behind} behind`
  return [onChain, ...warning(blocks), facts, total].join('\n\n')
}

function warning({ sequence, end, notCounting }: Lag['blocks']): string[] {
  const [first] = notCounting
  if (first === undefined) {
    return sequence === null && end > 0 ? ['None of the last messages of topic blocks counts.'] : []
  }
  const next = sequence === null ? 'the next' : `message ${sequence + 1}`
  const command = sequence === null ? 'foldscan repair' : `foldscan repair --from ${sequence + 1}`
  return [
    `The log waits for ${next}: ${notCounting.length} of its last messages do not count, the first ` +
      `at offset ${first.offset} is ${first.reason} (${first.detail}).\n` +
      `An ingestor that runs publishes it again; else \`${command}\`. See ${runbooks.stuck}.`,
  ]
}

const moment = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000Z', 'Z')
