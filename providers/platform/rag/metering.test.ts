import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeModelHost, type FakeModelHost, type FakeReply } from '../../../tests/helpers/fake-model-host.ts'
import { chunksOf, consumer, ingest, openStore, pluginOver, WORLD } from '../../../tests/helpers/rag-fixture.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import { ChatCompletion } from '../../../contract/http/chat.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import { createLogger } from '../../kit/logger.ts'
import { createHttpServer, listen } from '../../kit/server.ts'
import { createGateway } from '../gateway/gateway.ts'
import { createResponseCache } from '../gateway/response-cache.ts'
import { createGraphEngine } from '../stores/graph-engine/create-graph-engine.ts'
import type { GraphRerank } from '../stores/graph-engine/query/run-query.ts'
import { TRACE_FIELD, TRACE_HEADER, SentTrace, type TraceLevel } from '../../../contract/evidence/trace.ts'
import { tracedModels } from '../trace/traced-parts.ts'
import { answerBuiltinChat } from '../models/builtin/answer-chat.ts'
import { ModelCallError } from '../models/model-host.ts'
import { registerWebhookRoutes } from '../workflow/routes.ts'
import { createWorkflowEngine } from '../workflow/workflow-engine.ts'
import { httpWorkflowClient } from './adaptive/workflow-client.ts'
import { embeddedGraphQueries } from './graph/embedded-graph-queries.ts'

/** Every alias behind a gateway, over one model host that a test can let fail at its n-th chat call. */
async function openPlatform() {
  const folder = mkdtempSync(join(tmpdir(), 'metering-'))
  let failAt = Infinity
  let chats = 0
  const reply = (role: ModelRole, request: Parameters<FakeModelHost['chat']>[1]): FakeReply => {
    chats += 1
    if (chats === failAt) return new ModelCallError('upstream_error', role, 'secret words', { status: 500 })
    const { text, toolCalls } = answerBuiltinChat(
      request.messages,
      request.tools?.map((tool) => tool.function.name),
    )
    if (toolCalls === undefined) return { text, usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 } }
    return {
      toolCalls: toolCalls.map(({ tool, arguments: given }, at) => ({
        id: `${chats}-${at}`,
        type: 'function',
        function: { name: tool, arguments: JSON.stringify(given) },
      })),
    }
  }
  const fake = fakeModelHost({ chat: (role, request) => reply(role, request), cloud: ModelRole.options })
  const models = Object.assign(tracedModels(fake), { calls: fake.calls })
  const store = openStore(folder)
  await ingest(store, models, 'smoke', chunksOf(WORLD))
  const rerank: GraphRerank = ({ query, documents, models: metered }) => metered.rerank(query, documents)
  const engine = createGraphEngine({ stateFile: join(folder, 'graph.sqlite'), models, rerank, apiKey: null })
  engine.insert(
    Object.entries(WORLD).map(([filePath, { title, paragraphs }]) => ({
      filePath,
      title,
      text: paragraphs.join('\n\n'),
    })),
  )
  await engine.idle()
  const app = createHttpServer({ logger: createLogger('test', 'silent') })
  let url = ''
  const workflows = createWorkflowEngine({ env: () => ({ RAG_LADDER_GATEWAY_URL: url, RAG_LADDER_GATEWAY_KEY: '' }) })
  workflows.seed(JSON.parse(readFileSync(new URL(`../../../${consumer.workflow.file}`, import.meta.url), 'utf8')))
  registerWebhookRoutes(app, workflows)
  const workflow = httpWorkflowClient({ url: () => `${url}/webhook/adaptive-rag`, token: null })
  const plugin = pluginOver(store, models, folder, { graph: embeddedGraphQueries(engine), workflow })
  await plugin.buildContextual('smoke')
  createGateway({
    project: 'test',
    aliases: consumer.aliases,
    backend: plugin,
    models,
    cache: createResponseCache({ ttlMs: 0, maxEntries: 1, maxBytes: 1 }),
    dataVersion: async () => '',
  }).register(app)
  url = (await listen(app, '127.0.0.1', 0)).url

  async function ask(alias: string, content: string, failingCall = Infinity, level: TraceLevel = 'off') {
    models.calls.length = 0
    chats = 0
    failAt = failingCall
    const body = { model: alias, messages: [{ role: 'user', content }], cache: { 'no-cache': true, 'no-store': true } }
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [TRACE_HEADER]: level },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    const count = (name: string) => Number(response.headers.get(name))
    return {
      status: response.status,
      text,
      reported: [count('x-rag-ladder-llm-calls'), count('x-rag-ladder-cloud-calls')],
      made: [models.calls.filter(({ kind }) => kind === 'chat').length, models.calls.length],
    }
  }

  return {
    ask,
    async close() {
      await app.close()
      await plugin.close()
      await Promise.all([workflow.close(), workflows.close(), engine.close()])
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

let platform: Awaited<ReturnType<typeof openPlatform>>
beforeAll(async () => {
  platform = await openPlatform()
})
afterAll(() => platform.close())

const QUESTIONS = [
  'Where did the master of the Grey Heron grow up?',
  'What dries brine?',
  'Which code is TQ-118 replaced by, compared with PX-2?',
]
const ALIASES = consumer.aliases.map(({ alias }) => alias)

describe('what an answer reports as its cost', () => {
  it.each(ALIASES)('is what the model host counted, for %s', async (alias) => {
    for (const question of QUESTIONS) {
      const { status, text, made } = await platform.ask(alias, question)
      expect([status, text.slice(0, 200)]).toEqual([200, expect.any(String)])
      const { rag_extension: extension, usage } = ChatCompletion.parse(JSON.parse(text))
      const { llm_calls: llmCalls, cloud_calls: cloudCalls, model_usage: models = [] } = extension!.metrics
      expect([llmCalls, cloudCalls]).toEqual(made)
      const sum = (figure: (model: ModelUsage) => number) => models.reduce((total, model) => total + figure(model), 0)
      expect(sum(({ calls }) => calls)).toBe(made[1])
      expect(sum(({ input_tokens: input }) => input)).toBe(usage!.prompt_tokens)
      expect(sum(({ output_tokens: output }) => output)).toBe(usage!.completion_tokens)
      // Each chat that reports has 10 tokens of input; embeddings and reranking report none here.
      expect(sum(({ calls, unreported }) => calls - unreported)).toBe(usage!.prompt_tokens / 10)
      expect(models.map(({ model }) => model).toSorted()).toEqual(
        [...new Set(models.map(({ model }) => model))].toSorted(),
      )
      // Replies that call tools report no usage here: what is unknown is not made up.
      expect(usage!.total_tokens % 11).toBe(0)
      expect(usage!.total_tokens).toBeLessThanOrEqual(11 * llmCalls)
    }
  })

  it.each(ALIASES)('is what the model host counted when a call fails, for %s', async (alias) => {
    for (const question of QUESTIONS) {
      const whole = await platform.ask(alias, question)
      for (let failing = 1; failing <= whole.made[0]!; failing += 1) {
        const { status, text, reported, made } = await platform.ask(alias, question, failing)
        // An agent goes on without a tool that failed; everything else fails with what it spent.
        if (status === 200) {
          const { llm_calls: llmCalls, cloud_calls: cloudCalls } = ChatCompletion.parse(JSON.parse(text)).rag_extension!
            .metrics
          expect([llmCalls, cloudCalls]).toEqual(made)
        } else {
          expect([status, reported]).toEqual([502, made])
          expect(text).not.toContain('secret')
        }
      }
    }
  })
})

describe('the trace of an answer', () => {
  const traceIn = (text: string) => {
    const body = JSON.parse(text) as Record<string, unknown> & { rag_extension?: Record<string, unknown> }
    return SentTrace.parse(body.rag_extension?.[TRACE_FIELD] ?? body[TRACE_FIELD])
  }
  const CALLS: readonly string[] = ['model', 'embedding', 'reranker']

  it.each(ALIASES)('has a step with both texts for each call that the model host counted, for %s', async (alias) => {
    const { text, made } = await platform.ask(alias, QUESTIONS[0]!, Infinity, 'full')
    const { steps, texts = {} } = traceIn(text)
    const calls = steps.filter(({ kind }) => CALLS.includes(kind))
    expect(calls).toHaveLength(made[1]!)
    for (const { request, response, name } of calls)
      expect([name, texts[request!.sha256], texts[response!.sha256]]).toEqual([
        name,
        expect.any(String),
        expect.any(String),
      ])
    expect(steps.every(({ parent = -1 }, index) => parent < index)).toBe(true)
    const last = steps.findLast(({ kind }) => kind === 'model')!
    expect(texts[last.response!.sha256]).toContain('"finish_reason"')
  })

  it('puts what an agent’s tools did below them, and what a workflow asked below its requests', async () => {
    const parents = async (alias: string) => {
      const { steps } = traceIn((await platform.ask(alias, QUESTIONS[0]!, Infinity, 'tree')).text)
      return steps.map(({ kind, parent }) => `${parent === undefined ? '' : `${steps[parent]!.kind} > `}${kind}`)
    }
    expect(await parents('agentic-rag')).toEqual(expect.arrayContaining(['model', 'tool', 'tool > search']))
    expect(await parents('workflow-adaptive-rag')).toEqual(
      expect.arrayContaining(['workflow', 'workflow > tool', 'tool > model']),
    )
  })

  it('comes with an error too, without texts where the tree alone was asked for, and not at all without the header', async () => {
    const failed = await platform.ask('vanilla-rag', QUESTIONS[0]!, 1, 'tree')
    expect(failed.status).toBe(502)
    const trace = traceIn(failed.text)
    expect(trace).not.toHaveProperty('texts')
    expect(trace.steps.at(-1)).toMatchObject({ kind: 'model', error: expect.any(String), request: expect.any(Object) })
    expect((await platform.ask('vanilla-rag', QUESTIONS[0]!)).text).not.toContain(TRACE_FIELD)
  })
})
