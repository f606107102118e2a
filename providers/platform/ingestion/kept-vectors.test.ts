import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StoredChunk } from '../vector-store/vector-store.ts'
import { PhaseFailure } from './errors.ts'
import { keptVectorsFile, openKeptVectors } from './kept-vectors.ts'
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
  folder = await mkdtemp(path.join(tmpdir(), 'kept-vectors-'))
  file = keptVectorsFile(path.join(folder, 'state.sqlite'), 'RagBase_a/b')
  embedded = []
})
afterEach(() => rm(folder, { recursive: true }))

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
  writeFileSync(file, 'no database, but longer than the header of one: '.repeat(20))
  const kept = openKeptVectors(file, 'm', embed)
  expect(await kept.embed(['one'], signal)).toEqual([Float32Array.of(3, 0.1)])
  expect(kept.problem).toMatch(/^vectors cannot be kept for a later run: .*file is not a database$/)
  kept.close()
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
  const chunks = ['one', 'three', 'fourteen'].map((content, chunkIndex): StoredChunk => ({
    document: 'a.md',
    title: 'A',
    chunkIndex,
    startChar: 0,
    endChar: content.length,
    content,
    indexText: content,
  }))
  const count = () => undefined

  it('are read from the file, which has them until the collection is written', async () => {
    const kept = openKeptVectors(file, 'm', embed)
    const { result } = await embedChunks(chunks, kept.embed, kept, signal, count)
    expect(Array.from(chunks, (_, at) => result.at(at))).toEqual([3, 5, 8].map((size) => Float32Array.of(size, 0.1)))
    expect([result.length, result.at(3)]).toEqual([3, undefined])
    kept.remove()
    expect(() => result.at(1)).toThrow(PhaseFailure)
  })

  it('are in memory where they cannot be kept', async () => {
    writeFileSync(file, 'no database, but longer than the header of one: '.repeat(20))
    const kept = openKeptVectors(file, 'm', embed)
    const { result } = await embedChunks(chunks, kept.embed, kept, signal, count)
    expect(result.at(2)).toEqual(Float32Array.of(8, 0.1))
    kept.close()
  })
})
