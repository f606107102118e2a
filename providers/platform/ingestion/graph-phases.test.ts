import { beforeEach, describe, expect, it } from 'vitest'
import type { IngestionPhaseRecord } from '../../../contract/http/ingestion.ts'
import { testProfile } from '../../../tests/helpers/ingestion-profile.ts'
import { systemClock, type Clock } from './clock.ts'
import { PhaseFailure } from './errors.ts'
import { GraphTargetError, runGraphPhases } from './graph-phases.ts'
import type { DrainResult, GraphDocument, GraphTargetClient } from './graph-phases.ts'
import { PhaseLog } from './phase-log.ts'

/** A graph engine in memory that fails as scripted: each call takes the next fault, and succeeds when there is none. */
class FakeGraph implements GraphTargetClient {
  readonly uploaded: GraphDocument[] = []
  readonly drained: string[][] = []
  uploadFaults: (GraphTargetError | 'hang')[] = []
  drainFaults: GraphTargetError[] = []
  failedDocuments: DrainResult['failed'] = []
  calls = 0

  async upload(document: GraphDocument): Promise<{ trackId: string }> {
    this.calls += 1
    const fault = this.uploadFaults.shift()
    if (fault === 'hang') await new Promise(() => undefined)
    if (fault instanceof GraphTargetError) throw fault
    this.uploaded.push(document)
    return { trackId: `track-${document.id}` }
  }

  async drain(trackIds: readonly string[]): Promise<DrainResult> {
    this.calls += 1
    const fault = this.drainFaults.shift()
    if (fault !== undefined) throw fault
    this.drained.push([...trackIds])
    return { processed: trackIds.length - this.failedDocuments.length, failed: this.failedDocuments }
  }
}

const busy = () => new GraphTargetError('HTTP 503', { transient: true, status: 503, body: 'busy' })
const twoDocuments = () => ['a.md', 'b.md'].map((path) => ({ path, title: path, text: `text of ${path}` }))
const target = testProfile('smoke').graph_target

let graph: FakeGraph
let clock: Clock & { slept: number[] }
let log: PhaseLog

beforeEach(() => {
  graph = new FakeGraph()
  let nowMs = 1_000_000
  const slept: number[] = []
  clock = {
    slept,
    now: () => nowMs,
    sleep: async (ms) => {
      slept.push(ms)
      nowMs += ms
    },
  }
  log = new PhaseLog(clock.now, async () => undefined)
})

const run = (
  changes: Partial<typeof target> = {},
  client: GraphTargetClient | string = graph,
  signal = new AbortController().signal,
  documents = twoDocuments(),
) => runGraphPhases(log, client, { ...target, ...changes }, documents, clock, signal)

const phases = (): Record<string, Pick<IngestionPhaseRecord, 'status' | 'note' | 'counts'>> =>
  Object.fromEntries(
    log.progress.phases
      .filter(({ name }) => name === 'graph_upload' || name === 'drain')
      .map(({ name, status, note, counts }) => [name, { status, note, counts }]),
  )

describe('runGraphPhases', () => {
  it('fail a graph in which no document has an entity, and count the documents without one', async () => {
    const health = (without: number) => ({
      chunks_sent: 2,
      chunks_parsed: 2,
      chunks_empty: without,
      chunks_truncated: 0,
      chunks_refused: 0,
      items_dropped: 0,
      documents: 2,
      documents_without_entity: without,
    })
    await run({}, Object.assign(graph, { health: () => health(1) }))
    expect(phases()['drain']).toMatchObject({
      status: 'completed',
      note: '1 document of 2 gave no entity',
      counts: { chunks_sent: 2, chunks_empty: 1, documents_without_entity: 1 },
    })
    await expect(run({}, Object.assign(graph, { health: () => health(2) }))).rejects.toThrow(
      'the graph is empty: no entity was found in 2 documents.',
    )
  })

  it('holds no document while the engine works', async () => {
    const documents = twoDocuments()
    let heldInDrain = -1
    graph.drain = async () => {
      heldInDrain = documents.length
      return { processed: 2, failed: [] }
    }
    await run({}, graph, new AbortController().signal, documents)
    expect(graph.uploaded).toHaveLength(2)
    expect(heldInDrain).toBe(0)
  })

  it('uploads whole documents and waits for them', async () => {
    await run()
    expect(graph.uploaded).toEqual([
      { id: 'a.md', title: 'a.md', text: 'text of a.md' },
      { id: 'b.md', title: 'b.md', text: 'text of b.md' },
    ])
    expect(graph.drained).toEqual([['track-a.md', 'track-b.md']])
    expect(phases()).toEqual({
      graph_upload: { status: 'completed', note: null, counts: { documents_uploaded: 2 } },
      drain: { status: 'completed', note: null, counts: { documents_processed: 2, documents_failed: 0 } },
    })
  })

  it('reports it when there is no graph engine, or the profile does not wait', async () => {
    await run({}, 'graph engine not available')
    const skipped = { status: 'skipped', note: 'graph engine not available', counts: {} }
    expect(phases()).toEqual({ graph_upload: skipped, drain: skipped })
    log = new PhaseLog(clock.now, async () => undefined)
    await run({ wait_for_extraction: false })
    expect(phases().drain).toMatchObject({ status: 'skipped', note: 'the profile does not wait for extraction' })
    expect(graph.drained).toEqual([])
  })

  it('repeats transient failures with longer and longer waits', async () => {
    graph.uploadFaults = [busy(), busy(), busy()]
    graph.drainFaults = [busy()]
    await run()
    expect(clock.slept).toEqual([500, 1000, 2000, 500])
    expect(phases().drain!.status).toBe('completed')
  })

  it('fails at the deadline of the profile, which both phases share', async () => {
    graph.drainFaults = Array.from({ length: 100 }, busy)
    graph.uploadFaults = Array.from({ length: 5 }, busy)
    const started = clock.now()
    const failure = await run({ timeout_seconds: 60 }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(PhaseFailure)
    expect(failure).toMatchObject({
      phase: 'drain',
      message: expect.stringMatching(
        /^graph engine unavailable until the deadline, \d+ attempts: HTTP 503\. Ingest again, which goes on with the documents that are left, or raise graph_target\.timeout_seconds of the profile \(60\)$/,
      ),
      detail: { service: 'graph_engine', httpStatus: 503, body: 'busy' },
    })
    expect(clock.now() - started).toBeLessThanOrEqual(60_000)
    expect(phases().graph_upload!.status).toBe('completed')
  })

  it('skips an unreachable engine when the profile asks for it', async () => {
    graph.uploadFaults = Array.from({ length: 100 }, busy)
    await run({ on_unavailable: 'skip', timeout_seconds: 5 })
    expect(phases().graph_upload).toMatchObject({ status: 'skipped', note: expect.stringContaining('HTTP 503') })
    expect(phases().drain).toMatchObject({ status: 'skipped', note: 'nothing was uploaded' })
  })

  it('does not repeat what cannot succeed, not even where absence would be skipped', async () => {
    graph.uploadFaults = [new GraphTargetError('HTTP 401', { transient: false, status: 401 })]
    await expect(run({ on_unavailable: 'skip' })).rejects.toMatchObject({
      phase: 'graph_upload',
      detail: { httpStatus: 401 },
    })
    expect(graph.calls).toBe(1)
  })

  it('fails with each document that the engine failed on', async () => {
    graph.failedDocuments = [{ document: 'b.md', error: 'no entities' }]
    await expect(run()).rejects.toMatchObject({
      phase: 'drain',
      message: 'the graph engine failed on 1 of 2 documents',
      detail: { documents: [{ document: 'b.md', error: 'no entities' }] },
    })
  })

  it('goes on without the few documents that failed, and names them, where an ingestion can try them again', async () => {
    const own = Object.assign(graph, { isCurrent: async () => false })
    const documents = ['a', 'b', 'c'].map((path) => ({ path, title: path, text: path }))
    own.failedDocuments = [{ document: 'b', error: 'no JSON object' }]
    await runGraphPhases(log, own, target, documents.slice(), clock, new AbortController().signal)
    expect(phases().drain).toMatchObject({
      status: 'completed',
      counts: { documents_processed: 2, documents_failed: 1 },
    })
    expect(log.progress.warnings).toEqual([
      'the graph lacks 1 document of 3: b (no JSON object); a new run tries them again',
    ])
    // Half of them make no graph of this corpus.
    own.failedDocuments = ['a', 'b'].map((document) => ({ document, error: 'no JSON object' }))
    const again = runGraphPhases(log, own, target, documents.slice(), clock, new AbortController().signal)
    await expect(again).rejects.toMatchObject({ message: 'the graph engine failed on 2 of 3 documents' })
  })

  it('ends a call that hangs at the deadline', async () => {
    clock = { ...systemClock, slept: [] }
    graph.uploadFaults = ['hang']
    await expect(run({ timeout_seconds: 0.05 })).rejects.toMatchObject({ phase: 'graph_upload' })
  })

  it('stops at once when the run is interrupted', async () => {
    graph.uploadFaults = ['hang']
    const interrupt = new AbortController()
    const running = run({}, graph, interrupt.signal)
    interrupt.abort(new Error('interrupted'))
    await expect(running).rejects.toThrow('interrupted')
  })
})
