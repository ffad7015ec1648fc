import { describe, expect, it, test } from 'vitest'
import {
  clientOptions,
  fixedBounds,
  querySettings,
  quorumSettings,
  resultLimitSettings,
  withoutFixedSettings,
} from './clickhouse-options.ts'

const limits = { queryTimeoutMs: 2_500, queryMemoryMaxBytes: 1_000 }
const sql = 'SELECT a\nFROM t\nSETTINGS max_block_size = 1024, optimize_x = 1\n'

describe('settings of questions', () => {
  it('are all ours where nobody has asked the server', () => {
    expect(querySettings(limits)).toEqual({
      wait_end_of_query: 1,
      buffer_size: '4194304',
      readonly: '2',
      max_threads: 1,
      output_format_parallel_formatting: 0,
      log_queries: 0,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: 2.5,
      max_memory_usage: '1000',
      use_query_condition_cache: 0,
    })
  })

  it('are only those that the server leaves to us, once it was asked', () => {
    const servingNames = ['max_execution_time', 'max_block_size']
    expect(querySettings({ ...limits, changeableSettings: servingNames })).toEqual({
      wait_end_of_query: 1,
      buffer_size: '4194304',
      max_execution_time: 2.5,
    })
  })
})

describe('the bound of a result', () => {
  it('is sent where the server leaves it to us', () => {
    expect(resultLimitSettings(5, undefined)).toEqual({ max_result_bytes: '5' })
    expect(resultLimitSettings(5, ['max_result_bytes'])).toEqual({ max_result_bytes: '5' })
    expect(resultLimitSettings(5, ['max_threads'])).toEqual({})
    expect(resultLimitSettings(undefined, undefined)).toEqual({})
  })
})

describe('a statement', () => {
  it('stands as it is where nobody has asked the server', () => {
    expect(withoutFixedSettings(sql, undefined)).toBe(sql)
  })

  it('loses those of its own settings that are not left to us', () => {
    expect(withoutFixedSettings(sql, ['max_block_size'])).toBe(
      'SELECT a\nFROM t\nSETTINGS max_block_size = 1024',
    )
    expect(withoutFixedSettings(sql, [])).toBe('SELECT a\nFROM t')
    expect(withoutFixedSettings('SELECT a', [])).toBe('SELECT a')
  })
})

test('a shared query needs the bound on rows and that on memory for sorting', () => {
  const [rows, memory] = ['max_rows_to_read', 'max_bytes_to_sort']
  expect(fixedBounds(undefined)).toEqual([])
  expect(fixedBounds([rows, memory, 'max_threads'])).toEqual([])
  expect(fixedBounds([rows])).toEqual([memory])
  expect(fixedBounds([memory])).toEqual([rows])
  expect(fixedBounds([])).toEqual([rows, memory])
})

test.each([1, 120_000])(
  'a server gives up a quorum before its client does (%s ms)',
  (timeoutMs) => {
    const client = clientOptions({ url: 'http://127.0.0.1:1', database: 'd' }, timeoutMs)
    const quorumMs = Number(quorumSettings(timeoutMs).insert_quorum_timeout)
    expect(quorumMs).toBeGreaterThan(0)
    expect(quorumMs).toBeLessThan(client.request_timeout)
  },
)
