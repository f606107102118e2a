import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import { INGESTION_PHASES } from '../../../contract/http/ingestion.ts'
import { hang, json, resetMidBody, type Behaviour } from '../../../tests/helpers/fault-server.ts'
import { askAgain, ingestionWarnings, ingestProfile, type IngestionPatience } from './ingest.ts'
import { createPlatformClient, PlatformError, type PlatformClient } from '../platform/platform-client.ts'
import { suiteFaultServer } from '../../../tests/helpers/test-server.ts'

const server = await suiteFaultServer()
let client: PlatformClient
let events: RunEvent[]
let stop: AbortController

beforeEach(() => {
  client = createPlatformClient({ url: server.url, apiKey: null, operatorToken: null })
  events = []
  stop = new AbortController()
})
afterEach(() => client.close())

const accepted = (changes: object = {}): Behaviour =>
  json(
    { ingestion_id: 'j1', job_id: 'j1', status: 'pending', message: 'queued', task: 'rag_ingestion', ...changes },
    202,
  )

const record = (status: string, changes: object = {}): Behaviour =>
  json({
    id: 'j1',
    consumer: 'atlas',
    profile: 'smoke',
    revision: 'r',
    idempotency_key: 'k',
    status,
    phases: INGESTION_PHASES.map((name) => ({
      name,
      status: 'completed',
      started_at: null,
      ended_at: null,
      duration_ms: null,
      counts: {},
      note: null,
      error: null,
    })),
    counts: {},
    errors: [],
    content_digest: 'd',
    created_at: 'then',
    updated_at: 'then',
    cancel_requested: false,
    corpus: { source: 'mount', path: 'smoke' },
    profile_snapshot: { revision: 'r' },
    ...changes,
  })
const reset: Behaviour = (response) => void response.socket?.destroy()
const storeFull: Behaviour = json({ detail: { code: 'state_store_unavailable', message: 'the disk is full' } }, 503)

const ingest = (patience: Partial<IngestionPatience> = {}, ready = async (): Promise<void> => undefined) =>
  ingestProfile({
    client,
    profile: 'smoke',
    datasetId: 'smoke',
    graph: true,
    emit: (event) => events.push(event),
    stop: stop.signal,
    ready,
    patience: { unreachableMs: 5000, unchangedMs: 5000, noticeMs: 4000, ...patience },
  })
const notices = (): string[] => events.flatMap((event) => (event.type === 'notice' ? [event.message] : []))

describe('ingestProfile', () => {
  it('reports how far the phase under way has come, once per change, and nothing of phases that have ended', async () => {
    const embed = (status: string, done: number): object => ({
      phases: [{ name: 'embed', status, counts: {}, progress: { done, total: 40, per_second: 2, seconds_left: 5 } }],
    })
    server.script(
      accepted(),
      ...[10, 10, 30].map((done) => record('running', embed('running', done))),
      record('completed', embed('completed', 40)),
    )
    await ingest()
    const progressed = events.flatMap((event) => (event.type === 'ingestion.progressed' ? [event] : []))
    expect(progressed.map(({ status, progress }) => [status, progress?.done])).toEqual([
      ['running', 10],
      ['running', 30],
      ['completed', undefined],
    ])
  })

  it('continues when the platform breaks connections, restarts or is overloaded in the middle of a request', async () => {
    let waited = 0
    server.script(
      reset,
      accepted(),
      record('running'),
      resetMidBody,
      reset,
      json({}, 502),
      record('running'),
      record('completed'),
    )
    const corpus = await ingest({}, async () => {
      waited += 1
    })
    expect(corpus).toMatchObject({ record: { id: 'j1', status: 'completed' }, unchanged: false })
    expect(waited).toBeGreaterThanOrEqual(server.requests.length)
    expect(notices()).toHaveLength(2)
    expect(notices()[0]).toMatch(/platform.*cannot be reached.*trying again/)
  })

  it('asks for the graph after a job of another process that left it out', async () => {
    server.script(accepted(), record('completed', { graph: false }), accepted(), record('completed', { graph: true }))
    expect(await ingest()).toMatchObject({ record: { graph: true }, unchanged: false })
    const submitted = server.requests.filter(({ path }) => path.includes('async_job'))
    expect(submitted.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { profile: 'smoke' },
      { profile: 'smoke' },
    ])
  })

  it('ends with the platform’s own words when it does not come back', async () => {
    server.script(accepted(), record('running'), storeFull)
    await expect(ingest({ unreachableMs: 300 })).rejects.toThrow(/HTTP 503.*the disk is full/)
  })

  it('ends at once when the platform refuses the call or the request is cancelled', async () => {
    server.script(accepted(), json({ detail: 'no such job' }, 404))
    await expect(ingest()).rejects.toThrow('no such job')
    server.script(accepted(), json({ detail: 'the key was refused' }, 502, { 'x-should-retry': 'false' }))
    await expect(ingest()).rejects.toThrow('the key was refused')
    expect([server.requests.length, notices()]).toEqual([4, []])
    server.script(accepted())
    await expect(ingest({}, () => Promise.reject(new Error('platform does not run')))).rejects.toThrow(
      'platform does not run',
    )
  })

  it('reports a job that does not change, then ends and names how long it has waited', async () => {
    server.script(accepted(), record('running'))
    await expect(ingest({ unchangedMs: 600, noticeMs: 200 })).rejects.toThrow(
      /ingestion j1 of smoke has not changed for .*running.*cancel/s,
    )
    expect(notices()).toHaveLength(1)
    expect(notices()[0]).toMatch(/j1.*has not changed/)
  })

  it('waits as long as the job changes', async () => {
    let polls = 0
    server.script(accepted(), (...call) => {
      polls += 1
      record(polls === 12 ? 'completed' : 'running', { updated_at: `moment ${polls}` })(...call)
    })
    expect(await ingest({ unchangedMs: 1000, noticeMs: 900 })).toMatchObject({ record: { status: 'completed' } })
    expect(notices()).toEqual([])
  })

  it('cancels the job at the first Ctrl-C and reports that the run can go on', async () => {
    server.script(accepted(), record('running'))
    setTimeout(() => stop.abort(), 200)
    const stopped = await ingest().catch((error: unknown) => error)
    expect(stopped).toMatchObject({ name: 'AbortError' })
    expect((stopped as Error).message).toMatch(/ingestion j1 .* was cancelled/)
    expect(server.requests.at(-1)?.path).toBe('/api/rag/ingestions/j1/cancel')
  })

  it('stops also when the platform does not answer any more', async () => {
    server.script(accepted(), record('running'), hang)
    setTimeout(() => stop.abort(), 300)
    const started = performance.now()
    await expect(ingest({ cancelMs: 300 })).rejects.toThrow(/could not be cancelled/)
    expect(performance.now() - started).toBeLessThan(3000)
  })

  it.each([
    ['the field', { status: 'completed', message: 'anything', unchanged: true }, true],
    [
      'the field over the message',
      { status: 'completed', message: 'Idempotent resubmission', unchanged: false },
      false,
    ],
    [
      'the documented message of a platform without the field',
      { status: 'completed', message: 'Idempotent resubmission' },
      true,
    ],
    ['neither', { status: 'completed', message: 'RAG ingestion completed' }, false],
  ])('takes a job as unchanged by %s', async (_what, answer, unchanged) => {
    server.script(accepted(answer), record('completed'))
    expect(await ingest()).toMatchObject({ unchanged })
  })

  it('warns of documents without an entity each time, and of repaired damage when it was repaired', async () => {
    const counts = { documents: 3, documents_without_entity: 2 }
    server.script(
      accepted(),
      record('completed', { counts, warnings: ['vectors.sqlite: damaged; it was built again'] }),
    )
    const corpus = await ingest()
    const without =
      '2 documents of 3 gave no entity: the graph does not hold what they say, and approaches that read it cannot find it'
    expect(ingestionWarnings(corpus)).toEqual(['vectors.sqlite: damaged; it was built again', without])
    expect(ingestionWarnings({ ...corpus, unchanged: true })).toEqual([without])
  })
})

it('a call that fails again and again is made at ever longer distances', async () => {
  let calls = 0
  const call = () => {
    calls += 1
    return Promise.reject(new PlatformError('http_error', 'the model is down', 503))
  }
  const from = { ready: async () => undefined, emit: () => undefined, stop: new AbortController().signal }
  await expect(askAgain(call, from, 600, { firstMs: 40, longestMs: 320 })).rejects.toThrow('the model is down')
  expect(calls).toBe(5)
})
