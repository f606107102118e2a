import { describe, expect, it, onTestFinished } from 'vitest'
import { json } from '../../../tests/helpers/fault-server.ts'
import { listen } from '../../kit/server.ts'
import { guardWorkflowLoops } from '../composition/workflow-part.ts'
import { registerWebhookRoutes } from './routes.ts'
import { node, respond, webhook, workflow } from '../../../tests/helpers/sample-workflow.ts'
import { testFaultServer, testServer } from '../../../tests/helpers/test-server.ts'
import { createWorkflowEngine } from './workflow-engine.ts'

async function serve(file: object, env: Record<string, string> = {}): Promise<string> {
  const engine = createWorkflowEngine({ env: () => env })
  engine.seed(file)
  const app = testServer()
  guardWorkflowLoops(app, new Set(['adaptive']))
  registerWebhookRoutes(app, engine)
  app.post('/ask', async () => ({ ok: true }))
  const { url } = await listen(app, '127.0.0.1', 0)
  onTestFinished(() => engine.close())
  return url
}

async function ask(url: string, init: RequestInit = {}): Promise<[number, unknown, Headers]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"x"}',
    ...init,
  })
  return [response.status, await response.json(), response.headers]
}

const echo = workflow([webhook(), respond('={{ $json }}')], { Webhook: [['Respond']] })

describe('webhooks', () => {
  it('give the workflow what was sent, without credentials', async () => {
    const url = await serve(echo)
    const headers = { 'content-type': 'application/json', authorization: 'Bearer secret', 'x-own': '1' }
    const [status, body] = await ask(`${url}/webhook/hook?a=1`, { headers })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      body: { query: 'x' },
      query: { a: '1' },
      headers: { 'x-own': '1' },
      executionMode: 'production',
    })
    expect(JSON.stringify(body)).not.toContain('secret')
  })

  it('name the field of the body that is missing or no text', async () => {
    const url = await serve(
      workflow([webhook(), respond('={{ $json.body.query.trim() }}')], { Webhook: [['Respond']] }),
    )
    const message = "Node 'Respond': the request body needs the field 'query' as a text"
    for (const body of ['{}', '{"query":7}', '{"query":null}'])
      expect((await ask(`${url}/webhook/hook`, { body })).slice(0, 2)).toEqual([422, { code: 422, message }])
  })

  it('answer 404 like n8n for what is not registered', async () => {
    const url = await serve(echo)
    const [missing, body] = await ask(`${url}/webhook/nowhere`)
    expect([missing, body]).toEqual([
      404,
      {
        code: 404,
        message: 'The requested webhook "POST nowhere" is not registered.',
        hint: expect.stringContaining('must be active'),
      },
    ])
    const wrong = await fetch(`${url}/webhook/hook`)
    expect([wrong.status, await wrong.json()]).toEqual([
      404,
      { code: 404, message: 'This webhook is not registered for GET requests. Did you mean to make a POST request?' },
    ])
    const inactive = await serve({ ...echo, active: false })
    expect((await ask(`${inactive}/webhook/hook`))[0]).toBe(404)
  })

  it('answer 500 with code 0 for a run that failed, and pass on what it has cost and the error', async () => {
    const upstream = await testFaultServer()
    const error = { message: 'the upstream is limiting requests', code: 'rate_limited' }
    const spent = { 'x-rag-ladder-llm-calls': '2', 'x-rag-ladder-cloud-calls': '1' }
    upstream.script(json({ error }, 429, { ...spent, 'retry-after': '7' }), json({ error: 'x' }, 502))
    const call = node('Call', 'httpRequest', 4.2, { url: '={{ $env.BASE }}', options: {} })
    const url = await serve(
      workflow([webhook(), call, respond('={{ $json }}')], { Webhook: [['Call']], Call: [['Respond']] }),
      { BASE: upstream.url },
    )
    const [status, body, headers] = await ask(`${url}/webhook/hook`)
    const message = (code: number) => `Node 'Call': the request was answered with HTTP ${code}`
    expect([status, body]).toEqual([500, { code: 0, message: message(429), error }])
    expect(Object.fromEntries(headers)).toMatchObject({ ...spent, 'retry-after': '7' })
    expect((await ask(`${url}/webhook/hook`)).slice(0, 2)).toEqual([500, { code: 0, message: message(502) }])
  })

  it('report in their own shape that a body is no JSON', async () => {
    const url = await serve(echo)
    const [status, body] = await ask(`${url}/webhook/hook`, { body: '{' })
    expect([status, body]).toMatchObject([400, { code: 400, message: expect.any(String) }])
  })

  it('cannot be started by a workflow again', async () => {
    const url = await serve(echo)
    const asWorkflow = { 'content-type': 'application/json', 'x-rag-ladder-workflow': 'sample' }
    const body = JSON.stringify({ model: 'adaptive' })
    expect((await ask(`${url}/ask`, { headers: asWorkflow, body }))[0]).toBe(508)
    expect((await ask(`${url}/ask`, { headers: asWorkflow, body: '{"model":"other"}' }))[0]).toBe(200)
    expect((await ask(`${url}/ask`, { body }))[0]).toBe(200)
  })
})
