import { expect, test } from 'vitest'
import { memoryEventLog } from '../../../libs/ports/testing/memory-event-log.ts'
import { silentLog } from '../../../libs/signals/log.ts'
import { StartupError } from '../../../libs/signals/startup-error.ts'
import { startComponents } from '../process/run-until-stopped.ts'
import { logWithChainCheck } from './chain-check.ts'
import { Health } from './health.ts'

const opened = () => ({
  log: silentLog,
  health: new Health(),
  signal: new AbortController().signal,
  components: startComponents(),
})
const one = { messagesMax: 10, bytesMax: 1_000 }
const value = Buffer.from('{}')

test('a log whose first block is of another chain is refused', async () => {
  const eventLog = memoryEventLog()
  await eventLog.append('blocks', [{ key: '5', value }])
  await expect(logWithChainCheck(opened(), eventLog, 7)).rejects.toThrow(StartupError)
  await expect(logWithChainCheck(opened(), eventLog, 5)).resolves.toBe(eventLog)
})

test('a log without blocks is judged by the first that comes, whatever topic is read', async () => {
  const eventLog = memoryEventLog()
  const context = opened()
  const judged = await logWithChainCheck(context, eventLog, 7)
  await eventLog.append('changes', [{ key: 'ledger', value }])
  expect(await judged.read('changes', 0, one)).toHaveLength(1)
  await eventLog.append('blocks', [{ key: '5', value }])
  await expect(judged.read('changes', 0, one)).rejects.toThrow('holds chain 5, the tables are of')
  // An api reads on after every trouble: the service has to end.
  await expect(context.components.failed).rejects.toThrow(StartupError)
})

test('a log of the right chain is read as before once its first block has come', async () => {
  const eventLog = memoryEventLog()
  const judged = await logWithChainCheck(opened(), eventLog, 7)
  await eventLog.append('blocks', [{ key: '7', value }])
  expect(await judged.read('blocks', 0, one)).toHaveLength(1)
  await eventLog.append('blocks', [{ key: '7', value }])
  expect(await judged.read('blocks', 1, one)).toHaveLength(1)
})
