// Runs the ladder over every way in which services of models misbehave, and prints a table: fault, state of the cells, what the run says, the right action.
//   node tests/faults/run-model-faults.ts            all of them
//   node tests/faults/run-model-faults.ts 429 html   some
// Ends with 1 where a run does something else than the table of faults declares.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import type { AskedOfModel } from '../helpers/capable-model.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { answerOf } from './answering-model.ts'
import { MODEL_FAULTS, type FaultyReply, type ModelFault } from './model-faults.ts'

const APPROACHES = 'vanilla-rag,contextual-rag,graph-rag,agentic-rag'
const CELLS = 16

function send(response: ServerResponse, { status = 200, headers = {}, body, ends }: FaultyReply): void {
  if (ends === 'never') return
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    ...headers,
    ...(ends === 'cut' ? { 'content-length': String(text.length) } : {}),
  })
  if (ends !== 'cut') return void response.end(text)
  response.write(text.slice(0, text.length / 2))
  setTimeout(() => response.destroy(), 20)
}

async function startFaultyService({ reply }: ModelFault): Promise<{ server: Server; url: string }> {
  let calls = 0
  const server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
      if (request.url === '/v1/models') {
        send(response, { body: { object: 'list', data: [{ id: 'm' }] } })
        return
      }
      if (request.url !== '/v1/chat/completions') {
        send(response, { status: 404, body: {} })
        return
      }
      const asked = JSON.parse(text) as AskedOfModel & Record<string, unknown>
      const written = answerOf(asked)
      const faulty = reply?.(asked, written, (calls += 1)) ?? {}
      const { message = written, finish, usage = true } = faulty
      const ending = finish ?? (message.tool_calls === undefined ? 'stop' : 'tool_calls')
      const completion = {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, finish_reason: ending, message: { role: 'assistant', ...message } }],
        ...(usage ? { usage: { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 } } : {}),
      }
      send(response, { ...faulty, body: faulty.body ?? completion })
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

async function writeSet(root: string, url: string): Promise<void> {
  const manifest = await readFile(join(root, 'manifests/models.yaml'), 'utf8')
  const rules = /  builtin:\n[\s\S]*?    roles: &rules\n([\s\S]*?)  local-embeddings:/.exec(manifest)![1]!
  const roles = rules.replace(
    /(agentic|graph_extract|graph_keyword|graph_query|light_gen|contextual_blurb|workflow_classifier|evaluator): \{[^}]*\}/g,
    '$1: { connection: faulty, model: m }',
  )
  await mkdir(join(root, '.rag-ladder'), { recursive: true })
  await writeFile(
    join(root, '.rag-ladder/models.yaml'),
    `version: 2\nconnections: { faulty: { kind: compatible, base_url: '${url}', timeout_s: 3 } }\nsets:\n  faulty:\n    roles:\n${roles}`,
  )
}

interface Outcome {
  code: number | null
  ok: number
  failed: number
  said: string
  output: string
  seconds: number
}

async function runWith(fault: ModelFault): Promise<Outcome> {
  const root = await smokeProject()
  const { server, url } = await startFaultyService(fault)
  const started = performance.now()
  try {
    await writeSet(root, url)
    const run = await runCli(
      [
        'ladder',
        ...smokeRun(root, 'faulty'),
        '--models',
        APPROACHES,
        '--model-set',
        'faulty',
        '--no-publish',
        '--no-cold-reset',
      ],
      { MATRIX_RETRIES: '0' },
    )
    const rows = await rowsOf(join(root, 'results/faulty-smoke-evidence.jsonl')).catch(() => [])
    const output = `${run.stdout}\n${run.stderr}`
    const errors = rows.flatMap((row) => (row.status === 'ok' ? [] : [row.error?.message ?? '']))
    const line = output.split('\n').find((each) => each.startsWith('warning:')) ?? '–'
    return {
      code: run.code,
      ok: rows.filter(({ status }) => status === 'ok').length,
      failed: errors.length,
      said: (errors[0] ?? line).trim(),
      output: `${output}\n${errors.join('\n')}`,
      seconds: (performance.now() - started) / 1000,
    }
  } finally {
    server.close().closeAllConnections()
    await rm(root, { recursive: true, force: true })
  }
}

function problemsOf({ cells, says = [] }: ModelFault, { ok, output }: Outcome): string[] {
  const isRight = cells === 'all' ? ok === CELLS : cells === 'none' ? ok === 0 : ok > 0
  return [
    ...(isRight ? [] : [`${ok} of ${CELLS} cells answered, expected ${cells}`]),
    ...says.filter((each) => !each.test(output)).map((each) => `the run does not say ${each}`),
  ]
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s+/g, ' ').slice(0, 220)

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !Object.hasOwn(MODEL_FAULTS, name))
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(MODEL_FAULTS).join(', ')}`)
  process.exit(2)
}
console.log('| fault | the service | cells answered | exit code | the run says | action |\n|---|---|---|---|---|---|')
const wrong: string[] = []
for (const [name, fault] of Object.entries(MODEL_FAULTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const outcome = await runWith(fault)
  const { ok, code, said, seconds } = outcome
  console.log(`| ${name} | ${fault.about} | ${ok} of ${CELLS} | ${code} | ${cell(said)} | ${fault.action} |`)
  const problems = problemsOf(fault, outcome)
  wrong.push(...problems.map((problem) => `${name}: ${problem}`))
  if (process.env['VERBOSE'] === '1') console.error(`--- ${name} (${seconds.toFixed(1)} s)\n${outcome.output}`)
}
for (const problem of wrong) console.error(`▲ ${problem}`)
process.exitCode = wrong.length === 0 ? 0 : 1
