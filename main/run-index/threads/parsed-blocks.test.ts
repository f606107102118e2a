import { closeSync, openSync, truncateSync } from 'node:fs'
import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { fixtureDataset, goldenRows } from '../../../tests/helpers/report-rows.ts'
import { writeSyntheticRun } from '../../../tests/helpers/synthetic-evidence.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { cellRecord, RowParser } from '../apply/cell-record.ts'
import { BlockReader, linesOf } from './line-blocks.ts'
import {
  blocksAhead,
  blocksHere,
  packRows,
  unpackRows,
  type FileRange,
  type IndexRow,
  type ParsedBlock,
  type ParsedBlocks,
} from './parsed-blocks.ts'
import { INDEX_METRICS } from '../schema.ts'

it('every complete line is returned once, whatever the size of lines and blocks', async () => {
  const path = join(await temporaryFolder(), 'lines')
  const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(3000)), { maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(sizes, fc.nat(50), fc.integer({ min: 1, max: 500 }), async (lengths, torn, blockBytes) => {
      const lines = lengths.map((length, index) => String(index % 10).repeat(length))
      await writeFile(path, lines.map((line) => `${line}\n`).join('') + 'x'.repeat(torn))
      const size = lines.reduce((sum, line) => sum + line.length + 1, torn)
      const fd = openSync(path, 'r')
      const reader = new BlockReader()
      const found: string[] = []
      let from = 0
      let offset = 0
      for (;;) {
        const block = reader.read(fd, { from, to: size }, blockBytes)
        if (block === null) break
        for (const { line, offset: at } of linesOf(block)) {
          expect(at).toBe(offset)
          found.push(line.toString())
          offset += line.length + 1
        }
        from += block.bytes.length
        if (block.isLast) expect(from).toBe(size - torn)
      }
      closeSync(fd)
      expect(found).toEqual(lines)
      expect(from).toBe(size - torn)
    }),
    { numRuns: 60 },
  )
})

const BLOCK = 20_000

/** An open file of 60 rows, gone with the test. */
async function evidence(): Promise<{ file: string; range: (to: number) => FileRange; bytes: number }> {
  const file = join(await temporaryFolder(), 'a.jsonl')
  const run = { runId: 'r', datasetId: 'd', questions: 6, aliases: 10, seed: 3 }
  const bytes = writeSyntheticRun(file, { ...run, answerWords: [2, 70] })
  const fd = openSync(file, 'r')
  onTestFinished(() => closeSync(fd))
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

it('blocks parsed by another thread equal those parsed here, without unfinished lines', async () => {
  const { range, bytes } = await evidence()
  for (const to of [bytes, bytes - 10]) {
    const here = await all(blocksHere(range(to), new RowParser(), BLOCK))
    expect(here.length).toBeGreaterThan(5)
    expect(here.flatMap(({ rows }) => rows)).toHaveLength(to === bytes ? 60 : 59)
    expect(await all(blocksAhead(range(to), BLOCK))).toEqual(here)
  }
})

it('the first invalid line is reported and nothing after it is read', async () => {
  const { file, range, bytes } = await evidence()
  truncateSync(file, bytes - 5)
  await appendFile(file, '\n{"more":1}\n')
  const ahead = await all(blocksAhead(range(bytes + 7), BLOCK))
  expect(ahead).toEqual(await all(blocksHere(range(bytes + 7), new RowParser(), BLOCK)))
  expect(ahead.at(-1)!.damage?.message).toMatch(/checksum|JSON/)
  expect(ahead.flatMap(({ rows }) => rows)).toHaveLength(59)
})

it('equal members of rows are one object, also across threads', async () => {
  const { range, bytes } = await evidence()
  const [{ rows }] = (await all(blocksAhead(range(bytes), 1_000_000))) as [ParsedBlock]
  // By then each alias was seen once.
  expect(rows[19]!.record.question).toBe(rows[18]!.record.question)
  expect(rows[59]!.provenance).toBe(rows[18]!.provenance)
})

it('reading ahead can be stopped at any block', async () => {
  const { range, bytes } = await evidence()
  const blocks = blocksAhead(range(bytes), BLOCK)
  expect((await blocks.next())!.rows.length).toBeGreaterThan(0)
  await blocks.close()
  await expect(blocks.next().then(() => blocks.next())).rejects.toThrow('ended')
})

const row: CanonicalRow = goldenRows(fixtureDataset('alpha', 'Alpha', 1))[0]!
const common = { ...cellRecord(row), question: row.question }
const figure = fc.oneof(fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }))
const text = fc.oneof(fc.constant(null), fc.string({ unit: 'binary' }))

const packable: fc.Arbitrary<IndexRow> = fc.record({
  runId: fc.constantFrom('a', 'b'),
  dataset: fc.constant(row.dataset),
  provenance: fc.constantFrom(row.reproducibility, { ...row.reproducibility }),
  offset: fc.maxSafeNat(),
  length: fc.nat(),
  record: fc.record({
    question: fc.constantFrom(common.question, { ...common.question }),
    alias: fc.constant(common.alias),
    repeat: fc.nat(),
    retry: fc.nat(),
    rowId: fc.string(),
    status: fc.constantFrom('ok', 'error', 'timeout'),
    errorType: text,
    reasons: text,
    evaluation: figure,
    queueMs: figure,
    latencyMs: figure,
    attempts: figure,
    serverSeconds: figure,
    totalTokens: figure,
    answerChars: figure,
    finishedMs: figure,
    searchable: text,
    values: fc.array(figure, {
      minLength: INDEX_METRICS.length,
      maxLength: INDEX_METRICS.length,
    }),
    states: fc.array(fc.nat(6), {
      minLength: INDEX_METRICS.length,
      maxLength: INDEX_METRICS.length,
    }),
    sources: fc.array(
      fc.record({
        title: fc.string(),
        document: text,
        score: figure,
      }),
      { maxLength: 3 },
    ),
  }),
})

it('unpacked rows equal the packed ones and share the same objects', () => {
  fc.assert(
    fc.property(fc.array(packable), (rows) => {
      const there = unpackRows(structuredClone(packRows(rows)))
      expect(there).toEqual(rows)
      for (const [index, { provenance, record }] of rows.entries()) {
        expect(there[index]!.provenance === there[0]!.provenance).toBe(provenance === rows[0]!.provenance)
        expect(there[index]!.record.question === there[0]!.record.question).toBe(
          record.question === rows[0]!.record.question,
        )
      }
    }),
    { numRuns: 40 },
  )
})
