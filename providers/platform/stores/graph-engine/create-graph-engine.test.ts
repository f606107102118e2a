import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { feed, useEngineBench } from '../../../../tests/helpers/graph-engine-bench.ts'
import { failOn, scriptedModels } from '../../../../tests/helpers/scripted-models.ts'
import { createGraphWorkspaces } from './create-graph-engine.ts'
import { GraphEngineError } from './errors.ts'
import { graphTargetClient } from './graph-target.ts'

const bench = useEngineBench()

const YARD = 'Red Yard/organization > built > Osprey/vessel: The Red Yard built the Osprey.'
const CAPTAIN = 'Agnes Tolland/person > commanded > Osprey/vessel: Agnes Tolland commanded the Osprey.'
const BORN = 'Agnes Tolland/person > born in > Hesk/place: Agnes Tolland was born in Hesk.'

const states = (engine: ReturnType<typeof bench.open>) =>
  engine
    .documents({ page: 1, page_size: 50, sort_field: 'file_path', sort_direction: 'asc' })
    .documents.map(({ file_path, status, error_msg }) => [file_path, status, error_msg])

describe('documents on their way into the graph', () => {
  it('merges what several documents state, with weights, chunks and files', async () => {
    const engine = bench.open()
    const [first] = await feed(engine, {
      'yard.md': YARD,
      'captain.md': `${CAPTAIN}\n${BORN}`,
      'again.md': `Again: ${YARD.slice(0)}`,
    })
    expect(engine.track(first!)).toMatchObject({ total_count: 1, status_summary: { processed: 1 } })
    const { nodes, edges } = await engine.graph(10)
    expect(nodes.map(({ label, type, degree }) => [label, type, degree])).toEqual(
      [
        ['Agnes Tolland', 'person', 2],
        ['Osprey', 'vessel', 3],
        ['Again: Red Yard', 'organization', 1],
        ['Hesk', 'place', 1],
        ['Red Yard', 'organization', 1],
      ].sort((a, b) => (b[2] as number) - (a[2] as number) || ((a[0] as string) < (b[0] as string) ? -1 : 1)),
    )
    expect(edges).toContainEqual({ source: 'red yard', target: 'osprey', weight: 1, keywords: ['built'] })
  })

  it('is the same graph in whatever order the documents come', async () => {
    const one = bench.open({ stateFile: bench.file('one') })
    const two = bench.open({ stateFile: bench.file('two') })
    await feed(one, { a: YARD, b: CAPTAIN, c: BORN })
    await feed(two, { c: BORN, a: YARD, b: CAPTAIN })
    expect(await one.graph(10)).toEqual(await two.graph(10))
  })

  it('marks many documents as processed in several transactions, between which other requests run', async () => {
    const engine = bench.open()
    engine.insert(Array.from({ length: 1100 }, (_, at) => ({ filePath: `${at}.md`, text: `${YARD} ${at}` })))
    const seen = new Set<number | undefined>()
    while (engine.pipelineStatus().busy) {
      seen.add(engine.statusCounts().processed)
      await nextTurn()
    }
    seen.add(engine.statusCounts().processed)
    expect([...seen]).toEqual([0, 500, 1000, 1100])
  })

  it('leaves an empty write-ahead log', async () => {
    const stateFile = bench.file('log')
    const engine = bench.open({ stateFile })
    await feed(engine, { 'yard.md': YARD, 'captain.md': CAPTAIN })
    await engine.idle()
    expect(statSync(`${stateFile}-wal`).size).toBe(0)
  })

  it('calls equal content duplicated and counts it once', async () => {
    const models = scriptedModels()
    const engine = bench.open({ models })
    const first = engine.insert([{ filePath: 'yard.md', text: YARD }])
    await engine.idle()
    const second = engine.insert([{ filePath: 'yard.md', text: `\n${YARD}\n` }])
    await engine.idle()
    expect([first.status, second.status, second.track_id]).toEqual(['success', 'duplicated', first.track_id])
    expect((await engine.graph(10)).edges[0]?.weight).toBe(1)
    expect(models.extracted).toHaveLength(1)
  })

  it('puts a new text under a known path in the place of the old one when ingestion sends it', async () => {
    const engine = bench.open()
    const client = graphTargetClient(engine)
    const { signal } = new AbortController()
    await client.upload({ id: 'a.md', title: 'A', text: YARD }, signal)
    await client.upload({ id: 'a.md', title: 'A', text: BORN }, signal)
    await engine.idle()
    expect((await engine.graph(10)).nodes.map(({ id }) => id)).toEqual(['agnes tolland', 'hesk'])
    expect(states(engine)).toEqual([['a.md', 'processed', null]])
  })

  it('moves a known text to its new path when ingestion sends it, without extracting it again', async () => {
    const models = scriptedModels()
    const engine = bench.open({ models })
    const client = graphTargetClient(engine)
    const { signal } = new AbortController()
    await client.upload({ id: 'old/a.md', title: 'A', text: YARD }, signal)
    await engine.idle()
    await client.upload({ id: 'new/a.md', title: 'A', text: YARD }, signal)
    client.retain(['new/a.md'])
    await engine.idle()
    expect(states(engine)).toEqual([['new/a.md', 'processed', null]])
    expect(models.extracted).toHaveLength(1)
  })

  it('keeps every text of a client that comes without a name', async () => {
    const engine = bench.open()
    for (const text of [YARD, BORN, CAPTAIN]) engine.insert([{ filePath: 'unknown_source', text }])
    await engine.idle()
    expect(states(engine)).toEqual(Array.from({ length: 3 }, () => ['unknown_source', 'processed', null]))
    expect(engine.insert([{ filePath: 'unknown_source', text: BORN }]).status).toBe('duplicated')
  })

  it('answers another text of a client under a known name as duplicated and replaces nothing', async () => {
    const engine = bench.open()
    const first = engine.insert([{ filePath: 'readme.md', text: YARD }])
    expect(engine.insert([{ filePath: 'readme.md', text: BORN }])).toEqual({
      status: 'duplicated',
      message:
        'duplicated: a document named readme.md exists already with another text (pending); delete it first, or use another name',
      track_id: first.track_id,
    })
    await engine.idle()
    expect((await engine.graph(10)).nodes.map(({ id }) => id)).toEqual(['osprey', 'red yard'])
  })

  it('leaves the name of a document alone when its text comes under another name', async () => {
    const engine = bench.open()
    engine.insert([{ filePath: 'note.txt', text: YARD }])
    expect(engine.insert([{ filePath: 'my file.pdf', text: YARD }])).toMatchObject({
      status: 'duplicated',
      message: 'duplicated: my file.pdf: its text is known already as note.txt (pending)',
    })
    await engine.idle()
    expect(states(engine)).toEqual([['note.txt', 'processed', null]])
  })

  it('distinguishes each kind of upload', () => {
    const engine = bench.open({ limits: { documentBytes: 200 } })
    const long = 'x'.repeat(201)
    expect(engine.insert([{ filePath: 'a', text: ' \u0000\n' }])).toMatchObject({
      status: 'failure',
      message: 'refused: a: there is no text',
    })
    expect(
      engine.insert([
        { filePath: 'a', text: YARD },
        { filePath: 'b', text: long },
      ]),
    ).toMatchObject({
      status: 'partial_success',
      message: '1 queued; refused: b: the text is larger than 200 bytes',
    })
    expect(
      engine.insert([
        { filePath: 'a', text: YARD },
        { filePath: 'b', text: YARD },
      ]).status,
    ).toBe('duplicated')
  })

  it('lets one document fail and finishes the others, then tries again on request', async () => {
    const broken = failOn('Hesk')
    let repaired = false
    const models = scriptedModels({
      onExtract: (task) => (repaired ? Promise.resolve(undefined) : broken.onExtract!(task)),
    })
    const engine = bench.open({ models })
    await feed(engine, { a: YARD, b: BORN, c: CAPTAIN })
    expect(states(engine)).toEqual([
      ['a', 'processed', null],
      ['b', 'failed', 'chunk 1 of 1: the model call for role graph_extract failed: the upstream failed'],
      ['c', 'processed', null],
    ])
    expect((await engine.graph(10)).nodes.map(({ id }) => id)).not.toContain('hesk')
    repaired = true
    expect(engine.reprocessFailed()).toMatchObject({ count: 1 })
    await engine.idle()
    expect(engine.statusCounts()).toEqual({ all: 3, pending: 0, processing: 0, processed: 3, failed: 0 })
    expect((await engine.graph(10)).nodes.map(({ id }) => id)).toContain('hesk')
  })

  it('asks again for a reply that is no JSON, then gives the document up', async () => {
    const models = scriptedModels({ onExtract: async () => 'I cannot do that.' })
    const engine = bench.open({ models })
    await feed(engine, { a: YARD })
    expect(models.extracted).toHaveLength(2)
    expect(states(engine)[0]?.[2]).toBe(
      "chunk 1 of 1: the extraction model's reply cannot be used: the reply holds no JSON object",
    )
  })

  it('counts merged entities again when a document is taken out', async () => {
    const engine = bench.open()
    await feed(engine, { a: YARD, b: `${YARD}\n${CAPTAIN}` })
    expect((await engine.graph(10)).edges.find(({ source }) => source === 'red yard')?.weight).toBe(2)
    const both = engine.documents({ page: 1, page_size: 50, sort_field: 'file_path', sort_direction: 'asc' }).documents
    expect(engine.remove([both[1]!.id, 'doc-unknown'])).toBe(1)
    expect((await engine.graph(10)).edges).toEqual([
      { source: 'red yard', target: 'osprey', weight: 1, keywords: ['built'] },
    ])
    expect(engine.retain(['elsewhere'])).toBe(1)
    await engine.idle()
    expect((await engine.graph(10)).nodes).toEqual([])
  })

  it('cancels what is pending and under way, and clears', async () => {
    const entered = Promise.withResolvers<undefined>()
    const models = scriptedModels({
      onExtract: async (_, signal) => {
        entered.resolve(undefined)
        await new Promise((_resolve, reject) =>
          signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
        )
        return undefined
      },
    })
    const engine = bench.open({ models, limits: { parallelDocuments: 1 } })
    engine.insert([
      { filePath: 'a', text: YARD },
      { filePath: 'b', text: BORN },
    ])
    await entered.promise
    expect(engine.pipelineStatus()).toMatchObject({
      busy: true,
      docs: 2,
      request_pending: true,
      progress: { chunks: 2, extracted: 0 },
    })
    expect(engine.cancel()).toBe(true)
    await engine.idle()
    expect(states(engine).map(([, status, error]) => [status, error])).toEqual([
      ['failed', 'cancelled by request'],
      ['failed', 'cancelled by request'],
    ])
    expect(engine.cancel()).toBe(false)
    expect(await engine.clear()).toBe(2)
    expect(engine.statusCounts().all).toBe(0)
  })

  it('fails documents whose vectors cannot be made, and keeps their extraction', async () => {
    let broken = true
    const models = scriptedModels({
      embed: (texts) => texts.map((_, at) => new Float32Array(broken && at === 0 ? 3 : 4).fill(0.5)),
    })
    const engine = bench.open({ models })
    await feed(engine, { a: YARD })
    expect(states(engine)).toEqual([['a', 'failed', 'merging: vectors have different dimensions: 3, 4']])
    broken = false
    const again = scriptedModels({
      embed: (texts) => texts.map(() => new Float32Array(4).fill(0.5)),
      embedModel: 'repaired',
    })
    await engine.close()
    const reopened = bench.open({ models: again })
    reopened.reprocessFailed()
    await reopened.idle()
    expect([reopened.statusCounts().processed, again.extracted]).toEqual([1, []])
  })

  it('builds the graph of an earlier start when a question needs it, not before: a run that reads none pays nothing', async () => {
    const first = bench.open()
    await feed(first, { yard: YARD, captain: CAPTAIN })
    const picture = await first.graph(10)
    await first.close()
    const models = scriptedModels({ embedModel: 'another' })
    const embedded = () => models.calls.filter((call) => call === 'embed').length
    const reopened = bench.open({ models })
    await reopened.idle()
    expect([embedded(), reopened.hasDocuments()]).toEqual([0, true])
    expect(await reopened.graph(10)).toEqual(picture)
    expect(embedded()).toBeGreaterThan(0)
  })

  it('extracts again when another model does it, and embeds only what changed', async () => {
    const first = bench.open()
    await feed(first, { a: YARD, b: BORN })
    await first.close()

    const same = scriptedModels()
    const second = bench.open({ models: same })
    expect((await second.graph(10)).nodes).toHaveLength(4)
    expect([same.extracted, same.calls]).toEqual([[], []])
    await second.close()

    const other = scriptedModels({ extractModel: 'other' })
    const third = bench.open({ models: other })
    expect(third.insert([{ filePath: 'a', text: YARD }]).status).toBe('success')
    await third.idle()
    expect([other.extracted.length, other.calls.filter((call) => call === 'embed')]).toEqual([1, []])
  })

  /** Models that note the types that each extraction was asked for. */
  function notingTypes() {
    const asked: (readonly string[] | undefined)[] = []
    const models = scriptedModels({
      onExtract: async ({ types }) => {
        asked.push(types)
        return undefined
      },
    })
    return { asked, models }
  }

  it('passes the types of its profile to the model, and reads a text again for other types', async () => {
    const { asked, models } = notingTypes()
    const plain = bench.open({ models })
    await feed(plain, { a: YARD })
    await plain.close()
    const typed = bench.open({ models, entityTypes: ['person', 'vessel'] })
    await feed(typed, { a: YARD })
    await feed(typed, { a: YARD })
    expect(asked).toEqual([undefined, ['person', 'vessel']])
  })

  it('opens the workspace of each profile with the types of that profile', async () => {
    const { asked, models } = notingTypes()
    const typesOf = (profile: string) => (profile === 'ships' ? ['person', 'vessel'] : undefined)
    const workspaces = createGraphWorkspaces(bench.folder, { models, rerank: null, apiKey: null }, typesOf)
    await feed(workspaces.open('ships'), { a: YARD })
    await feed(workspaces.open('notes'), { a: YARD })
    await workspaces.close()
    expect(asked).toEqual([['person', 'vessel'], undefined])
  })

  it('has another version whenever its documents are others', async () => {
    const engine = bench.open()
    const versions = [engine.version()]
    for (const [path, text] of [
      ['a', YARD],
      ['b', BORN],
      ['b', CAPTAIN],
    ] as const) {
      await feed(engine, { [path]: text })
      versions.push(engine.version())
    }
    expect(new Set(versions).size).toBe(4)
    await feed(engine, { a: YARD })
    expect(engine.version()).toBe(versions[3])
    await engine.clear()
    expect(engine.version()).toBe(versions[0])
  })

  it('builds its graph once for a queue of documents, and earlier for a query that waits', async () => {
    const texts = Array.from({ length: 6 }, (_, at) => [`d${at}`, `${BORN} Told for the ${at}. time.`] as const)
    const merges = (engine: ReturnType<typeof bench.open>) =>
      engine.pipelineStatus().history_messages!.filter((line) => line.includes('merged:')).length
    const alone = bench.open({ stateFile: bench.file('alone') })
    alone.upload(texts.map(([filePath, text]) => ({ filePath, text })))
    await alone.idle()
    expect(merges(alone)).toBe(1)

    const firstExtraction = Promise.withResolvers<undefined>()
    let extractedMeanwhile = 0
    const models = scriptedModels({
      onExtract: async () => {
        extractedMeanwhile += 1
        firstExtraction.resolve(undefined)
        return undefined
      },
    })
    const queried = bench.open({ models, limits: { parallelDocuments: 1 } })
    queried.upload(texts.map(([filePath, text]) => ({ filePath, text })))
    await firstExtraction.promise
    expect((await queried.graph(10)).total_nodes).toBe(2)
    expect(extractedMeanwhile).toBeLessThan(texts.length)
    await queried.idle()
    expect(merges(queried)).toBe(2)
    expect(await queried.graph(10)).toEqual(await alone.graph(10))
  })

  it('is refused a file that another engine has', async () => {
    bench.open()
    expect(() => bench.open()).toThrow(GraphEngineError)
  })
})

describe('graphTargetClient', () => {
  it('uploads, drains and reports each failure by its document', async () => {
    const engine = bench.open({ models: scriptedModels(failOn('Hesk')) })
    const client = graphTargetClient(engine)
    const { signal } = new AbortController()
    const one = await client.upload({ id: 'a.md', title: 'A', text: YARD }, signal)
    const two = await client.upload({ id: 'b.md', title: 'B', text: BORN }, signal)
    const again = await client.upload({ id: 'a.md', title: 'A', text: YARD }, signal)
    expect(again.trackId).toBe(one.trackId)
    expect(await client.drain([one.trackId, two.trackId, again.trackId], Date.now() + 60_000, signal)).toEqual({
      processed: 1,
      failed: [
        { document: 'b.md', error: 'chunk 1 of 1: the model call for role graph_extract failed: the upstream failed' },
      ],
    })
    await expect(client.upload({ id: 'c.md', title: 'C', text: ' ' }, signal)).rejects.toMatchObject({
      transient: false,
    })
    expect(client.retain(['b.md'])).toBe(1)
  })

  it('ends at its deadline and at its signal while the engine works on', async () => {
    const release = Promise.withResolvers<undefined>()
    const models = scriptedModels({ onExtract: async () => release.promise })
    const engine = bench.open({ models })
    const client = graphTargetClient(engine)
    const stop = new AbortController()
    const { trackId } = await client.upload({ id: 'a.md', title: 'A', text: YARD }, stop.signal)
    await expect(client.drain([trackId], Date.now() + 30, stop.signal)).rejects.toMatchObject({
      name: 'GraphTargetError',
      transient: true,
    })
    const waiting = client.drain([trackId], Date.now() + 60_000, stop.signal)
    stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    release.resolve(undefined)
    await engine.idle()
    expect(engine.statusCounts().processed).toBe(1)
  })
})
