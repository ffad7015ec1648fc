import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Stack, startStack } from '../../deploy/stack/stack.ts'
import { dockerAnswers, startContainerStack } from './container-stack.ts'

/** Real servers for tests, or why there are none. `stop` leaves nothing behind. */
export type TestStack =
  | { readonly form: 'containers' | 'local'; readonly stack: Stack }
  | { readonly form: 'none'; readonly reason: string }

/** STACK_FORM: `containers`, `local`, or what there is, in that order. */
const wanted = () => process.env.STACK_FORM ?? ''

/**
 * Containers if a Docker daemon answers and has the images, else processes of this machine, else
 * none. @throws under CI=true if there is none, and if the wanted form cannot be had
 */
export async function startTestStack(): Promise<TestStack> {
  const form = wanted()
  if (!['', 'containers', 'local'].includes(form)) {
    throw new Error(`STACK_FORM is containers or local, not ${form}`)
  }
  const reasons: string[] = []
  for (const [name, start] of Object.entries(forms)) {
    if (form !== '' && form !== name) continue
    try {
      return await start()
    } catch (error) {
      reasons.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const reason = `no Kafka, ClickHouse and Redis to test with (${reasons.join('; ')})`
  if (form !== '' || process.env.CI === 'true') throw new Error(reason)
  return { form: 'none', reason }
}

const forms: Readonly<Record<'containers' | 'local', () => Promise<TestStack>>> = {
  async containers() {
    if (!(await dockerAnswers())) throw new Error('no Docker daemon answers')
    return { form: 'containers', stack: await startContainerStack() }
  },
  async local() {
    const folder = mkdtempSync(join(tmpdir(), 'foldscan-test-stack-'))
    const remove = () => rmSync(folder, { recursive: true, force: true })
    try {
      const stack = await startStack({ folder })
      const stop = () => stack.stop().finally(remove)
      return { form: 'local', stack: { ...stack, stop } }
    } catch (error) {
      remove()
      throw error
    }
  },
}
