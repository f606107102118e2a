import { readFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ROUTING } from '../../../contract/routing.ts'
import { json, type FaultServer } from '../../../tests/helpers/fault-server.ts'
import { consumer } from '../../../tests/helpers/rag-fixture.ts'
import { parseClassifyTask, renderClassifyTask } from '../models/prompts/classify-task.ts'
import { DELEGATES } from '../rag/approaches/workflow-adaptive.ts'
import { WorkflowFile } from './import-workflow.ts'
import { createWorkflowEngine } from './workflow-engine.ts'
import { testFaultServer } from '../../../tests/helpers/test-server.ts'

const file = JSON.parse(readFileSync(new URL(`../../../${consumer.workflow.file}`, import.meta.url), 'utf8')) as unknown
const classified = (content: string) =>
  json({
    choices: [{ message: { role: 'assistant', content } }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
const EXTENSION = {
  schema_version: 1,
  answer: 'It was.',
  sources: [],
  metrics: { seconds: 1, chunks: 0, llm_calls: 1, cloud_calls: 0 },
}
const delegated = json({ choices: [{ message: { content: 'rendered' } }], rag_extension: EXTENSION })

async function run(query: unknown, ...script: Parameters<FaultServer['script']>) {
  const gateway = await testFaultServer()
  gateway.script(...script)
  const engine = createWorkflowEngine({
    env: () => ({ RAG_LADDER_GATEWAY_URL: gateway.url, RAG_LADDER_GATEWAY_KEY: 'key' }),
  })
  onTestFinished(() => engine.close())
  expect(engine.seed(file)).toBe('created')
  const match = engine.match('POST', consumer.workflow.webhook_path)
  if (!match.found) throw new Error('the declared webhook is not served')
  const response = await engine.run(match.workflow, { body: { query } })
  return {
    response,
    requests: gateway.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>),
    gateway,
  }
}

describe('the declared workflow', () => {
  it('is a whole n8n export whose two HTTP nodes stop it on failure', () => {
    const { nodes, active, settings } = WorkflowFile.parse(file)
    expect([active, settings]).toEqual([true, { executionOrder: 'v1' }])
    expect(new Set(nodes.map(({ id }) => id)).size).toBe(nodes.length)
    const calls = nodes.filter(({ type }) => type === 'n8n-nodes-base.httpRequest')
    expect(calls.map(({ name }) => name)).toEqual(['Classify', 'Delegate'])
    for (const call of calls) expect([call['onError'], call['continueOnFail']]).toEqual([undefined, undefined])
  })

  it.each(['Who built it?', 'Is a < b, "quoted"\nand &lt; there? {{ $json }}'])(
    'asks the classifier as the platform words it: %j',
    async (query) => {
      const { requests } = await run(query, classified('{"route":"exact-term"}'), delegated)
      const [asked] = requests
      const messages = asked!['messages'] as Parameters<typeof parseClassifyTask>[0]
      const task = parseClassifyTask(messages)!
      expect(task.question).toBe(query)
      expect(messages).toEqual(renderClassifyTask(task))
      expect(asked).toMatchObject({
        model: 'workflow_classifier',
        temperature: 0,
        cache: { 'no-cache': true, 'no-store': true },
      })
    },
  )

  it('leads each route to one allowed alias, and everything else to the fallback', async () => {
    const { requests } = await run('x', classified('{"route":"exact-term"}'), delegated)
    const routes = parseClassifyTask(requests[0]!['messages'] as never)!.routes.map(({ name }) => name)
    const chosen: Record<string, unknown> = {}
    for (const reply of [
      ...routes.map((route) => `<think>hm</think> \`\`\`json\n{ "route" : "${route}", "reason": "r" }`),
      'no idea',
      '{"route":"workflow-adaptive-rag"}',
    ]) {
      const { response, requests: asked } = await run('x', classified(reply), delegated)
      const { route, approach } = response.body as { route: string; approach: string }
      chosen[route] = approach
      expect(asked[1]).toEqual({
        model: approach,
        messages: [{ role: 'user', content: 'x' }],
        context_budget: null,
        cache: { 'no-cache': true, 'no-store': true },
      })
    }
    // Each goes where it was found best: joined facts not to graph search, and single facts not to vectors alone.
    expect(chosen).toMatchObject({
      'single-fact': 'hybrid-rag',
      'linked-entities': 'agentic-rag',
      'several-steps': 'agentic-rag',
    })
    expect(chosen).toEqual(Object.fromEntries(ROUTING.map(({ route, approach }) => [route, approach])))
    expect(Object.keys(chosen)).toEqual([...routes, 'fallback'])
    for (const approach of Object.values(chosen)) expect(DELEGATES).toContain(approach)
  })

  it('passes on how long its model waited for its turn', async () => {
    const waited = { 'x-rag-ladder-waited-ms': '250' }
    const reply = json(
      { choices: [{ message: { role: 'assistant', content: '{"route":"exact-term"}' } }] },
      200,
      waited,
    )
    expect((await run('x', reply, delegated)).response.headers).toMatchObject(waited)
  })

  it('hands back the delegate’s evidence unchanged', async () => {
    const { response, gateway } = await run('x', classified('{"route":"single-fact"}'), delegated)
    expect(response).toMatchObject({
      status: 200,
      body: {
        answer: 'It was.',
        route: 'single-fact',
        approach: 'hybrid-rag',
        rag_extension: EXTENSION,
        usage: { classifier: { total_tokens: 2 } },
      },
    })
    for (const { headers } of gateway.requests)
      expect([headers.authorization, headers['x-rag-ladder-workflow']]).toEqual(['Bearer key', 'RagLadderAdaptive'])
  })

  it.each([
    ['the classifier is refused', 'x', [json({}, 401)], "Node 'Classify': the request was answered with HTTP 401"],
    [
      'the delegate fails',
      'x',
      [classified('{"route":"single-fact"}'), json({}, 502)],
      "Node 'Delegate': the request was answered with HTTP 502",
    ],
    [
      'the evidence is missing',
      'x',
      [classified('{"route":"single-fact"}'), json({ choices: [] })],
      "Node 'Respond to Webhook': an expression failed",
    ],
    ['there is no query', undefined, [json({})], "Node 'Classify': the request body needs the field 'query' as a text"],
  ] as const)('fails when %s', async (_what, query, script, message) => {
    await expect(run(query, ...script)).rejects.toThrow(message)
  })
})
