import { closeSync, openSync, truncateSync } from 'node:fs'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { writeSyntheticRun } from '../../tests/helpers/synthetic-evidence.ts'
import { blocksAhead, blocksHere, type FileRange, type ParsedBlock, type ParsedBlocks } from './parsed-blocks.ts'
import { RowParser } from './row-parser.ts'

const BLOCK = 20_000

/** An open file of 60 rows, gone with the test. */
async function evidence(): Promise<{ file: string; range: (to: number) => FileRange; bytes: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'parsed-blocks-'))
  const file = join(folder, 'a.jsonl')
  const run = { runId: 'r', datasetId: 'd', questions: 6, aliases: 10, seed: 3 }
  const bytes = writeSyntheticRun(file, { ...run, answerWords: [2, 70] })
  const fd = openSync(file, 'r')
  onTestFinished(async () => {
    closeSync(fd)
    await rm(folder, { recursive: true })
  })
  return { file, bytes, range: (to) => ({ fd, from: 0, to }) }
}

async function all(blocks: ParsedBlocks): Promise<ParsedBlock[]> {
  const found: ParsedBlock[] = []
  // Copied: a block is valid until the next.
  for (let block = await blocks.next(); block !== null; block = await blocks.next())
    found.push(structuredClone({ ...block, bytes: Buffer.from(block.bytes) }))
  await blocks.close()
  return found.map((block) => ({ ...block, bytes: Buffer.from(block.bytes) }))
}

it('reads ahead in another thread what this one would read, unfinished lines left out', async () => {
  const { range, bytes } = await evidence()
  for (const to of [bytes, bytes - 10]) {
    const here = await all(blocksHere(range(to), new RowParser(), BLOCK))
    expect(here.length).toBeGreaterThan(5)
    expect(here.flatMap(({ rows }) => rows)).toHaveLength(to === bytes ? 60 : 59)
    expect(await all(blocksAhead(range(to), BLOCK))).toEqual(here)
  }
})

it('tells of the first line that cannot be used, and reads nothing behind it', async () => {
  const { file, range, bytes } = await evidence()
  truncateSync(file, bytes - 5)
  await appendFile(file, '\n{"more":1}\n')
  const ahead = await all(blocksAhead(range(bytes + 7), BLOCK))
  expect(ahead).toEqual(await all(blocksHere(range(bytes + 7), new RowParser(), BLOCK)))
  expect(ahead.at(-1)!.damage?.message).toMatch(/checksum|JSON/)
  expect(ahead.flatMap(({ rows }) => rows)).toHaveLength(59)
})

it('shares what rows have in common, over the thread too', async () => {
  const { range, bytes } = await evidence()
  const [{ rows }] = (await all(blocksAhead(range(bytes), 1_000_000))) as [ParsedBlock]
  // By then each alias was seen once.
  expect(rows[19]!.record.question).toBe(rows[18]!.record.question)
  expect(rows[59]!.provenance).toBe(rows[18]!.provenance)
})

it('can be left in the middle', async () => {
  const { range, bytes } = await evidence()
  const blocks = blocksAhead(range(bytes), BLOCK)
  expect((await blocks.next())!.rows.length).toBeGreaterThan(0)
  await blocks.close()
  await expect(blocks.next().then(() => blocks.next())).rejects.toThrow('ended')
})
