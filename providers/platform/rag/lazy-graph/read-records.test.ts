import { readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chunksOf, type Documents } from '../../../../tests/helpers/rag-fixture.ts'
import { buildConceptIndex, indexOfRecords } from './build-index.ts'
import type { ChunkRecords } from './chunk-records.ts'
import { readRecords } from './read-records.ts'
import { readRecordsFile, writeRecordsFile } from './records-file.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

/** Few words, many of them with and without a capital: what counts as a name changes with the corpus. */
const word = fc.constantFrom(
  'heron',
  'Heron',
  'marrack',
  'Marrack',
  'Tarnwick',
  'tarnwick',
  'salt',
  'salts',
  'E-4417',
  'the',
  'Über',
  '守護',
)
const paragraph = fc
  .array(word, { minLength: 1, maxLength: 12 })
  .map((words) => `${words.join(' ')}. ${words.toReversed().join(' ')}.`)
const document = fc.record({
  title: fc.constantFrom('Grey Heron', 'salt', 'People of Tarnwick', 'grey-heron.md'),
  paragraphs: fc.array(paragraph, { minLength: 1, maxLength: 4 }),
})
const name = fc.constantFrom('a.md', 'b.md', 'c.md', 'd.md')
/** A document that is written or removed (null). */
const change = fc.tuple(name, fc.option(document))

const sorted = (documents: Documents): Documents =>
  Object.fromEntries(Object.entries(documents).sort(([left], [right]) => (left < right ? -1 : 1)))

describe('records of chunks', () => {
  it('give the same index after any changes as when everything is read again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
        let documents: Documents = {}
        let records: ChunkRecords | null = null
        for (const [path, written] of changes) {
          const { [path]: _, ...others } = documents
          documents = sorted(written === null ? others : { ...others, [path]: written })
          const chunks = chunksOf(documents)
          records = await readRecords(chunks, records)
          const followed = await indexOfRecords(await readRecords(chunks, records), 3, 'f')
          expect(followed).toEqual(await buildConceptIndex(chunks, 3, 'f'))
        }
      }),
      { numRuns: 10 },
    )
  })

  it('are read for the chunks that changed, and for those with a word that has become a name', async () => {
    const documents: Documents = {
      'a.md': { title: 'One', paragraphs: ['The grey Heron was lost.', 'Nobody saw it.'] },
      'b.md': { title: 'Two', paragraphs: ['A heron flew past.', 'Salt was carried.'] },
    }
    const before = await readRecords(chunksOf(documents), null)
    expect(before.chunksRead).toBe(4)
    expect((await readRecords(chunksOf(documents), before)).chunksRead).toBe(0)
    const other = { ...documents, 'b.md': { title: 'Two', paragraphs: ['A heron flew past.', 'Salt was lost.'] } }
    expect((await readRecords(chunksOf(other), before)).chunksRead).toBe(1)
    // "Heron" is a name now, because no text has it without a capital.
    const after = { ...documents, 'b.md': { title: 'Two', paragraphs: ['It flew past.', 'Salt was carried.'] } }
    expect((await readRecords(chunksOf(after), before)).chunksRead).toBe(2)
  })

  it('are the same when they come from their file, which counts as missing when its bytes were changed', async () => {
    const file = join(await temporaryFolder(), 'records')
    expect(await readRecordsFile(file)).toBeNull()
    const chunks = chunksOf({
      'a.md': { title: 'Grey Heron', paragraphs: ['Über den Heron E-4417.', '守護 of Tarnwick.'] },
    })
    const made = await readRecords(chunks, null)
    await writeRecordsFile(file, made)
    const followed = await readRecords(chunks, await readRecordsFile(file))
    expect(followed.chunksRead).toBe(0)
    expect(await indexOfRecords(followed, 24, 'f')).toEqual(await indexOfRecords(made, 24, 'f'))
    const bytes = await readFile(file)
    for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 6]) {
      const changed = Uint8Array.from(bytes)
      changed[at]! ^= 1
      await writeFile(file, changed)
      expect(await readRecordsFile(file)).toBeNull()
    }
    await writeFile(file, bytes)
    await truncate(file, bytes.length - 4)
    expect(await readRecordsFile(file)).toBeNull()
  })
})
