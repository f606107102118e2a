import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ChatCompletion, ModelList } from '../../contract/http/chat.ts'
import { EvaluateResponse } from '../../contract/http/evaluate.ts'
import { IngestionAccepted } from '../../contract/http/ingestion.ts'
import { PlatformHealth, PluginList } from '../../contract/http/platform.ts'
import { RerankAdapterResponse } from '../../contract/http/rerank.ts'
import { scoreRetrieval } from '../../main/evaluation/retrieval-scores.ts'
import type { ResearchResult } from '../../providers/platform/specified/research/run-research.ts'
import { normalizeEvidence } from '../../main/runner/cells/normalize-evidence.ts'
import { json, startFaultServer, type Behaviour } from '../helpers/fault-server.ts'
import {
  DOCUMENTS,
  QUESTION,
  TOKEN,
  RERANK_TOKEN,
  GRAPH_KEY,
  start,
  here,
  call,
  usage,
  counted,
  ask,
  ingest,
  useSmallPlatform,
} from '../helpers/small-platform.ts'

useSmallPlatform()

/** Approaches that rules cannot serve. */
const NEED_A_MODEL = ['hyde-rag', 'multi-query-rag', 'raptor-rag']

describe('before anything is ingested', () => {
  it('was ready at once, and reports its version', async () => {
    expect(here.platform.startMs).toBeLessThan(10_000)
    const health = PlatformHealth.parse(await (await fetch(`${here.platform.url}/health`)).json())
    expect(health).toMatchObject({ status: 'healthy', models: { set: 'builtin' } })
    expect(await (await call('/ready')).json()).toEqual({
      status: 'ready',
      dependencies: {
        vector_store: 'ready',
        ingestion: 'ready',
        database: 'ready',
        object_store: 'ready',
        gateway: 'ready',
        graph_engine: 'ready',
        workflow_engine: 'ready',
      },
    })
    expect(await usage()).toEqual({ model_calls: {}, alias_calls: {}, model_records: [], model_usage: [] })
  })

  it('lists every declared alias and the keyword baseline with what they can do', async () => {
    const list = ModelList.parse(await (await call('/v1/models')).json())
    const aliases = list.data.filter((entry) => entry.rag_ladder !== undefined)
    expect(aliases).toHaveLength(25)
    for (const entry of aliases) expect(entry.rag_ladder!.available).toBe(entry.rag_ladder!.reason === null)
    const isReady = ({ rag_ladder: state }: (typeof aliases)[number]) =>
      state!.available || state!.needs_ingestion !== true
    // The model alone needs no document; what searches by a model's words has no use for rules.
    expect(aliases.filter(isReady).map(({ id }) => id)).toEqual(['no-retrieval', ...NEED_A_MODEL])
    for (const { id, rag_ladder: state } of aliases)
      if (NEED_A_MODEL.includes(id)) expect(state!.reason).toContain('needs a language model for ')
  })

  it.each([
    ['vanilla-rag', "collection RagBase_smoke does not exist: ingest profile 'smoke' first"],
    ['contextual-rag', "ingest profile 'smoke' and build its contextual collection first"],
    ['graph-rag', 'the knowledge graph holds no documents: ingest the active profile first'],
    ['agentic-rag', 'collection RagBase_smoke does not exist'],
    ['workflow-adaptive-rag', 'collection RagBase_smoke does not exist'],
  ])('%s refuses to answer without data, and names what is missing', async (alias, reason) => {
    const answer = await ask(alias)
    expect([answer.status, await answer.json()]).toMatchObject([
      503,
      { error: { code: 'alias_unavailable', param: 'model', message: expect.stringContaining(reason) } },
    ])
  })
})

describe('the gateway’s door', () => {
  it('refuses a caller without a key in the form of the API, also where there is no route', async () => {
    for (const path of ['/v1/models', '/v1/responses']) {
      const answer = await fetch(here.platform.url + path)
      expect([answer.status, await answer.json()]).toMatchObject([401, { error: { code: 'invalid_api_key' } }])
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    }
  })

  it('lets pages of a listed origin in, and none of another', async () => {
    const preflight = (origin: string) =>
      fetch(`${here.platform.url}/v1/chat/completions`, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization, x-stainless-lang',
        },
      })
    const allowed = await preflight('https://chat.example')
    expect([allowed.status, allowed.headers.get('access-control-allow-headers')]).toEqual([
      204,
      'authorization, x-stainless-lang',
    ])
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://chat.example')
    const foreign = await preflight('https://evil.example')
    expect([foreign.status, foreign.headers.get('access-control-allow-origin')]).toEqual([403, null])
  })
})

describe('ingestion', () => {
  it('takes three documents through the phases, each extracted once and embedded in one call per store, and once only', async () => {
    const first = await counted(ingest)
    expect(first.result).toMatchObject({ status: 'completed', profile: 'smoke', counts: { documents_parsed: 3 } })
    expect(first.calls).toEqual({ embed: 2, graph_extract: 3 })
    const second = await counted(ingest)
    expect([second.result.id, second.calls]).toEqual([first.result.id, {}])
  })

  it('derives the contextual collection with one blurb per chunk', async () => {
    const { result, calls } = await counted(async () =>
      (await call('/rag/contextual/build', { profile: 'smoke' })).json(),
    )
    const { chunks } = result as { chunks: number }
    expect(chunks).toBe(3)
    expect(calls).toEqual({ contextual_blurb: 3, embed: 1 })
  })
})

describe('research', () => {
  it('answers from the ingested corpus with its sources, by the built-in models', async () => {
    const started = (await (await call('/research/start', { query: QUESTION })).json()) as { session_id: string }
    const url = `/research/${started.session_id}`
    await expect
      .poll(async () => (await call(`${url}/status`)).json(), { timeout: 20_000 })
      .toMatchObject({
        status: 'done',
        error: null,
      })
    const { result } = (await (await call(`${url}/result`)).json()) as { result: ResearchResult }
    expect(result.answer).toContain('Edith Marlowe')
    expect(result.sources[0]).toMatchObject({ number: 1, document: { name: 'lighthouse.md' } })
    expect(result.report).toContain('[1]')
  })
})

describe('media', () => {
  it('answers 503 without an image service, and names the variable', async () => {
    const asked = { modality: 'image', provider: 'local', input: { prompt: 'A lighthouse', width: 64, height: 64 } }
    const answer = await call('/media/generate', asked)
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('set COMFYUI_URL')])
  })
})

describe('answers', () => {
  it('of all aliases cost what they report, once as JSON and once as a stream', async () => {
    const list = ModelList.parse(await (await call('/v1/models')).json())
    const answering = list.data.filter(({ id, rag_ladder: state }) => state !== undefined && !NEED_A_MODEL.includes(id))
    for (const alias of answering.map(({ id }) => id)) {
      const json = await counted(async () => ChatCompletion.parse(await (await ask(alias)).json()))
      const { metrics, answer, adaptive, sources } = json.result.rag_extension!
      const chats = ['light_gen', 'agentic', 'graph_keyword', 'graph_query', 'workflow_classifier']
      expect(chats.reduce((sum, role) => sum + (json.calls[role] ?? 0), 0)).toBe(metrics.llm_calls)
      expect(json.calls[alias]).toBe(1)
      if (alias !== 'no-retrieval') expect(answer).toContain('Edith Marlowe')
      if (alias.startsWith('graph')) expect(sources).toMatchObject([{ kind: 'knowledge_graph', snippet: '' }])
      if (adaptive !== undefined) expect(json.calls).toMatchObject({ workflow_classifier: 1, [adaptive.approach]: 1 })
      const stream = await counted(async () => (await ask(alias, { stream: true })).text())
      expect(stream.calls).toEqual(json.calls)
      expect(stream.result.trimEnd().split('\n\n')).toHaveLength(2)
      expect(stream.result).toContain(JSON.stringify(answer))
    }
  })

  it('of the graph carry the passages used, which only the retrieval metrics score', async () => {
    const body: unknown = await (await ask('graph-rag')).json()
    const row = normalizeEvidence(body, 'answer_only')
    if (!row.ok) throw new Error(row.message)
    const { contexts, sources, used_passages: usedPassages = null } = row.evidence
    expect([contexts, sources]).toMatchObject([[], [{ kind: 'knowledge_graph' }]])
    const gold = [{ document: 'lighthouse.md', fact: 'Edith Marlowe' }]
    const evidence = { capability: 'answer_only', gold, sources, contexts } as const
    expect(scoreRetrieval({ ...evidence, usedPassages })).toMatchObject({ status: 'ok', scores: { recall_at_5: 1 } })
    expect(scoreRetrieval({ ...evidence, usedPassages: null })).toMatchObject({ reason: 'answer_only' })
  })

  it('come from the cache only when the request lets them, and not after the data changed', async () => {
    expect((await counted(() => ask('vanilla-rag', { cache: undefined }))).calls).toEqual({
      embed: 1,
      light_gen: 1,
      'vanilla-rag': 1,
    })
    const cached = () => ask('vanilla-rag', { cache: { 'use-cache': true } })
    await cached()
    const again = await counted(cached)
    expect([again.calls, again.result.headers.get('x-rag-ladder-cache')]).toEqual([{}, 'hit'])
    expect((await counted(() => ask('vanilla-rag'))).calls).toEqual({ embed: 1, light_gen: 1, 'vanilla-rag': 1 })
    await writeFile(join(here.folder, 'corpus', 'smoke', 'bread.md'), `${DOCUMENTS['bread.md']}Some add caraway.\n`)
    expect((await ingest()).status).toBe('completed')
    expect((await counted(cached)).calls).toEqual({ embed: 1, light_gen: 1, 'vanilla-rag': 1 })
  })
})

describe('the workflow engine', () => {
  const webhook = (body: unknown) => call('/webhook/adaptive-rag', body)

  it('answers its webhook with what a delegate found', async () => {
    const { result, calls } = await counted(async () => (await webhook({ query: QUESTION })).json())
    const answer = result as { answer: string; route: string; approach: string; rag_extension: object }
    expect(answer).toMatchObject({
      answer: expect.stringContaining('Edith Marlowe'),
      rag_extension: { schema_version: 1 },
    })
    expect(calls).toMatchObject({ workflow_classifier: 1, [answer.approach]: 1 })
  })

  it('names a missing query, fails like n8n elsewhere, and never leads back to itself', async () => {
    const bad = await webhook({ question: QUESTION })
    expect([bad.status, await bad.json()]).toEqual([422, { code: 422, message: expect.stringContaining('query') }])
    expect((await call('/webhook/nowhere', {})).status).toBe(404)
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'x-rag-ladder-workflow': 'any',
    }
    const body = JSON.stringify({ model: 'workflow-adaptive-rag', messages: [{ role: 'user', content: QUESTION }] })
    const loop = await fetch(`${here.platform.url}/v1/chat/completions`, { method: 'POST', headers, body })
    expect([loop.status, await loop.json()]).toMatchObject([508, { error: { code: 'delegation_loop' } }])
  })
})

describe('the graph engine', () => {
  const graph = (path: string, key = GRAPH_KEY) =>
    fetch(`${here.platform.url}/graph-engine${path}`, { headers: { 'x-api-key': key } })

  it('holds what was ingested, protected by its own key', async () => {
    expect(await (await graph('/documents/status_counts')).json()).toMatchObject({
      status_counts: { processed: 3, failed: 0 },
    })
    const picture = (await (await graph('/graph')).json()) as { nodes: { label: string }[] }
    expect(picture.nodes.map(({ label }) => label)).toContain('Edith Marlowe')
    expect((await graph('/graph', 'wrong')).status).toBe(403)
  })

  it('forgets documents that left the corpus, and everything at a cold start', async () => {
    const path = join(here.folder, 'corpus', 'smoke', 'bread.md')
    await rm(path)
    expect((await ingest()).counts).toMatchObject({ documents_uploaded: 2, documents_removed: 1 })
    expect(await (await graph('/documents/status_counts')).json()).toMatchObject({ status_counts: { all: 2 } })
    const reset = await fetch(`${here.platform.url}/api/rag/ingestions/profiles/smoke`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    expect(reset.status).toBe(200)
    expect(await (await graph('/documents/status_counts')).json()).toMatchObject({ status_counts: { all: 0 } })
    await writeFile(path, DOCUMENTS['bread.md'])
    expect((await ingest()).status).toBe('completed')
  })
})

describe('the other surfaces', () => {
  it('score an answer by rules, with null for what lacks its evidence', async () => {
    const record = {
      question: QUESTION,
      answer: 'Edith Marlowe built the lighthouse on Harrow Point in 1874.',
      contexts: [DOCUMENTS['lighthouse.md']],
    }
    const { result, calls } = await counted(async () => {
      const metrics = ['faithfulness', 'answer_relevancy', 'context_recall']
      return EvaluateResponse.parse(await (await call('/api/rag/evaluate', { records: [record], metrics })).json())
    })
    const { scores } = result.results[0]!
    expect(scores['faithfulness']).toBe(1)
    expect(scores['answer_relevancy']).toBeGreaterThan(0)
    expect(scores['context_recall']).toBeNull()
    expect(calls).toEqual({ evaluator_embed: 1 })
    expect(result.evaluator_model).toBe('rule-critic')
  })

  it('ask the one reranker that is configured, for hybrid search and for the graph', async () => {
    const scored: Behaviour = (response, request, body) => {
      const { texts } = JSON.parse(body) as { texts: string[] }
      json(texts.map((_, index) => ({ index, score: 1 / (index + 1) })))(response, request, body)
    }
    const service = await startFaultServer()
    service.script(scored)
    const served = await start({
      RAG_LADDER_STATE_DIR: join(here.folder, 'reranked'),
      RAG_INGESTION_CORPUS_ROOT: join(here.folder, 'corpus'),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: TOKEN,
      GRAPHENGINE_API_KEY: GRAPH_KEY,
      RERANKER_URL: service.url,
    })
    const ingested = await call('/api/rag/ingestions?async_job=false', { profile: 'smoke' }, served)
    expect(IngestionAccepted.parse(await ingested.json()).status).toBe('completed')
    const asked = async (model: string): Promise<number> => {
      const before = service.requests.length
      const body = { model, messages: [{ role: 'user', content: QUESTION }] }
      expect((await call('/v1/chat/completions', body, served)).status).toBe(200)
      return service.requests.slice(before).filter(({ path }) => path === '/rerank').length
    }
    expect([await asked('hybrid-rag'), await asked('graph-rag-rerank')]).toEqual([1, 1])
    expect((await usage(served)).model_calls).not.toHaveProperty('rerank')
    await served.stop()
    await service.close()
  })

  it('chunk, rerank and embed over HTTP', async () => {
    const chunked = await call('/api/chunk', { text: 'One sentence. Another one.', chunk_size: 14, overlap: 0 })
    expect(chunked.status).toBe(200)
    const ranked = await call('/rerank', { query: QUESTION, texts: Object.values(DOCUMENTS) })
    expect(((await ranked.json()) as { index: number }[])[0]!.index).toBe(0)
    const embedded = await call('/v1/embeddings', { model: 'embed', input: ['one', 'two'] })
    expect(
      ((await embedded.json()) as { data: { embedding: number[] }[] }).data.map((entry) => entry.embedding.length),
    ).toEqual([768, 768])
  })
})

describe('what an operator sees', () => {
  it('is the plugin with its variables masked', async () => {
    const { plugins } = PluginList.parse(await (await call('/plugins')).json())
    expect(plugins).toEqual([
      {
        name: 'rag-ladder',
        route_prefix: '/rag',
        auth: 'inherit',
        env: { RAG_PROFILE: '***', RAG_MODEL_SET: null, RAG_PLUGIN_URL: null },
        status: 'loaded',
        reason: null,
      },
    ])
  })

  it('is what the platform has done, as Prometheus reads it', async () => {
    const answer = await call('/metrics')
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const text = await answer.text()
    const lines = text.trimEnd().split('\n')
    const sample = /^[a-z_]+(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? (\d+(\.\d+)?(e[+-]?\d+)?|\+Inf)$/
    expect(lines.filter((line) => !line.startsWith('# ') && !sample.test(line))).toEqual([])
    const value = (name: string) => Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1])
    const { model_calls: modelCalls, alias_calls: aliasCalls } = await usage()
    expect(value('rag_ladder_model_calls_total{role="light_gen"}')).toBe(modelCalls['light_gen'])
    expect(value('rag_ladder_alias_calls_total{alias="vanilla-rag"}')).toBe(aliasCalls['vanilla-rag'])
    const route = 'method="POST",route="/v1/chat/completions"'
    expect(value(`rag_ladder_http_requests_total{${route},status="503"}`)).toBe(5)
    const answered = lines.filter((line) => line.startsWith(`rag_ladder_http_requests_total{${route}`))
    const sum = answered.reduce((total, line) => total + Number(line.split(' ')[1]), 0)
    expect(value(`rag_ladder_http_request_duration_seconds_count{${route}}`)).toBe(sum)
    expect(value(`rag_ladder_http_request_duration_seconds_bucket{${route},le="+Inf"}`)).toBe(sum)
  })

  it('is the rerank adapter for callers with its token', async () => {
    const headers = { authorization: `Bearer ${RERANK_TOKEN}`, 'content-type': 'application/json' }
    const documents = Array.from({ length: 43 }, (_, index) =>
      index === 40 ? DOCUMENTS['lighthouse.md'] : `page ${index}`,
    )
    const body = JSON.stringify({ query: QUESTION, documents, top_n: 1 })
    const { result, calls } = await counted(async () => {
      const answer = await fetch(`${here.platform.url}/graph-engine/rerank`, { method: 'POST', headers, body })
      return RerankAdapterResponse.parse(await answer.json())
    })
    expect(result.results.map(({ index }) => index)).toEqual([40])
    expect(calls).toEqual({ rerank: 2 })
  })
})
