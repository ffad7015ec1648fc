import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

const json = z.record(z.string(), z.unknown())
const fileForm = z.object({ block: json, receipts: z.array(json) })

/** A file of blocks as it lies there; fresh each time, so that tests may spoil it. */
export type BlockFile = z.output<typeof fileForm>

export const consecutiveBlocks = Array.from({ length: 12 }, (_, at) => 17_686_110 + at)
export const singleBlocks = [
  4_369_999, 4_370_006, 11_098_450, 14_000_000, 17_173_049, 17_173_050, 20_000_000, 22_869_878,
]

const texts = new Map<number, string>()

export function mainnetBlock(number: number): BlockFile {
  const text = texts.get(number) ?? textOf(number)
  texts.set(number, text)
  return fileForm.parse(JSON.parse(text))
}

function textOf(number: number): string {
  const folder = consecutiveBlocks.includes(number) ? 'mainnet' : 'mainnet-singles'
  const bytes = readFileSync(new URL(`../${folder}/${number}.json.gz`, import.meta.url))
  return gunzipSync(bytes).toString()
}
