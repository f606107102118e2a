import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { documentId } from './stored-graph.ts'
import { failOn, scriptedModels } from '../../../../tests/helpers/scripted-models.ts'

const bench = useEngineBench()

const YARD = 'Red Yard/organization > built > Osprey/vessel: The Red Yard built the Osprey.'
const BORN = 'Agnes Tolland/person > born in > Hesk/place: Agnes Tolland was born in Hesk.'

/** More looks at the clock than a pipeline of a few documents has a use for between two turns of the event loop. */
const MOST_LOOKS = 1000

/** A clock that the test moves. It throws in a loop that does not leave the thread: nothing else could end such a loop. */
function handClock() {
  let now = Date.parse('2026-01-01')
  let looks = 0
  return {
    advance: (ms: number) => (now += ms),
    read: () => {
      looks += 1
      if (looks === 1) setImmediate(() => (looks = 0))
      if (looks > MOST_LOOKS) throw new Error('the pipeline does not leave the thread')
      return now
    },
  }
}

describe('a graph pipeline beside questions', () => {
  it('takes new documents long after a question that has its answer', async () => {
    const clock = handClock()
    const engine = bench.open({ clock: clock.read, limits: { mergeAfterMs: 60_000 } })
    await feed(engine, { 'yard.md': YARD })
    await engine.graph(10)
    clock.advance(61_000)
    await feed(engine, { 'born.md': BORN })
    expect(engine.statusCounts()).toMatchObject({ processed: 2, pending: 0, failed: 0 })
    expect((await engine.graph(10)).nodes).toHaveLength(4)
  })

  it('ends when every merge fails while a question waits', async () => {
    const clock = handClock()
    const begun = Promise.withResolvers<undefined>()
    const letGo = Promise.withResolvers<undefined>()
    const models = scriptedModels({
      onExtract: async () => {
        begun.resolve(undefined)
        return letGo.promise
      },
      embed: () => {
        throw new Error('the embedding model is down')
      },
    })
    const engine = bench.open({ clock: clock.read, models, limits: { parallelDocuments: 1 } })
    engine.insert([YARD, `Again: ${YARD}`, BORN].map((text, at) => ({ filePath: `${at}.md`, text })))
    await begun.promise
    const asked = expect(engine.graph(10)).rejects.toThrow('the embedding model is down')
    letGo.resolve(undefined)
    await engine.idle()
    await asked
    expect(engine.statusCounts()).toMatchObject({ processed: 0, pending: 0, failed: 3 })
  })

  it('ends when every extraction fails while a question waits', async () => {
    const clock = handClock()
    const engine = bench.open({ clock: clock.read, models: scriptedModels(failOn('Osprey')) })
    engine.insert([YARD, `Again: ${YARD}`].map((text, at) => ({ filePath: `${at}.md`, text })))
    expect(await engine.graph(10)).toMatchObject({ nodes: [] })
    await engine.idle()
    expect(engine.statusCounts()).toMatchObject({ processed: 0, pending: 0, failed: 2 })
  })

  it('shows a question that comes while documents are extracted a graph that is at most mergeAfterMs old', async () => {
    const clock = handClock()
    const letGo = Promise.withResolvers<undefined>()
    const onExtract = async ({ text }: { text: string }) => (text.includes('Hesk') ? letGo.promise : undefined)
    const engine = bench.open({
      clock: clock.read,
      models: scriptedModels({ onExtract }),
      limits: { mergeAfterMs: 60_000, parallelDocuments: 1 },
    })
    await feed(engine, { 'captain.md': 'Agnes Tolland/person > commanded > Osprey/vessel: She commanded the Osprey.' })
    engine.insert([
      { filePath: '1.md', text: YARD },
      { filePath: '2.md', text: BORN },
    ])
    await nextTurn()
    clock.advance(61_000)
    expect((await engine.graph(10)).nodes).toHaveLength(2)
    while ((await engine.graph(10)).nodes.length === 2) await nextTurn()
    expect(engine.statusCounts()).toMatchObject({ processed: 2 })
    letGo.resolve(undefined)
    await engine.idle()
    expect((await engine.graph(10)).nodes).toHaveLength(4)
  })

  it('answers from the last graph, and says so, while a replaced document is read', async () => {
    const letGo = Promise.withResolvers<undefined>()
    const onExtract = async ({ text }: { text: string }) => (text.includes('Hesk') ? letGo.promise : undefined)
    const engine = bench.open({ models: scriptedModels({ onExtract }) })
    await feed(engine, { 'notes.md': YARD, 'other.md': `Again: ${YARD}` })
    const before = { version: engine.version(), derivations: engine.derivations() }
    engine.upload([{ filePath: 'notes.md', text: BORN }])
    engine.retain(['notes.md'])
    expect((await engine.graph(10)).nodes.map(({ id }) => id).toSorted()).toEqual([
      'again red yard',
      'osprey',
      'red yard',
    ])
    expect({ version: engine.version(), derivations: engine.derivations() }).toEqual(before)
    expect(engine.hasDocuments()).toBe(true)
    letGo.resolve(undefined)
    await engine.idle()
    expect((await engine.graph(10)).nodes.map(({ id }) => id).toSorted()).toEqual(['agnes tolland', 'hesk'])
    expect(engine.version()).not.toBe(before.version)
    expect(engine.derivations()).not.toEqual(before.derivations)
  })

  it('answers nothing from a document that was deleted by request', async () => {
    const letGo = Promise.withResolvers<undefined>()
    const onExtract = async ({ text }: { text: string }) => (text.includes('Hesk') ? letGo.promise : undefined)
    const engine = bench.open({ models: scriptedModels({ onExtract }), limits: { parallelDocuments: 1 } })
    await feed(engine, { 'notes.md': YARD })
    engine.insert([{ filePath: 'born.md', text: BORN }])
    await nextTurn()
    engine.remove([documentId(YARD)])
    const asked = engine.graph(10)
    letGo.resolve(undefined)
    expect((await asked).nodes.map(({ id: name }) => name)).not.toContain('osprey')
    await engine.idle()
    expect(engine.hasDocuments()).toBe(true)
  })
})

it('a graph pipeline beside other requests leaves the thread between the chunks of one long document', async () => {
  const text = Array.from({ length: 40 }, (_, at) => `${YARD} ${at} ${'x'.repeat(4000)}`).join('\n\n')
  const onExtract = async () => {
    const until = performance.now() + 5
    while (performance.now() < until);
    return undefined
  }
  const engine = bench.open({ models: scriptedModels({ onExtract }) })
  engine.insert([{ filePath: 'long.md', text }])
  let turns = 0
  while (engine.pipelineStatus().busy) {
    turns += 1
    await nextTurn()
  }
  expect(engine.statusCounts().processed).toBe(1)
  expect(turns).toBeGreaterThan(15)
})
