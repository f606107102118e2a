import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { storedChunk } from '../../../tests/helpers/stored-chunk.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { PhaseFailure } from './errors.ts'
import { keptFilePath } from './kept-file.ts'
import { openKeptVectors } from './kept-vectors.ts'
import { LeftOutDocuments } from './left-out-documents.ts'
import { embedChunks } from './phases.ts'

let folder: string
let file: string
let embedded: string[]
const { signal } = new AbortController()
const embed = async (texts: string[]): Promise<Float32Array[]> => {
  embedded.push(...texts)
  return texts.map((text) => Float32Array.of(text.length, 0.1))
}

beforeEach(async () => {
  folder = await temporaryFolder('kept-vectors')
  file = keptFilePath(path.join(folder, 'state.sqlite'), 'RagBase_a/b', 'vectors')
  embedded = []
})

it('embeds only texts whose vectors an earlier run of the same model did not make', async () => {
  const first = openKeptVectors(file, 'm', embed)
  const vectors = await first.embed(['one', 'three'], signal)
  first.close()
  const second = openKeptVectors(file, 'm', embed)
  expect(await second.embed(['fourteen', 'three', 'one'], signal)).toEqual([
    Float32Array.of(8, 0.1),
    vectors[1],
    vectors[0],
  ])
  expect([second.reused, embedded]).toEqual([2, ['one', 'three', 'fourteen']])
  second.close()
  const other = openKeptVectors(file, 'another', embed)
  await other.embed(['one'], signal)
  expect([other.reused, embedded.at(-1)]).toEqual([0, 'one'])
  other.remove()
  expect(existsSync(file)).toBe(false)
})

it('embeds without keeping where the file cannot be used, and reports why', async () => {
  mkdirSync(file)
  const kept = openKeptVectors(file, 'm', embed)
  expect(await kept.embed(['one'], signal)).toEqual([Float32Array.of(3, 0.1)])
  expect(kept.problem).toMatch(/^vectors cannot be kept for a later run: .*EISDIR/)
  kept.close()
})

it('begins again where the file is of another version', async () => {
  writeFileSync(file, 'SQLite format 3\0'.repeat(50))
  writeFileSync(`${file}-wal`, 'its log')
  const kept = openKeptVectors(file, 'm', embed)
  await kept.embed(['one'], signal)
  expect([kept.problem, kept.stored('one'), existsSync(`${file}-wal`)]).toEqual([null, Float32Array.of(3, 0.1), false])
  kept.close()
})

describe('a file that a power cut has damaged', () => {
  const texts = ['one', 'three', 'fourteen']
  const RECORD_BYTES = 16 + 8

  beforeEach(async () => {
    const kept = openKeptVectors(file, 'm', embed)
    await kept.embed(texts, signal)
    kept.close()
    embedded = []
  })

  it.each([
    ['ends within a record', () => truncateSync(file, statSync(file).size - 3), ['fourteen']],
    ['ends with zeros', () => appendFileSync(file, Buffer.alloc(5000)), []],
    [
      'has lost a part in its middle',
      () =>
        writeFileSync(
          file,
          readFileSync(file).fill(0, statSync(file).size - 2 * RECORD_BYTES + 17, statSync(file).size - RECORD_BYTES),
        ),
      ['three', 'fourteen'],
    ],
  ])('gives only intact vectors where it %s', async (_, damage, again) => {
    damage()
    const repaired = openKeptVectors(file, 'm', embed)
    expect(await repaired.embed(texts, signal)).toEqual([3, 5, 8].map((size) => Float32Array.of(size, 0.1)))
    expect([repaired.reused, embedded]).toEqual([3 - again.length, again])
    repaired.close()
    const next = openKeptVectors(file, 'm', embed)
    await next.embed(texts, signal)
    expect(next.reused).toBe(3)
    next.close()
  })
})

it('reads more records than one block has', async () => {
  const texts = Array.from({ length: 700 }, (_, at) => `text ${at}`)
  const vectorOf = (text: string) => new Float32Array(768).fill(Number(text.slice(5)))
  const first = openKeptVectors(file, 'm', async (some) => some.map(vectorOf))
  await first.embed(texts, signal)
  first.close()
  const second = openKeptVectors(file, 'm', embed)
  expect(await second.embed(texts, signal)).toEqual(texts.map(vectorOf))
  expect([second.reused, embedded]).toEqual([700, []])
  second.close()
})

it('keeps the records of a run that has taken the lease over from one which still writes', async () => {
  const late = openKeptVectors(file, 'm', embed)
  await late.embed(['one'], signal)
  const next = openKeptVectors(file, 'm', embed)
  await next.embed(['three'], signal)
  await late.embed(['a late one'], signal)
  await next.embed(['fourteen'], signal)
  for (const text of ['one', 'three', 'fourteen'])
    expect(next.stored(text), text).toEqual(Float32Array.of(text.length, 0.1))
  late.close()
  next.close()
})

it('keeps nothing of an answer with too few vectors', async () => {
  const kept = openKeptVectors(file, 'm', async () => [])
  expect(await kept.embed(['one'], signal)).toEqual([])
  kept.close()
  const next = openKeptVectors(file, 'm', embed)
  await next.embed(['one'], signal)
  expect(next.reused).toBe(0)
  next.close()
})

describe('vectors of chunks', () => {
  const chunks = ['one', 'three', 'fourteen'].map((content, chunkIndex) => storedChunk('a.md', content, chunkIndex))
  const count = () => undefined
  const none = new LeftOutDocuments(1)

  it('are read from the file, which has them until the collection is written', async () => {
    const kept = openKeptVectors(file, 'm', embed)
    const {
      result: { vectors: result },
    } = await embedChunks(chunks, kept.embed, kept, none, signal, count)
    expect(Array.from(chunks, (_, at) => result.at(at))).toEqual([3, 5, 8].map((size) => Float32Array.of(size, 0.1)))
    expect([result.length, result.at(3)]).toEqual([3, undefined])
    kept.remove()
    expect(() => result.at(1)).toThrow(PhaseFailure)
  })

  it('let other requests run while they are taken from the file', async () => {
    const many = Array.from({ length: 20_000 }, (_, at) => ({ ...chunks[0]!, indexText: `text ${at}` }))
    const first = openKeptVectors(file, 'm', embed)
    await embedChunks(many, first.embed, first, none, signal, count)
    first.close()
    const second = openKeptVectors(file, 'm', embed)
    let turns = 0
    const everyTurn = (): void => {
      turns += 1
      next = setImmediate(everyTurn)
    }
    let next = setImmediate(everyTurn)
    // Opening the file waits for the disk; what follows does not.
    await second.embed(['text 0'], signal)
    turns = 0
    await embedChunks(many, second.embed, second, none, signal, count)
    clearImmediate(next)
    expect([turns > 3, second.reused]).toEqual([true, 20_001])
    second.close()
  })

  it('are in memory where they cannot be kept', async () => {
    mkdirSync(file)
    const kept = openKeptVectors(file, 'm', embed)
    const {
      result: { vectors: result },
    } = await embedChunks(chunks, kept.embed, kept, none, signal, count)
    expect(result.at(2)).toEqual(Float32Array.of(8, 0.1))
    kept.close()
  })
})
