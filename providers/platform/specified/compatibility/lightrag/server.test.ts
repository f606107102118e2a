import { noAnswerText } from '../../../../../core/model-remedies.ts'
import { describe, expect, it } from 'vitest'
import { GraphPipelineStatus, GraphTrackStatus } from '../../../../../contract/http/graph-documents.ts'
import { GraphDataResponse, GraphQueryResponse } from '../../../../../contract/http/graph-engine.ts'
import { GraphPicture } from '../../../../../contract/http/graph-picture.ts'
import { useEngineBench } from '../../../../../tests/helpers/graph-engine-bench.ts'
import { failOn, scriptedModels } from '../../../../../tests/helpers/scripted-models.ts'
import { testServer } from '../../../../../tests/helpers/test-server.ts'
import { listen } from '../../../../kit/server.ts'
import type { GraphEngine } from '../../../stores/graph-engine/graph-engine.ts'
import { httpGraphTargetClient } from './client.ts'
import { registerGraphEngineRoutes } from './server.ts'

const KEY = 'graph-secret'
const YARD = 'Red Yard/organization > built > Osprey/vessel: The Red Yard built the Osprey.'
const BORN = 'Agnes Tolland/person > born in > Hesk/place: Agnes Tolland was born in Hesk.'

const bench = useEngineBench()

async function serve(engine: GraphEngine | null, options: { uploadTimeoutMs?: number } = {}): Promise<string> {
  const app = testServer()
  await app.register(
    (scope) => registerGraphEngineRoutes(scope, engine ?? (() => null), { uploadBytes: 10_000, ...options }),
    { prefix: '/graph-engine' },
  )
  return `${(await listen(app, '127.0.0.1', 0)).url}/graph-engine`
}

const call = async (
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = { 'x-api-key': KEY },
) => {
  const isForm = body instanceof FormData
  const response = await fetch(url, {
    method,
    headers: body === undefined || isForm ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

const form = (content: string | Uint8Array<ArrayBuffer>, name = 'yard.md', field = 'file') => {
  const data = new FormData()
  data.append(field, new Blob([content]), name)
  return data
}

describe('the engine key', () => {
  const open = () => bench.open({ apiKey: KEY })

  it.each([
    [{}, 403, 'API Key required'],
    [{ 'x-api-key': 'wrong' }, 403, 'Invalid API Key'],
    [{ authorization: `Bearer ${KEY}` }, 401, 'Invalid token. Please login again.'],
    [{ 'x-api-key': 'wrong', authorization: 'Bearer whatever' }, 401, 'Invalid token. Please login again.'],
    [{ 'x-api-key': `${KEY} ` + 'x' }, 403, 'Invalid API Key'],
  ])('refuses %j with %i', async (headers, status, detail) => {
    const url = await serve(open())
    for (const [method, path] of [
      ['POST', '/query'],
      ['GET', '/graph'],
      ['DELETE', '/documents'],
      ['POST', '/documents/upload'],
    ] as const) {
      expect(await call(url + path, method, undefined, headers)).toEqual({ status, body: { detail } })
    }
  })

  it('opens with the key, and without one where none is set; health is open to all', async () => {
    const url = await serve(open())
    expect((await call(`${url}/graph`, 'GET')).status).toBe(200)
    expect((await call(`${url}/health`, 'GET', undefined, {})).body).toMatchObject({
      status: 'healthy',
      auth_mode: 'enabled',
      pipeline_busy: expect.any(Boolean),
    })
    const free = await serve(bench.open({ stateFile: bench.file('free') }))
    expect((await call(`${free}/graph`, 'GET', undefined, {})).status).toBe(200)
    expect((await call(`${await serve(null)}/graph`, 'GET')).status).toBe(503)
  })
})

describe('documents', () => {
  it('takes a file and shows its way into the graph', async () => {
    const engine = bench.open({ apiKey: KEY })
    const url = await serve(engine)
    const first = await call(`${url}/documents/upload`, 'POST', form(YARD))
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'success', track_id: expect.stringMatching(/^upload_\d{8}_\d{6}_[0-9a-f]{8}$/) },
    })
    await engine.idle()
    expect((await call(`${url}/documents/upload`, 'POST', form(YARD))).body).toMatchObject({
      status: 'duplicated',
      track_id: first.body.track_id,
    })
    const track = GraphTrackStatus.parse(
      (await call(`${url}/documents/track_status/${String(first.body.track_id)}`, 'GET')).body,
    )
    expect(track.documents[0]).toMatchObject({
      status: 'processed',
      file_path: 'yard.md',
      chunks_count: 1,
      content_summary: YARD,
      error_msg: null,
    })
    const pipeline = GraphPipelineStatus.parse((await call(`${url}/documents/pipeline_status`, 'GET')).body)
    expect(Object.keys(pipeline)).toEqual(
      expect.arrayContaining([
        'autoscanned',
        'busy',
        'job_name',
        'job_start',
        'docs',
        'batchs',
        'cur_batch',
        'request_pending',
        'latest_message',
        'history_messages',
        'update_status',
      ]),
    )
    expect(pipeline).toMatchObject({ busy: false, request_pending: false })
    expect((await call(`${url}/documents/status_counts`, 'GET')).body).toEqual({
      status_counts: { all: 1, pending: 0, processing: 0, processed: 1, failed: 0 },
    })
    const page = await call(`${url}/documents/paginated`, 'POST', { status_filter: 'PROCESSED', page_size: 10 })
    expect(page.body).toMatchObject({
      documents: [{ file_path: 'yard.md' }],
      pagination: { total_count: 1, total_pages: 1, has_next: false },
    })
    expect(GraphPicture.parse((await call(`${url}/graph?limit=1`, 'GET')).body)).toMatchObject({
      truncated: true,
      total_nodes: 2,
      total_edges: 1,
      edges: [],
    })
  })

  it.each([
    ['no file', form(YARD, 'a.md', 'document'), 422],
    ['an empty file', form(''), 400],
    ['bytes that are no text', form(new Uint8Array([0xff, 0xfe, 0x00])), 400],
    ['a file over the limit', form('x'.repeat(10_001)), 413],
    ['a body that is no form', { text: 'x' }, 422],
  ])('refuses %s', async (_, body, status) => {
    const url = await serve(bench.open({ apiKey: KEY }))
    const answer = await call(`${url}/documents/upload`, 'POST', body)
    expect([answer.status, Object.keys(answer.body)]).toEqual([status, ['detail']])
  })

  it('stops waiting for a document that does not arrive', async () => {
    const url = await serve(bench.open({ apiKey: KEY }), { uploadTimeoutMs: 30 })
    // The first part comes, the rest never does.
    const body = new ReadableStream({ start: (sender) => sender.enqueue(Buffer.from('--b\r\n')) })
    const answer = await fetch(`${url}/documents/upload`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { 'x-api-key': KEY, 'content-type': 'multipart/form-data; boundary=b' },
    })
    expect([answer.status, await answer.json()]).toEqual([408, { detail: 'Upload timed out' }])
  })

  it('keeps a path in a file name from leaving its folder', async () => {
    const engine = bench.open({ apiKey: KEY })
    const url = await serve(engine)
    await call(`${url}/documents/upload`, 'POST', form(YARD, '..\\..\\etc\\yard.md'))
    expect((await call(`${url}/documents/paginated`, 'POST', {})).body).toMatchObject({
      documents: [{ file_path: 'yard.md' }],
    })
  })

  it('keeps texts of one request and of several that come without a source', async () => {
    const engine = bench.open({ apiKey: KEY })
    const url = await serve(engine)
    await call(`${url}/documents/text`, 'POST', { text: 'Alpha Labs was founded by Mira Stone.' })
    await call(`${url}/documents/text`, 'POST', { text: 'Beta Labs was founded by Jonas Reed.', file_source: '' })
    await call(`${url}/documents/texts`, 'POST', { texts: ['Gamma Labs is old.', 'Delta Labs is new.'] })
    await engine.idle()
    expect((await call(`${url}/documents/status_counts`, 'GET')).body).toMatchObject({
      status_counts: { all: 4, processed: 4 },
    })
  })

  it('puts a new text in the place of the old one where the request asks for it', async () => {
    const engine = bench.open({ apiKey: KEY })
    const client = httpGraphTargetClient(await serve(engine), KEY, { pollMs: 5 })
    const { signal } = new AbortController()
    for (const text of [YARD, BORN]) await client.upload({ id: 'a.md', title: 'A', text }, signal)
    await engine.idle()
    expect((await engine.graph(10)).nodes.map(({ id }) => id)).toEqual(['agnes tolland', 'hesk'])
  })

  it.each(['PREPROCESSED', 'parsing', 'Analyzing'])('lists no document in the state %s of LightRAG', async (filter) => {
    const url = await serve(bench.open({ apiKey: KEY }))
    const page = await call(`${url}/documents/paginated`, 'POST', { status_filter: filter })
    expect(page).toMatchObject({ status: 200, body: { documents: [] } })
  })

  it('takes texts, and takes documents out again', async () => {
    const engine = bench.open({ apiKey: KEY })
    const url = await serve(engine)
    expect(
      (await call(`${url}/documents/texts`, 'POST', { texts: [YARD, BORN], file_sources: ['a.md', 'b.md'] })).body
        .status,
    ).toBe('success')
    expect(
      (await call(`${url}/documents/text`, 'POST', { text: BORN, file_source: 'b.md', other: 1 })).body.status,
    ).toBe('duplicated')
    expect((await call(`${url}/documents/text`, 'POST', { text: ' ' })).status).toBe(422)
    await engine.idle()
    const { documents } = engine.documents({ page: 1, page_size: 10, sort_field: 'file_path', sort_direction: 'asc' })
    const gone = await call(`${url}/documents/delete_document`, 'DELETE', { doc_ids: [documents[0]!.id] })
    expect(gone).toMatchObject({ status: 200, body: { status: 'deletion_started', doc_id: documents[0]!.id } })
    expect((await call(`${url}/documents/delete_document`, 'DELETE', { doc_ids: ['doc-none'] })).status).toBe(404)
    await engine.idle()
    expect((await call(`${url}/documents/cancel_pipeline`, 'POST')).body.status).toBe('not_busy')
    expect((await call(`${url}/documents/reprocess_failed`, 'POST')).body).toMatchObject({
      status: 'reprocessing_started',
      track_id: '',
    })
    expect((await call(`${url}/documents`, 'DELETE')).body).toEqual({
      status: 'success',
      message: '1 documents removed',
    })
  })

  it('is busy while documents are under way', async () => {
    const release = Promise.withResolvers<undefined>()
    const engine = bench.open({ apiKey: KEY, models: scriptedModels({ onExtract: async () => release.promise }) })
    const url = await serve(engine)
    engine.insert([{ filePath: 'a', text: YARD }])
    expect((await call(`${url}/documents`, 'DELETE')).body.status).toBe('busy')
    expect((await call(`${url}/documents/cancel_pipeline`, 'POST')).body.status).toBe('cancellation_requested')
    release.resolve(undefined)
    await engine.idle()
  })
})

describe('queries', () => {
  async function ready() {
    const engine = bench.open({ apiKey: KEY })
    engine.insert([{ filePath: 'a.md', text: YARD }])
    await engine.idle()
    return serve(engine)
  }

  it.each([
    ['ab', 422],
    [' ab ', 422],
    ['abc', 200],
    ['船', 422],
    ['船舶', 200],
  ])('of %j gets %i', async (query, status) => {
    const answer = await call(`${await ready()}/query`, 'POST', { query })
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body).toMatchObject({ detail: [{ loc: ['body', 'query'], type: 'custom' }] })
  })

  it.each([
    [{ query: 'Who built it?', mode: 'sideways' }, ['body', 'mode']],
    [{ query: 'Who built it?', top_k: 0 }, ['body', 'top_k']],
    [{ query: 'Who built it?', max_total_tokens: '9' }, ['body', 'max_total_tokens']],
    [{ mode: 'local' }, ['body', 'query']],
  ])('%j breaks the schema at %j', async (body, loc) => {
    expect(await call(`${await ready()}/query`, 'POST', body)).toMatchObject({
      status: 422,
      body: { detail: [{ loc }] },
    })
  })

  it('answers in the shapes of its clients, unknown fields and nulls ignored', async () => {
    const url = await ready()
    const query = { query: 'Who built the Osprey?', mode: 'hybrid', top_k: null, unheard_of: true }
    const answer = GraphQueryResponse.parse((await call(`${url}/query`, 'POST', query)).body)
    expect(answer).toMatchObject({
      response: expect.stringContaining('Red Yard'),
      references: [{ reference_id: '1', file_path: 'a.md' }],
      llm_generated: true,
    })
    const data = GraphDataResponse.parse((await call(`${url}/query/data`, 'POST', query)).body)
    expect(data).toMatchObject({
      status: 'success',
      data: {
        entities: [{ entity_name: 'Osprey' }, { entity_name: 'Red Yard' }],
        relationships: [{ src_id: 'Red Yard', tgt_id: 'Osprey', keywords: 'built', weight: 1 }],
        chunks: [{ file_path: 'a.md', reference_id: '1' }],
      },
      metadata: { query_mode: 'hybrid', keywords: { low_level: ['Osprey'] } },
    })
  })

  it('takes blank keywords and any role in the history, as LightRAG does', async () => {
    const query = {
      query: 'Who built the Osprey?',
      hl_keywords: [''],
      ll_keywords: [' ', 'Osprey'],
      conversation_history: [{ role: 'tool', content: 'earlier' }],
    }
    expect((await call(`${await ready()}/query`, 'POST', query)).status).toBe(200)
  })

  it('streams references first, then the text or the failure', async () => {
    const lines = async (url: string) => {
      const response = await fetch(`${url}/query/stream`, {
        method: 'POST',
        headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ query: 'Who built the Osprey?' }),
      })
      expect(response.headers.get('content-type')).toContain('application/x-ndjson')
      return (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    }
    const [references, text] = await lines(await ready())
    expect([Object.keys(references!), text]).toEqual([
      ['references'],
      { response: expect.stringContaining('Red Yard'), llm_generated: true },
    ])

    const models = scriptedModels()
    const silent: typeof models = {
      ...models,
      chat: async (role, request, signal) => {
        const completion = await models.chat(role, request, signal)
        return role === 'graph_query'
          ? { ...completion, choices: [{ ...completion.choices[0]!, message: { role: 'assistant', content: '' } }] }
          : completion
      },
    }
    const engine = bench.open({ apiKey: KEY, stateFile: bench.file('silent'), models: silent })
    engine.insert([{ filePath: 'a.md', text: YARD }])
    const url = await serve(engine)
    expect((await lines(url))[1]).toEqual({ error: noAnswerText('stop') })
    expect(await call(`${url}/query`, 'POST', { query: 'Who built the Osprey?' })).toEqual({
      status: 500,
      body: { detail: noAnswerText('stop') },
    })
  })
})

describe('httpGraphTargetClient', () => {
  const { signal } = new AbortController()

  it('uploads and drains over HTTP as in process', async () => {
    const engine = bench.open({ apiKey: KEY, models: scriptedModels(failOn('Hesk')) })
    const client = httpGraphTargetClient(await serve(engine), KEY, { pollMs: 5 })
    const one = await client.upload({ id: 'a.md', title: 'A', text: YARD }, signal)
    const two = await client.upload({ id: 'deep/b.md', title: 'B', text: BORN }, signal)
    expect((await client.upload({ id: 'a.md', title: 'A', text: YARD }, signal)).trackId).toBe(one.trackId)
    expect(await client.drain([one.trackId, two.trackId], Date.now() + 10_000, signal)).toEqual({
      processed: 1,
      failed: [
        {
          document: 'deep/b.md',
          error: 'chunk 1 of 1: the model call for role graph_extract failed: the upstream failed',
        },
      ],
    })
    expect(engine.track(one.trackId).documents[0]?.metadata).toMatchObject({ title: 'A' })
  })

  it('deletes the known document first where the engine refuses its name, and no other', async () => {
    const stored = new Map([
      ['2024%2Freport.md', { id: 'doc-1', text: 'old' }],
      ['other.md', { id: 'doc-2', text: 'of others' }],
    ])
    const deleted: string[] = []
    let isBusy = true
    const app = testServer()
    app.post('/documents/text', async (request, reply) => {
      const { file_source: name, text } = request.body as { file_source: string; text: string }
      if (stored.has(name)) return reply.code(409).send({ detail: `Document storage already contains '${name}'` })
      stored.set(name, { id: `doc-${stored.size + 2}`, text })
      return { status: 'success', message: '', track_id: 't' }
    })
    app.post('/documents/paginated', async () => ({
      documents: [...stored].map(([name, { id }]) => ({
        id,
        content_summary: '',
        content_length: 1,
        status: 'processed',
        created_at: '',
        updated_at: '',
        file_path: name,
      })),
      pagination: { page: 1, page_size: 200, total_count: 2, total_pages: 1, has_next: false, has_prev: false },
      status_counts: {},
    }))
    app.delete('/documents/delete_document', async (request) => {
      // Busy once with something else.
      if (isBusy) {
        isBusy = false
        return { status: 'busy', message: '', doc_id: '' }
      }
      const { doc_ids: ids } = request.body as { doc_ids: string[] }
      deleted.push(...ids)
      for (const [name, { id }] of stored) if (ids.includes(id)) stored.delete(name)
      return { status: 'deletion_started', message: '', doc_id: ids[0] }
    })
    app.get('/documents/pipeline_status', async () => ({ busy: false }))
    const { url } = await listen(app, '127.0.0.1', 0)
    const client = httpGraphTargetClient(url, null, { pollMs: 1 })
    await client.upload({ id: '2024/report.md', title: 'Report', text: 'new' }, signal)
    expect(deleted).toEqual(['doc-1'])
    expect([...stored].map(([name, { text }]) => [name, text])).toEqual([
      ['other.md', 'of others'],
      ['2024%2Freport.md', 'new'],
    ])
  })

  it('waits for an engine that queues only after it has answered', async () => {
    let polls = 0
    const app = testServer()
    app.get('/documents/pipeline_status', async () => ({ busy: false, latest_message: '' }))
    app.get('/documents/track_status/:id', async () => {
      polls += 1
      const document = {
        id: 'd',
        content_summary: '',
        content_length: 1,
        created_at: '',
        updated_at: '',
        file_path: 'a',
      }
      const documents = polls < 3 ? [] : [{ ...document, status: polls < 5 ? 'PENDING' : 'PROCESSED' }]
      return { track_id: 't', documents, total_count: documents.length, status_summary: {} }
    })
    const { url } = await listen(app, '127.0.0.1', 0)
    const client = httpGraphTargetClient(url, null, { pollMs: 1 })
    expect(await client.drain(['t'], Date.now() + 10_000, signal)).toEqual({ processed: 1, failed: [] })
    expect(polls).toBe(5)
  })

  it('reports which failures may pass', async () => {
    const url = await serve(bench.open({ apiKey: KEY }))
    const document = { id: 'a', title: 'A', text: YARD }
    await expect(httpGraphTargetClient(url, 'wrong').upload(document, signal)).rejects.toMatchObject({
      name: 'GraphTargetError',
      status: 403,
      transient: false,
    })
    await expect(httpGraphTargetClient('http://127.0.0.1:1', KEY).upload(document, signal)).rejects.toMatchObject({
      status: null,
      transient: true,
    })
    const release = Promise.withResolvers<undefined>()
    const slow = bench.open({
      apiKey: KEY,
      stateFile: bench.file('slow'),
      models: scriptedModels({ onExtract: async () => release.promise }),
    })
    const client = httpGraphTargetClient(await serve(slow), KEY, { pollMs: 5 })
    const { trackId } = await client.upload(document, signal)
    await expect(client.drain([trackId], Date.now() + 30, signal)).rejects.toMatchObject({ transient: true })
    release.resolve(undefined)
  })
})
