import { describe, expect, it, onTestFinished } from 'vitest'
import { hang, json, resetMidBody, text } from '../../../tests/helpers/fault-server.ts'
import type { FaultServer } from '../../../tests/helpers/fault-server.ts'
import { node, respond, set, textCondition, webhook, workflow } from '../../../tests/helpers/sample-workflow.ts'
import { createWorkflowEngine, type WorkflowEngine } from './workflow-engine.ts'
import { WorkflowRunError } from './workflow-error.ts'
import { testFaultServer } from '../../../tests/helpers/test-server.ts'

function engineFor(file: object, env: Record<string, string> = {}): WorkflowEngine {
  const engine = createWorkflowEngine({ env: () => env })
  onTestFinished(() => engine.close())
  engine.seed(file)
  return engine
}

async function run(file: object, body: unknown, env: Record<string, string> = {}, signal?: AbortSignal) {
  const engine = engineFor(file, env)
  const match = engine.match('POST', 'hook')
  if (!match.found) throw new Error('not registered')
  return engine.run(match.workflow, { body }, signal)
}

async function server(): Promise<FaultServer> {
  const started = await testFaultServer()
  return started
}

const call = (more: object = {}) =>
  node('Call', 'httpRequest', 4.2, {
    method: 'POST',
    url: '={{ $env.BASE }}/ask',
    sendHeaders: true,
    headerParameters: { parameters: [{ name: 'Authorization', value: '=Bearer {{ $env.KEY }}' }] },
    sendBody: true,
    specifyBody: 'json',
    jsonBody: '={ "q": {{ JSON.stringify($json.body.q) }} }',
    options: {},
    ...more,
  })

describe('a run', () => {
  it('follows a switch to the first rule that is met, else to the extra output, and remembers the way', async () => {
    const file = workflow(
      [
        webhook(),
        node('Switch', 'switch', 3.2, {
          rules: {
            values: [
              {
                conditions: textCondition('={{ $json.body.q }}', 'regex', '^graph\\b'),
                renameOutput: true,
                outputKey: 'g',
              },
              { conditions: textCondition('={{ $json.body.q }}', 'contains', 'graph') },
            ],
          },
          options: { fallbackOutput: 'extra' },
        }),
        set('First', { route: 'first' }),
        set('Second', { route: 'second' }),
        set('Else', { route: 'else' }),
        node('Join', 'noOp', 1, {}),
        respond("={{ { route: $('Join').item.json.route, asked: $('Webhook').item.json.body.q } }}"),
      ],
      {
        Webhook: [['Switch']],
        Switch: [['First'], ['Second'], ['Else']],
        First: [['Join']],
        Second: [['Join']],
        Else: [['Join']],
        Join: [['Respond']],
      },
    )
    const routeOf = async (q: string) => (await run(file, { q })).body
    expect(await routeOf('graph first')).toEqual({ route: 'first', asked: 'graph first' })
    expect(await routeOf('a graph')).toEqual({ route: 'second', asked: 'a graph' })
    expect(await routeOf('other')).toEqual({ route: 'else', asked: 'other' })
  })

  it('branches by If and keeps other fields where Set is asked to', async () => {
    const file = workflow(
      [
        webhook(),
        node('If', 'if', 2.2, {
          conditions: textCondition('={{ $json.body.q }}', 'equals', 'YES', { caseSensitive: false }),
          options: {},
        }),
        set('Add', { extra: 'x' }, { includeOtherFields: true }),
        respond('={{ $json }}'),
        respond('={{ { no: true } }}', 'No'),
      ],
      { Webhook: [['If']], If: [['Add'], ['No']], Add: [['Respond']] },
    )
    expect((await run(file, { q: 'yes' })).body).toEqual({ body: { q: 'yes' }, extra: 'x' })
    expect((await run(file, { q: 'no' })).body).toEqual({ no: true })
  })

  it('calls HTTP with what the expressions give, and names the caller', async () => {
    const upstream = await server()
    upstream.script(json({ answer: 'A' }))
    const file = workflow([webhook(), call(), respond('={{ $json }}')], { Webhook: [['Call']], Call: [['Respond']] })
    const response = await run(file, { q: 'say "hi"\n' }, { BASE: upstream.url, KEY: 'k1' })
    expect(response).toEqual({ status: 200, headers: {}, body: { answer: 'A' } })
    expect(upstream.requests).toMatchObject([
      {
        path: '/ask',
        body: '{ "q": "say \\"hi\\"\\n" }',
        headers: { authorization: 'Bearer k1', 'x-rag-ladder-workflow': 'sample' },
      },
    ])
  })

  it.each([
    ['a refusal', json({ error: 'no' }, 401), "Node 'Call': the request was answered with HTTP 401"],
    ['a failure', text('<h1>oops</h1>', 500), "Node 'Call': the request was answered with HTTP 500"],
    [
      'a redirect',
      json({}, 302, { location: 'http://127.0.0.1:1/' }),
      "Node 'Call': the request was answered with HTTP 302",
    ],
    ['a broken connection', resetMidBody, "Node 'Call': the address cannot be reached"],
    ['no answer in time', hang, "Node 'Call': there was no answer within 60 ms"],
  ])('ends at %s of an HTTP node', async (_what, behaviour, message) => {
    const upstream = await server()
    upstream.script(behaviour)
    const file = workflow(
      [webhook(), call({ options: { timeout: behaviour === hang ? 60 : 20_000 } }), respond('={{ $json }}')],
      { Webhook: [['Call']], Call: [['Respond']] },
    )
    const failed = run(file, { q: 'x' }, { BASE: upstream.url, KEY: 'k' })
    await expect(failed).rejects.toThrow(WorkflowRunError)
    await expect(failed).rejects.toMatchObject({ message, node: 'Call' })
  })

  it.each([
    ['an expression', respond('={{ $json.gone.further }}'), /^Node 'Respond': an expression failed/],
    ['a body that is no JSON', respond('={{ $json.body.q }} and more'), /not valid JSON/],
    ['a field of another type', set('Respond', { a: '={{ $json.body }}' }), /no string/],
  ])('ends at %s', async (_what, last, message) => {
    const file = workflow([webhook(), last], { Webhook: [['Respond']] })
    await expect(run(file, { q: 'x' })).rejects.toThrow(message)
  })

  it('ends when it leads back into itself, and when nothing answers', async () => {
    const circle = workflow([webhook(), set('A', { a: '1' }), set('B', { b: '1' })], {
      Webhook: [['A']],
      A: [['B']],
      B: [['A']],
    })
    await expect(run(circle, {})).rejects.toThrow(/executed 500 nodes/)
    const silent = workflow([webhook(), set('A', { a: '1' })], { Webhook: [['A']] })
    await expect(run(silent, {})).rejects.toThrow('without a response to the webhook')
  })

  it('stops with its caller', async () => {
    const upstream = await server()
    const leave = new AbortController()
    upstream.script(() => leave.abort(new Error('gone')))
    const file = workflow([webhook(), call(), respond('={{ $json }}')], { Webhook: [['Call']], Call: [['Respond']] })
    await expect(run(file, { q: 'x' }, { BASE: upstream.url, KEY: '' }, leave.signal)).rejects.toThrow('gone')
  })
})

it('seeding is idempotent and takes a changed file in place of the old one', () => {
  const engine = createWorkflowEngine({ env: () => ({}) })
  onTestFinished(() => engine.close())
  const file = workflow([webhook(), respond('={{ 1 }}')], { Webhook: [['Respond']] })
  expect(engine.seed(file)).toBe('created')
  expect(engine.seed(structuredClone(file))).toBe('unchanged')
  expect(engine.seed({ ...file, active: false })).toBe('updated')
  expect(engine.match('POST', 'hook')).toEqual({ found: false, otherMethods: [] })
  expect(engine.seed(file)).toBe('updated')
  expect(() => engine.seed({ ...file, nodes: [] })).toThrow()
  expect(engine.match('POST', 'hook')).toMatchObject({ found: true })
})
