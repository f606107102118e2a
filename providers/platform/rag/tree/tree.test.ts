import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runAtOnce } from '../../../../core/sliced-work.ts'
import { fakeModelHost, type FakeModelHostOptions } from '../../../../tests/helpers/fake-model-host.ts'
import { chunksOf, COLLECTIONS, ingest, testStore, type Documents } from '../../../../tests/helpers/rag-fixture.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { openBlurbCache } from '../contextual/blurb-cache.ts'
import { buildTree, SUMMARIES } from './build-tree.ts'
import { clusterVectors } from './cluster-vectors.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

/** Three subjects of 12 notes each. */
const DOCUMENTS: Documents = Object.fromEntries(
  ['harbour', 'bread', 'clock'].flatMap((subject) =>
    Array.from({ length: 12 }, (_, at) => [
      `${subject}-${at}.md`,
      { title: `${subject} ${at}`, paragraphs: [`The ${subject} of the ${subject} board, ${subject} entry ${at}.`] },
    ]),
  ),
)

async function world(documents = DOCUMENTS) {
  const folder = await temporaryFolder()
  const store = await testStore(folder)
  const cache = openBlurbCache(join(folder, 'texts.sqlite'))
  onTestFinished(() => cache.close())
  await ingest(store, fakeModelHost(), 'smoke', chunksOf(documents))
  const build = (options: FakeModelHostOptions = {}, more: { signal?: AbortSignal; mostSummaries?: number } = {}) => {
    const models = fakeModelHost({ chat: () => 'A summary of several notes.', ...options })
    const result = buildTree({ store, models, cache, collections: COLLECTIONS, ...more })
    return { result, calls: () => models.calls.filter(({ kind }) => kind === 'chat') }
  }
  return { store, build }
}

const node = (vector: number[], tokens = 10) => {
  const length = Math.hypot(...vector)
  return { vector: Float32Array.from(vector, (value) => value / (length || 1)), tokens }
}

describe('clusters of vectors', () => {
  const vectors = fc.array(fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 }), {
    maxLength: 60,
  })

  it('hold every node once, within the limits, the same each time', () => {
    fc.assert(
      fc.property(vectors, fc.integer({ min: 1, max: 8 }), (list, members) => {
        const nodes = list.map((vector) => node(vector))
        const clusters = runAtOnce(clusterVectors(nodes, { members, tokens: 45 }))
        expect(clusters.flat().sort((a, b) => a - b)).toEqual(nodes.map((_, at) => at))
        for (const cluster of clusters) expect(cluster.length).toBeLessThanOrEqual(Math.min(members, 4))
        expect(runAtOnce(clusterVectors(nodes, { members, tokens: 45 }))).toEqual(clusters)
      }),
    )
  })

  it('keep apart what points in different directions', () => {
    const nodes = [node([1, 0.1, 0]), node([0, 1, 0.1]), node([1, 0, 0.1]), node([0, 1, 0]), node([0.9, 0, 0])]
    expect(runAtOnce(clusterVectors(nodes, { members: 3, tokens: 1000 }))).toEqual([
      [0, 2, 4],
      [1, 3],
    ])
  })

  it('halve equal vectors by their place, and leave a text that is too long alone', () => {
    const nodes = Array.from({ length: 5 }, () => node([1, 0, 0]))
    expect(runAtOnce(clusterVectors(nodes, { members: 2, tokens: 1000 })).map(({ length }) => length)).toEqual([
      2, 1, 2,
    ])
    expect(runAtOnce(clusterVectors([node([1, 0, 0], 5000)], { members: 2, tokens: 1000 }))).toEqual([[0]])
  })
})

describe('the build of a tree', () => {
  it('puts summaries of clusters above the chunks, layer by layer, and keeps every chunk as it is', async () => {
    const { store, build } = await world()
    const { result, calls } = build()
    const built = await result
    expect(built).toMatchObject({ chunks: 36, failed: 0, cached_summaries: 0, reused: false })
    expect(built.layers).toBeGreaterThanOrEqual(2)
    expect(calls()).toHaveLength(built.summaries)
    const nodes = await store.chunks('RagTree_smoke')
    const summaries = nodes.filter(({ document }) => document.startsWith(SUMMARIES))
    expect(nodes.filter((each) => !summaries.includes(each))).toEqual(await store.chunks('RagBase_smoke'))
    expect(summaries).toHaveLength(built.summaries)
    expect(new Set(summaries.map(({ document }) => document)).size).toBe(built.layers)
    expect(summaries[0]!.title).toMatch(/^Summary of /)
    expect((await store.info('RagTree_smoke'))!.derivation).toMatchObject({
      artefact: 'tree',
      model: 'fake-contextual_blurb',
      prompt: expect.stringMatching(/^cluster summary \(v1\) [0-9a-f]{8}$/),
    })
  })

  it('makes nothing again while chunks and models are the same, and all of it with another model', async () => {
    const { build } = await world()
    const first = await build().result
    const again = build()
    expect(await again.result).toMatchObject({ reused: true, summaries: 0, content_digest: first.content_digest })
    expect(again.calls()).toEqual([])
    const other = await build({ models: { contextual_blurb: 'other' } }).result
    expect(other).toMatchObject({ reused: false, summaries: first.summaries })
    expect(other.content_digest).not.toBe(first.content_digest)
  })

  it('pays after a stop only for the summaries that are missing, and a failed build leaves no tree', async () => {
    const { store, build } = await world()
    const whole = (await (await world()).build().result).summaries
    const stopped = build({
      chat: (_role, _request, call) =>
        call > 2 ? new ModelCallError('unreachable', 'contextual_blurb', 'x') : 'A summary.',
    })
    await expect(stopped.result).rejects.toMatchObject({ code: 'unreachable' })
    expect(await store.info('RagTree_smoke')).toBeNull()
    const resumed = await build({ chat: () => 'A summary.' }).result
    expect(resumed.cached_summaries).toBeGreaterThanOrEqual(2)
    expect(resumed.summaries + resumed.cached_summaries).toBe(whole)
  })

  it('leaves out a summary that could not be written, counts it, and asks for it again', async () => {
    const { build } = await world()
    const failing = build({
      chat: (_role, _request, call) =>
        call === 1 ? new ModelCallError('timeout', 'contextual_blurb', 'slow') : 'A summary.',
    })
    const first = await failing.result
    expect(first).toMatchObject({ failed: 1, failure: expect.stringContaining('slow') })
    const second = await build({ chat: () => 'A summary.' }).result
    expect(second).toMatchObject({ failed: 0, reused: false })
    expect(second.content_digest).not.toBe(first.content_digest)
  })

  it('is refused with rules, and where the corpus needs more summaries than a build may ask for, before any call', async () => {
    const { build } = await world()
    const ruled = build({ builtin: ['contextual_blurb'] })
    await expect(ruled.result).rejects.toMatchObject({ code: 'approach_unavailable' })
    const large = build({}, { mostSummaries: 2 })
    await expect(large.result).rejects.toThrow(/needs at least \d+ summaries, and a build asks for at most 2/)
    expect([...ruled.calls(), ...large.calls()]).toEqual([])
    const shallow = await build({}, { mostSummaries: 5 }).result
    expect(shallow.layers).toBe(1)
  })
})
