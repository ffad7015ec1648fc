import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { runbooks } from '../../signals/runbooks.ts'
import { damagedTables, EngineFailure, engineFailure, portWasTaken } from './query-engine.ts'

test('a list of damaged tables that is cut does not mean that none is', async () => {
  let row = ''
  const server = createServer((_, response) => {
    response.setHeader('X-ClickHouse-Summary', '{"result_rows":"1"}')
    response.end(row)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const engine = { url: `http://127.0.0.1:${port}`, username: 'any', password: 'any' }
  try {
    for (row of ['', 'balances']) {
      await expect(damagedTables(engine)).rejects.toBeInstanceOf(EngineFailure)
    }
    row = 'balances, holders\n'
    expect(await damagedTables(engine)).toBe('balances, holders')
    row = '\n'
    expect(await damagedTables(engine)).toBe('')
  } finally {
    server.close()
  }
})

const inFolder = '/var/lib/foldscan'

describe('the last words of an engine', () => {
  it.each([
    [
      'Code: 76. DB::Exception: Cannot lock file /x/status. Another server instance in same directory is already running. (CANNOT_OPEN_FILE)',
      `another engine is using the folder ${inFolder}; stop it first`,
    ],
    [
      'std::exception. Code: 1001, e.what() = filesystem error: in create_directories: No space left on device ["/x/store"]',
      `the disk of ${inFolder} is full; free some space and start again`,
    ],
    [
      'Error: ENOSPC: no space left on device, write',
      `the disk of ${inFolder} is full; free some space and start again`,
    ],
    [
      "Error: EACCES: permission denied, mkdir '/x'",
      `the engine may not write to the folder ${inFolder}`,
    ],
    [
      'Code: 394. DB::Exception: Query was cancelled. (QUERY_WAS_CANCELLED)',
      'the engine was stopped',
    ],
    [
      'Code: 62. DB::Exception: Syntax error\n  (in file metadata/x.sql). (SYNTAX_ERROR)',
      `the engine cannot open the folder ${inFolder}, which may be damaged: Syntax error (in file metadata/x.sql). (SYNTAX_ERROR); see ${runbooks.corruptFolder}`,
    ],
  ])('%s become one sentence', (spoken, sentence) => {
    expect(engineFailure(inFolder, spoken)).toBe(sentence)
  })

  it('are not needed: the signal that ended it is reported', () => {
    expect(engineFailure(inFolder, '', 'SIGKILL')).toBe(
      `the engine on ${inFolder} ended without output (SIGKILL)`,
    )
  })

  it('distinguish a lost race for a port from other failures', () => {
    expect(portWasTaken('e.code() = 98, Net Exception: Address already in use: 127.0.0.1:1')).toBe(
      true,
    )
    expect(portWasTaken('Cannot lock file')).toBe(false)
  })
})
