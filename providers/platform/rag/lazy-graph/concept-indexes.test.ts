import { readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { fakeModelHost } from '../../../../tests/helpers/fake-model-host.ts'
import { chunksOf, ingest, testStore, WORLD } from '../../../../tests/helpers/rag-fixture.ts'
import type { ConceptIndex } from './concept-index.ts'
import { createConceptIndexes } from './concept-indexes.ts'
import { readIndexFile, writeIndexFile } from './index-file.ts'
import { createStemHolders } from './stem-holders.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

async function world() {
  const folder = await temporaryFolder()
  const store = await testStore(folder)
  await ingest(store, fakeModelHost(), 'smoke', chunksOf(WORLD))
  const cache = join(folder, 'concepts')
  const file = join(cache, 'RagBase_smoke-concepts-24.json')
  const load = async (indexes = createConceptIndexes(store, cache)) =>
    indexes.load((await store.info('RagBase_smoke'))!, 24)
  return { store, cache, file, load }
}

const stored = (index: ConceptIndex) => ({
  ...index,
  concepts: [...index.concepts],
  singles: [...index.singles],
  chunks: [...index.chunks],
  terms: [...index.terms],
})

describe('concept indexes', () => {
  it('are built once, kept in memory, and read from their file by the next process', async () => {
    const { store, cache, file, load } = await world()
    const indexes = createConceptIndexes(store, cache)
    const [first, second] = await Promise.all([load(indexes), load(indexes)])
    expect([first.cacheHit, second.cacheHit]).toEqual([false, true])
    expect(second.graph).toBe(first.graph)
    const next = await load()
    expect(next).toMatchObject({ cacheHit: true, namespace: 'RagBase_smoke-concepts-24' })
    expect(next.graph.index).toEqual(first.graph.index)
    expect(await readdir(cache)).toEqual(['RagBase_smoke-chunks.gz', 'RagBase_smoke-concepts-24.json'])
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
      ...stored(first.graph.index),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('are built when the vectors of the collection are released, and later loads leave those alone', async () => {
    const { store, cache, load } = await world()
    const indexes = createConceptIndexes(store, cache)
    const released = vi.spyOn(store, 'releaseVectors')
    const read = vi.spyOn(store, 'chunks')
    await load(indexes)
    await load(indexes)
    expect(released.mock.calls).toEqual([['RagBase_smoke']])
    expect(released.mock.invocationCallOrder[0]).toBeLessThan(read.mock.invocationCallOrder[0]!)
  })

  it('are rebuilt when the content changes, in the same file', async () => {
    const { store, cache, load } = await world()
    const indexes = createConceptIndexes(store, cache)
    const before = await load(indexes)
    const changed = chunksOf({ ...WORLD, 'new.md': { title: 'New', paragraphs: ['Ysolde Marrack wrote a book.'] } })
    await ingest(store, fakeModelHost(), 'smoke', changed, 'digest-2')
    const after = await load(indexes)
    expect(after.cacheHit).toBe(false)
    expect(after.graph.chunks).toHaveLength(8)
    expect(after.graph.index.fingerprint).not.toBe(before.graph.index.fingerprint)
    expect(await readdir(cache)).toHaveLength(2)
  })

  it('are prepared before a change, and questions use those of the present chunks until it is made', async () => {
    const { store, cache, load } = await world()
    const indexes = createConceptIndexes(store, cache)
    const before = await load(indexes)
    const changed = chunksOf({ ...WORLD, 'new.md': { title: 'New', paragraphs: ['Ysolde Marrack wrote a book.'] } })
    const read = vi.spyOn(store, 'chunks')
    await indexes.prepare('RagBase_smoke', 'digest-2', changed.toReversed())
    expect((await load(indexes)).graph).toBe(before.graph)
    const info = (await store.info('RagBase_smoke'))!
    await ingest(store, fakeModelHost(), 'smoke', changed, 'digest-2')
    const after = await load(indexes)
    expect(after.cacheHit).toBe(true)
    expect(after.derivation.input).not.toBe(before.derivation.input)
    // A question that looked at the collection right before the change.
    expect((await indexes.load(info, 24)).graph).toBe(after.graph)
    expect(read).not.toHaveBeenCalled()
    const scratch = await createConceptIndexes(store, join(cache, 'other')).load(
      (await store.info('RagBase_smoke'))!,
      24,
    )
    expect(after.graph.index).toEqual(scratch.graph.index)
    expect([...after.graph.chunks]).toEqual([...scratch.graph.chunks])
  })

  it('that no question has loaded are not prepared', async () => {
    const { store, cache } = await world()
    await createConceptIndexes(store, cache).prepare('RagBase_smoke', 'digest-2', chunksOf(WORLD))
    await expect(readdir(cache)).rejects.toThrow('ENOENT')
  })

  it('are built again when the content returns to what it was before the last change', async () => {
    const { store, cache, load } = await world()
    const indexes = createConceptIndexes(store, cache)
    const before = await load(indexes)
    const other = chunksOf({ 'new.md': { title: 'New', paragraphs: ['Ysolde Marrack wrote a book.'] } })
    await ingest(store, fakeModelHost(), 'smoke', other, 'digest-2')
    expect((await load(indexes)).graph.chunks).toHaveLength(1)
    await ingest(store, fakeModelHost(), 'smoke', chunksOf(WORLD))
    expect((await load(indexes)).graph.index).toEqual(before.graph.index)
  })

  type Spoil = (file: string, index: ConceptIndex) => Promise<void>
  const replaced =
    (from: string, to: string): Spoil =>
    async (file) =>
      writeFile(file, (await readFile(file, 'utf8')).replace(from, to))
  const spoiled: Record<string, Spoil> = {
    'with an item that is none': replaced(',"chunks":[\n[', ',"chunks":[\n[[0,["x"]],'),
    'with a part of another name': replaced(',"chunks":[', ',"pieces":['),
    'with a part that does not end': replaced('\n],"digest"', '\n,"digest"'),
    'with a changed word': replaced('marrack', 'morrack'),
    'torn in the middle': async (file) => truncate(file, Math.floor((await readFile(file)).length / 2)),
    empty: (file) => writeFile(file, ''),
    'a list': (file) => writeFile(file, '[]'),
    'of another shape': (file, index) => writeFile(file, JSON.stringify({ ...stored(index), chunks: [[[0, ['x']]]] })),
  }

  // A test each: one index after the other takes longer than the limit of a test where the whole suite runs beside it.
  it.each(Object.entries(spoiled))('are rebuilt from a file that is %s', async (_, spoil) => {
    const { file, load } = await world()
    const { index } = (await load()).graph
    await spoil(file, index)
    const loaded = await load()
    expect(loaded.cacheHit).toBe(false)
    expect(loaded.graph.index).toEqual(index)
    expect(await readIndexFile(file, index.fingerprint)).toEqual(index)
  })

  it('are written and read some items at a time, however many there are', async () => {
    const { file, load } = await world()
    const { graph } = await load()
    const terms = createStemHolders()
    for (let at = 0; at < 5000; at += 1) terms.add([`stem${at}`])
    const index = { ...graph.index, terms: terms.done() }
    await writeIndexFile(file, index)
    const parsed = vi.spyOn(JSON, 'parse')
    const again = await readIndexFile(file, index.fingerprint)
    const longest = Math.max(...parsed.mock.calls.map(([text]) => text.length))
    parsed.mockRestore()
    expect(again).toEqual(index)
    expect(longest).toBeLessThan((await readFile(file)).length / 8)
  })

  it('leave no temporary file when writing fails', async () => {
    const { cache, load } = await world()
    const { graph } = await load()
    await expect(writeIndexFile(cache, graph.index)).rejects.toThrow()
    expect(await readdir(join(cache, '..'))).not.toContainEqual(expect.stringContaining('.tmp'))
  })
})
