import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { artifactFiles } from '../../main/evidence/files/artifact-files.ts'
import { TraceTexts } from '../../main/evidence/traces/trace-texts.ts'
import { filesBelow } from '../../main/lib/files/files-below.ts'
import { runCliProcess, smokeProject } from '../helpers/cli.ts'
import { fastLine } from '../helpers/synthetic-evidence.ts'
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
  const files = await filesBelow(folder)
  const found = await Promise.all(
    files.map(async (file) => tracesIn(await readFile(join(folder, file), 'utf8')).map((trace) => `${file}: ${trace}`)),
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

describe('what is given to others', () => {
  /** Drawn at random, as the keys of services are. */
  const KEY = 'tk-9fQ2xL7vB4nR8sW1zK6mD3hJ'
  const scope = (): string[] => ['--project', root, '--dataset', 'smoke', '--run-id', 'leak']
  const person = (): Record<string, string> => ({ RAG_LADDER_USER_DIR: join(root, 'person') })
  let evidence: string
  let lines: string[]

  beforeAll(async () => {
    const env = { ...person(), EXAMPLE_API_KEY: KEY }
    const made = await runCliProcess(['ladder', ...scope(), '--models', 'vanilla-rag', '--no-publish'], env)
    expect(made.code).toBe(0)
    evidence = artifactFiles(join(root, 'results'), 'leak', 'smoke').evidence
    lines = (await readFile(evidence, 'utf8')).trim().split('\n')
  })

  /** The first row holds a text, as an earlier version could have stored it. */
  async function storeInRow(text: string): Promise<void> {
    const { checksum: _checksum, ...row } = JSON.parse(lines[0]!) as CanonicalRow
    row.metrics.operational.attempts[0]!.message = `HTTP 500: key ${text}`
    await writeFile(evidence, [fastLine(row).toString().trimEnd(), ...lines.slice(1), ''].join('\n'))
  }

  it('holds no credential that is in use now, and a refusal does not print it', async () => {
    await storeInRow(KEYS.OPENAI_API_KEY)
    const refused = await runCliProcess(['publish', ...scope()], {
      ...person(),
      OPENAI_API_KEY: KEYS.OPENAI_API_KEY,
    })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('leak-smoke-evidence.jsonl: line 1 holds a credential that is in use now')
    expect(tracesIn(refused.stdout + refused.stderr)).toEqual([])
    expect(await readdir(join(root, 'docs/results'))).toEqual([])
  })

  it('holds no key that a run on this computer had once, though no variable holds it any more', async () => {
    await storeInRow(KEY)
    const refused = await runCliProcess(['publish', ...scope()], person())
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('line 1 holds a credential that was in use on this computer: revoke it')
    const bundle = ['bundle', 'export', 'leak', '--project', root, '--output', join(root, 'leak.zip')]
    const kept = await runCliProcess(bundle, person())
    expect(kept.code).not.toBe(0)
    expect(kept.stderr).toContain('Cannot export the run leak: leak-smoke-evidence.jsonl: line 1 holds a credential')
    for (const { stdout, stderr } of [refused, kept]) expect(stdout + stderr).not.toContain(KEY)
    expect(await readdir(join(root, 'docs/results'))).toEqual([])
    expect(await readdir(root)).not.toContain('leak.zip')
  })

  it('holds no text in the form of a key of a service, unless a person says that it is an example', async () => {
    await storeInRow('AKIA2E7XQ4M9TB6ZL0WD')
    const refused = await runCliProcess(['publish', ...scope()], person())
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('line 1 holds a text in the form of a key (AWS)')
    expect(refused.stderr).toContain('rag-ladder publish --run-id leak --allow-key-examples')
    expect(refused.stderr).not.toContain('AKIA2E7')
    const allowed = await runCliProcess(['publish', ...scope(), '--allow-key-examples'], person())
    expect([allowed.code, allowed.stderr]).toEqual([0, ''])
  })

  it('holds no key in a report, a site or exported results, and writes no file of them', async () => {
    const rows = lines.map((line) => {
      const { checksum: _checksum, ...row } = JSON.parse(line) as CanonicalRow
      return row
    })
    // Reports are then made from the rows.
    await rm(artifactFiles(join(root, 'results'), 'leak', 'smoke').evaluation)
    for (const [key, found] of [
      [KEY, 'holds a credential that was in use on this computer'],
      ['AKIA2E7XQ4M9TB6ZL0WD', 'holds a text in the form of a key (AWS)'],
    ] as const) {
      const labelled = rows.map((row) => ({ ...row, dataset: { ...row.dataset, label: `Notes ${key}` } }))
      await writeFile(evidence, Buffer.concat(labelled.map(fastLine)))
      for (const command of [
        ['report', '--run-id', 'leak', '--output', join(root, 'leak.html')],
        ['report', '--site', join(root, 'leak-site')],
        ['export', 'results', '--run-id', 'leak', '--output', join(root, 'leak.jsonl')],
      ]) {
        const refused = await runCliProcess([...command, '--project', root], person())
        expect([command.slice(0, 2), refused.code, refused.stderr]).toEqual([
          command.slice(0, 2),
          2,
          expect.stringContaining(found),
        ])
        expect(refused.stdout + refused.stderr).not.toContain(key)
      }
    }
    expect((await readdir(root)).filter((name) => name.startsWith('leak'))).toEqual([])
  })

  it('holds no key in an exported dataset or in the packed texts of traces', async () => {
    const own = ['dataset', 'new', 'leaky', '--project', root]
    expect((await runCliProcess(own, person())).code).toBe(0)
    await mkdir(join(root, 'datasets/leaky/documents'), { recursive: true })
    await writeFile(join(root, 'datasets/leaky/documents/notes.md'), `The key is ${KEY}.`)
    const exported = ['dataset', 'export', 'leaky', '--project', root, '--out', join(root, 'leaky.zip')]
    const refused = await runCliProcess(exported, person())
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('documents/notes.md: line 1 holds a credential that was in use on this computer')

    await storeInRow('nothing')
    const traces = new TraceTexts(evidence)
    await traces.add(new Map([[createHash('sha256').update(KEY).digest('hex'), KEY]]))
    await traces.close()
    const bundle = ['bundle', 'export', 'leak', '--project', root, '--output', join(root, 'leaky.zip')]
    const kept = await runCliProcess(bundle, person())
    expect(kept.code).not.toBe(0)
    expect(kept.stderr).toMatch(/leak-smoke-evidence\.traces\.jsonl: line \d+ holds a credential/)
    expect(await readdir(root)).not.toContain('leaky.zip')
  })
})
