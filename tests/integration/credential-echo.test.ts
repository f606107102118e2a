import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { runCliProcess, smokeProject } from '../helpers/cli.ts'
import { startFaultServer, type Behaviour, type FaultServer } from '../helpers/fault-server.ts'

/** Texts that appear nowhere else, so that finding none of them means something. */
const KEYS = {
  MATRIX_GATEWAY_API_KEY: 'canary-gateway/key+1',
  MATRIX_EDGE_API_KEY: 'canary-edge-key-2',
  MATRIX_EVALUATOR_API_KEY: 'canary-evaluator-key-3',
  JUDGE_API_KEY: 'canary-judge-key-4',
  OPENAI_API_KEY: 'canary-model-key-5',
}
const base64 = (text: string): string => Buffer.from(text).toString('base64')
/** Any of these in a text means that a key is in it. */
const TRACES = Object.values(KEYS).flatMap((key) => [
  key,
  encodeURIComponent(key),
  base64(key).slice(0, -4),
  base64(`user:${key}`).slice(8, -4),
])

/** Returns what a request carried, in every form in which a service might repeat it. */
function repeated(headers: IncomingHttpHeaders): string {
  const bearer = (headers.authorization ?? '').replace('Bearer ', '')
  const edge = [headers['apikey']].flat().join()
  return `Authentication Error: Received API Key = Bearer ${bearer}; ${base64(`user:${bearer}`)}; ${base64(bearer)}; ${encodeURIComponent(bearer)}; apikey ${edge}; upstream ${KEYS.OPENAI_API_KEY}`
}

let root: string
let server: FaultServer

/** Each cell's first try fails; the evaluator fails one metric; each judge refuses. All of them repeat what they got. */
const echoing = (): Behaviour => {
  const asked = new Set<string>()
  return (response, request, body) => {
    const { status, value } = echo(asked, request.url ?? '', repeated(request.headers), body)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
}

function echo(asked: Set<string>, path: string, text: string, body: string): { status: number; value: unknown } {
  if (path === '/v1/models') return { status: 200, value: { data: [{ id: 'vanilla-rag' }, { id: 'hybrid-rag' }] } }
  if (path === '/evaluate') {
    const metadata = { metric_errors: { faithfulness: text }, metric_reasons: { answer_relevancy: [text] } }
    const results = [{ record_index: 0, scores: { faithfulness: null, answer_relevancy: 1 }, metadata }]
    return { status: 200, value: { results, evaluator_model: text } }
  }
  if (path.endsWith('/models')) return { status: 200, value: { data: [] } }
  if (path.startsWith('/judge')) return { status: 401, value: { error: { message: text } } }
  const { model, messages } = JSON.parse(body) as { model: string; messages: { content: string }[] }
  const cell = `${model} ${messages[0]!.content}`
  if (!asked.has(cell)) {
    asked.add(cell)
    return { status: 500, value: { error: { message: text } } }
  }
  return { status: 200, value: answered(body, 'Paris') }
}

/** A reply of the gateway whose answer and source are the text. */
function answered(body: string, text: string): unknown {
  return {
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: (JSON.parse(body) as { model: string }).model,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }],
    rag_extension: {
      schema_version: 1,
      answer: text,
      sources: [{ title: 'a.md', snippet: text, score: 1 }],
      metrics: { seconds: 0.001, chunks: 1, llm_calls: 1, cloud_calls: 0 },
    },
  }
}

beforeAll(async () => {
  root = await smokeProject()
  server = await startFaultServer()
  server.script(echoing())
})
afterAll(async () => {
  await server.close()
  await rm(root, { recursive: true, force: true })
})

const tracesIn = (text: string): string[] => TRACES.filter((trace) => text.includes(trace))

async function tracesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const found = await Promise.all(
    files.map(async (file) => tracesIn(await readFile(file, 'utf8')).map((trace) => `${file}: ${trace}`)),
  )
  return found.flat()
}

describe('a service that repeats the credentials of a request in its errors', () => {
  const scope = (): string[] => ['--project', root, '--dataset', 'smoke', '--run-id', 'echo']
  const env = (): Record<string, string> => ({
    ...KEYS,
    MATRIX_GATEWAY_URL: server.url,
    MATRIX_EVALUATOR_URL: `${server.url}/evaluate`,
    JUDGE_ENDPOINT: `${server.url}/judge/v1`,
  })

  it('leaves no credential in evidence, events or terminal of a matrix run', async () => {
    for (const form of ['--json', '--no-json']) {
      const run = await runCliProcess(
        [
          'matrix',
          ...scope(),
          '--models',
          form === '--json' ? 'vanilla-rag' : 'hybrid-rag',
          '--run-id',
          `echo${form}`,
          form,
        ],
        env(),
      )
      expect(run.stderr).toBe('')
      // The evaluator gave no value of one metric.
      expect(run.code).toBe(3)
      expect(tracesIn(run.stdout + run.stderr)).toEqual([])
    }
    const files = artifactFiles(join(root, 'results'), 'echo--json', 'smoke')
    expect(await readFile(files.evidence, 'utf8')).toContain('Received API Key = [secret removed]')
    expect(await tracesBelow(join(root, 'results'))).toEqual([])
  })

  it('leaves no credential in a stored answer, so that it can be published whether or not its variable is set then', async () => {
    server.script((response, request, body) => {
      const isList = request.method === 'GET'
      const value = isList ? { data: [{ id: 'vanilla-rag' }] } : answered(body, repeated(request.headers))
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    })
    try {
      const named = ['--run-id', 'echo-answer', '--models', 'vanilla-rag', '--no-evaluate']
      const run = await runCliProcess(['matrix', ...scope(), ...named], env())
      expect([run.code, run.stderr]).toEqual([0, ''])
      const { evidence } = artifactFiles(join(root, 'results'), 'echo-answer', 'smoke')
      expect(await readFile(evidence, 'utf8')).toContain(
        '"answer":"Authentication Error: Received API Key = [secret removed]',
      )
      expect(await tracesBelow(join(root, 'results'))).toEqual([])
      expect((await runCliProcess(['verify', evidence])).code).toBe(0)
    } finally {
      server.script(echoing())
    }
  })

  it('leaves no credential in judgments or terminal when every judge repeats its key', async () => {
    const run = await runCliProcess(
      ['judge', 'run', ...scope(), '--run-id', 'echo--json', '--judge-models', 'gpt-judge,claude-judge'],
      env(),
    )
    expect(tracesIn(run.stdout + run.stderr)).toEqual([])
    expect(run.stdout + run.stderr).toContain('[secret removed]')
    expect(await tracesBelow(join(root, 'results'))).toEqual([])
  })

  it('leaves no credential on the terminal when the platform refuses a call', async () => {
    server.script((response, request) => {
      response.writeHead(401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ detail: repeated(request.headers) }))
    })
    const run = await runCliProcess(['ladder', ...scope(), '--models', 'vanilla-rag', '--no-cold-reset'], env())
    expect(run.code).not.toBe(0)
    expect(run.stdout + run.stderr).toContain('[secret removed]')
    expect(tracesIn(run.stdout + run.stderr)).toEqual([])
  })
})

describe('publish', () => {
  it('refuses artifacts that hold a current credential, and does not print it', async () => {
    const scope = ['--project', root, '--dataset', 'smoke', '--run-id', 'leak']
    const made = await runCliProcess(['ladder', ...scope, '--models', 'vanilla-rag', '--no-publish'])
    expect(made.code).toBe(0)
    // As an earlier version could have stored it; the checksum is left out, as then.
    const { evidence } = artifactFiles(join(root, 'results'), 'leak', 'smoke')
    const lines = (await readFile(evidence, 'utf8')).trim().split('\n')
    const { checksum: _checksum, ...row } = JSON.parse(lines[0]!) as {
      checksum: string
      metrics: { operational: { attempts: { message: string | null }[] } }
    }
    row.metrics.operational.attempts[0]!.message = `HTTP 500: key ${KEYS.OPENAI_API_KEY}`
    await writeFile(evidence, [JSON.stringify(row), ...lines.slice(1), ''].join('\n'))
    await runCliProcess(['summarize', ...scope])
    const refused = await runCliProcess(['publish', ...scope], { OPENAI_API_KEY: KEYS.OPENAI_API_KEY })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('leak-smoke-evidence.jsonl: line 1 holds a credential')
    expect(tracesIn(refused.stdout + refused.stderr)).toEqual([])
    expect(await readdir(join(root, 'docs/results'))).toEqual([])
  })
})
