import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeModelHost } from '../../../../tests/helpers/fake-model-host.ts'
import { hang, json, resetMidBody, text } from '../../../../tests/helpers/fault-server.ts'
import type { Behaviour } from '../../../../tests/helpers/fault-server.ts'
import { ragFixture, WORLD } from '../../../../tests/helpers/rag-fixture.ts'
import { httpWorkflowClient } from './workflow-client.ts'
import { testFaultServer } from '../../../../tests/helpers/test-server.ts'

const SOURCES = [{ title: 'a.md', snippet: 'Text', score: 0.5, text: 'Text of a', document: 'a.md' }]
const EXTENSION = {
  schema_version: 1,
  answer: 'In Tarnwick.',
  sources: SOURCES,
  metrics: { seconds: 2, chunks: 4, llm_calls: 3, cloud_calls: 2 },
  trajectory: [{ step: 1 }],
}
const ANSWER = { answer: 'In Tarnwick.', route: 'several-steps', approach: 'agentic-rag', rag_extension: EXTENSION }

async function open(behaviour: Behaviour, more: { cloud?: boolean; timeoutMs?: number; mostUnderWay?: number } = {}) {
  const server = await testFaultServer()
  server.script(behaviour)
  const workflow = httpWorkflowClient({ url: () => `${server.url}/webhook/adaptive-rag`, token: 'door', ...more })
  const models = fakeModelHost({ cloud: more.cloud === true ? ['workflow_classifier'] : [] })
  const fixture = await ragFixture(models, WORLD, { workflow })
  onTestFinished(() => workflow.close())
  const ask = (signal?: AbortSignal, more: { context_budget?: number } = {}) =>
    fixture.plugin.answer(
      'workflow-adaptive-rag',
      { model: 'x', messages: [{ role: 'user', content: 'Where?' }], ...more },
      signal,
    )
  return { ask, server }
}

describe('workflow-adaptive-rag', () => {
  it('keeps the delegate’s evidence and adds route, approach and one model call', async () => {
    const { ask, server } = await open(json(ANSWER), { cloud: true })
    const { rag_extension: extension } = await ask()
    const unreported = { cloud: true, input_tokens: 0, output_tokens: 0 }
    expect(extension).toEqual({
      schema_version: 1,
      answer: 'In Tarnwick.',
      sources: SOURCES,
      metrics: {
        seconds: expect.any(Number),
        chunks: 4,
        llm_calls: 4,
        cloud_calls: 3,
        model_usage: [
          { ...unreported, model: 'fake-workflow_classifier', calls: 1, unreported: 1 },
          // A delegate elsewhere that does not name its models: what it used is not known.
          { ...unreported, model: null, calls: 3, unreported: 1 },
        ],
      },
      trajectory: [{ step: 1 }],
      adaptive: { route: 'several-steps', approach: 'agentic-rag' },
    })
    expect(server.requests).toMatchObject([
      { path: '/webhook/adaptive-rag', body: '{"query":"Where?"}', headers: { authorization: 'Bearer door' } },
    ])
  })

  it('hands the context budget to the workflow, and reports what the delegate handed over', async () => {
    const metrics = { ...EXTENSION.metrics, context_tokens: 950, context_tokens_by: 'x', context_budget: 1000 }
    const { ask, server } = await open(json({ ...ANSWER, rag_extension: { ...EXTENSION, metrics } }))
    const { rag_extension: extension } = await ask(undefined, { context_budget: 1000 })
    expect(server.requests[0]!.body).toBe('{"query":"Where?","context_budget":1000}')
    expect(extension!.metrics).toMatchObject({ context_tokens: 950, context_budget: 1000 })
  })

  it('passes on the passages that a graph delegate used, beside its marker', async () => {
    const used = [{ title: 'a.md', snippet: 'Text', score: null, text: 'Text of a', document: 'a.md' }]
    const marker = [{ title: 'knowledge graph (hybrid)', snippet: '', score: 1, kind: 'knowledge_graph' }]
    const delegated = { ...EXTENSION, sources: marker, used_passages: used }
    const { ask } = await open(json({ ...ANSWER, approach: 'graph-rag', rag_extension: delegated }))
    expect((await ask()).rag_extension).toMatchObject({ sources: marker, used_passages: used })
  })

  it('adds up token counts only where both were reported', async () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }
    const both = await open(json({ ...ANSWER, usage: { classifier: usage, delegate: usage } }))
    expect((await both.ask()).usage).toEqual({ prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 })
    const one = await open(json({ ...ANSWER, usage: { classifier: usage } }))
    expect((await one.ask()).usage).toBeUndefined()
  })

  it.each([
    ['an empty answer', { ...ANSWER, answer: ' ' }],
    ['no evidence', { ...ANSWER, rag_extension: undefined }],
    ['evidence of another version', { ...ANSWER, rag_extension: { ...EXTENSION, schema_version: 2 } }],
    ['a delegate that is unknown', { ...ANSWER, approach: 'gpt-5' }],
    ['a delegate that is a workflow itself', { ...ANSWER, approach: 'workflow-adaptive-rag-default' }],
    ['an experimental delegate', { ...ANSWER, approach: 'lazy-graph-rag' }],
    ['a list', [ANSWER]],
  ])('refuses %s', async (_what, body) => {
    const { ask } = await open(json(body))
    await expect(ask()).rejects.toMatchObject({ code: 'workflow_answer_refused', status: 502 })
  })

  it.each([
    ['fails', json({ code: 0, message: 'secret' }, 500), 'workflow_failed', 502, 1],
    [
      'fails and reports its cost',
      json({ code: 0 }, 500, { 'x-rag-ladder-llm-calls': '2', 'x-rag-ladder-cloud-calls': '0' }),
      'workflow_failed',
      502,
      3,
    ],
    ['is not there', json({ code: 404 }, 404), 'workflow_failed', 502, 0],
    ['is no engine', text('<html>'), 'workflow_answer_refused', 502, 1],
    ['breaks off', resetMidBody, 'workflow_failed', 502, 0],
    ['hangs', hang, 'workflow_timeout', 504, 0],
  ] as const)('that %s is a typed failure', async (_what, behaviour, code, status, llmCalls) => {
    const { ask } = await open(behaviour, { timeoutMs: behaviour === hang ? 100 : 20_000 })
    const error = await ask().catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code, status, calls: { llmCalls } })
    expect((error as Error).message).not.toContain('secret')
  })

  it.each([
    ['unauthorized', 'model_access_refused', 502],
    ['model_access_refused', 'model_access_refused', 502],
    ['rate_limited', 'rate_limited', 429],
    ['context_length_exceeded', 'context_length_exceeded', 400],
    ['content_filtered', 'content_filtered', 400],
    ['refused', 'refused', 400],
    ['timeout', 'model_timeout', 504],
    ['upstream_error', 'model_failed', 502],
    ['model_answer_invalid', 'model_answer_invalid', 502],
    ['graph_empty', 'graph_empty', 409],
  ])('keeps what failed in the workflow: %s is %s', async (reported, code, status) => {
    const error = { message: 'the model call for role light_gen failed: it said so', code: reported }
    const { ask } = await open(json({ code: 0, message: 'Node failed', error }, 500, { 'retry-after': '7' }))
    await expect(ask()).rejects.toMatchObject({ code, status, message: error.message, headers: { 'retry-after': '7' } })
  })

  it('keeps that a second call cannot help', async () => {
    const error = { message: 'the upstream does not know the model', code: 'unknown_model' }
    const { ask } = await open(json({ code: 0, message: 'Node failed', error }, 500, { 'x-should-retry': 'false' }))
    await expect(ask()).rejects.toMatchObject({ code: 'model_failed', headers: { 'x-should-retry': 'false' } })
  })

  it('names the words of an error whose code is unknown', async () => {
    const error = { message: 'There is no model "x"', code: 'model_not_found' }
    const { ask } = await open(json({ code: 0, message: 'Node failed', error }, 500))
    const message = 'the workflow failed (HTTP 500): There is no model "x"'
    await expect(ask()).rejects.toMatchObject({ code: 'workflow_failed', status: 502, message })
  })

  it('reports that the answer of its delegate was cut', async () => {
    const metrics = { ...EXTENSION.metrics, is_cut: true }
    const { ask } = await open(json({ ...ANSWER, rag_extension: { ...EXTENSION, metrics } }))
    const { choices, rag_extension: extension } = await ask()
    expect([choices[0]!.finish_reason, extension!.metrics.is_cut]).toEqual(['length', true])
  })

  it('adds what classifier and delegate waited for their turn', async () => {
    const metrics = { ...EXTENSION.metrics, waited_s: 1.5 }
    const body = { ...ANSWER, rag_extension: { ...EXTENSION, metrics } }
    const { ask } = await open(json(body, 200, { 'x-rag-ladder-waited-ms': '250' }))
    expect((await ask()).rag_extension!.metrics.waited_s).toBe(1.75)
  })

  it('lets so many runs under way and no more, and stops with its caller', async () => {
    const { ask } = await open(hang, { mostUnderWay: 1 })
    const leave = new AbortController()
    const first = ask(leave.signal)
    await expect(ask()).rejects.toMatchObject({ code: 'workflow_busy', status: 429, headers: { 'retry-after': '1' } })
    leave.abort(new Error('gone'))
    await expect(first).rejects.toMatchObject({ code: 'cancelled' })
  })
})
