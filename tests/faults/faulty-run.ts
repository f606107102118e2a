// A run of the ladder with a service of models that misbehaves in one way.
import { rm } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { writeModelSet } from '../helpers/model-set.ts'
import { answerOf } from './answering-model.ts'
import type { Asked, FaultyReply, ModelFault } from './faulty-reply.ts'

/** Contexts are asked for again for a minute where the model fails; where it always does, another approach takes that place. */
const approachesFor = ({ cells }: ModelFault): string =>
  `vanilla-rag,${cells === 'none' ? 'hybrid' : 'contextual'}-rag,graph-rag,agentic-rag`
const QUESTIONS = 4
const USAGE = { prompt_tokens: 90, completion_tokens: 10, total_tokens: 100 }

async function send(
  response: ServerResponse,
  { status = 200, headers, body, parts, ends }: FaultyReply,
): Promise<void> {
  if (ends === 'never') return
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const isCut = ends === 'cut' && parts === undefined
  const length = isCut ? { 'content-length': String(text.length) } : {}
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...length })
  for (const part of parts ?? [isCut ? text.slice(0, text.length / 2) : text]) {
    response.write(part)
    await setImmediate()
  }
  if (ends === 'cut') setTimeout(() => response.destroy(), 20)
  else if (ends !== 'open') response.end()
}

/** Vectors in which texts that share words are near each other. */
const vectorOf = (text: string): number[] => {
  const vector = Array.from({ length: 64 }, () => 0.01)
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
    vector[Array.from(word).reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 64, 0)]! += 1
  return vector
}

async function startFaultyService({ reply, embed }: ModelFault): Promise<{ server: Server; url: string }> {
  let calls = 0
  const server = createServer((request, response) => {
    void (async () => {
      const text = Buffer.concat((await request.toArray()) as Buffer[]).toString()
      if (request.url === '/v1/models') return send(response, { body: { object: 'list', data: [{ id: 'm' }] } })
      const asked = JSON.parse(text === '' ? '{}' : text) as Asked
      if (request.url === '/v1/embeddings' && embed !== undefined)
        return send(response, embed([asked.input ?? []].flat().map(vectorOf), asked, (calls += 1)))
      if (request.url !== '/v1/chat/completions') return send(response, { status: 404, body: {} })
      const written = answerOf(asked)
      const faulty = reply?.(asked, written, (calls += 1)) ?? {}
      const { message = written, finish, usage = USAGE, model = 'm' } = faulty
      const ending = finish ?? ('tool_calls' in message && message.tool_calls !== undefined ? 'tool_calls' : 'stop')
      const completion = {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model,
        choices: [{ index: 0, finish_reason: ending, message: { role: 'assistant', ...message } }],
        ...(usage === false ? {} : { usage }),
      }
      return send(response, { ...faulty, body: faulty.body ?? completion })
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` }
}

/** `reading`: roles of models that read the documents, each with a bar before it. */
function writeSet(root: string, url: string, { embed }: ModelFault, reading: string): Promise<void> {
  const modelled = `agentic|graph_keyword|graph_query|light_gen|workflow_classifier|evaluator${reading}${embed === undefined ? '' : '|embed'}`
  return writeModelSet(root, 'faulty', { url, timeoutS: 3 }, (roles) =>
    roles.replace(new RegExp(`(${modelled}): \\{[^}]*\\}`, 'g'), '$1: { connection: faulty, model: m }'),
  )
}

export interface Outcome {
  code: number | null
  ok: number
  /** Answers that the run asks for. */
  total: number
  said: string
  output: string
  seconds: number
}

/** `named`: approaches that answer in place of the usual four. Rules read the documents for them, so that a fault of the model leaves none of them out. */
export async function runWith(fault: ModelFault, named?: string): Promise<Outcome> {
  const approaches = named ?? approachesFor(fault)
  const root = await smokeProject()
  const { server, url } = await startFaultyService(fault)
  const started = performance.now()
  try {
    await writeSet(root, url, fault, named === undefined ? '|graph_extract|contextual_blurb' : '')
    const run = await runCli([
      'ladder',
      ...smokeRun(root, 'faulty'),
      '--models',
      approaches,
      '--model-set',
      'faulty',
      '--no-publish',
      '--no-cold-reset',
    ])
    const rows = await rowsOf(join(root, 'results/faulty-smoke-evidence.jsonl')).catch(() => [])
    const output = `${run.stdout}\n${run.stderr}`
    const errors = rows.flatMap((row) => (row.status === 'ok' ? [] : [row.error?.message ?? '']))
    const line = /^warning: .*$/m.exec(output)?.[0] ?? failedStepIn(output) ?? '–'
    return {
      code: run.code,
      ok: rows.filter(({ status }) => status === 'ok').length,
      total: QUESTIONS * approaches.split(',').length,
      said: (errors[0] ?? line).trim(),
      output: `${output}\n${errors.join('\n')}`,
      seconds: (performance.now() - started) / 1000,
    }
  } finally {
    server.close().closeAllConnections()
    await rm(root, { recursive: true, force: true })
  }
}

/** Finds the line of a step that failed. */
const failedStepIn = (output: string): string | undefined =>
  /^▲ \S+ {2}(.* failed\n(?: {4}.*\n)+)/m.exec(output)?.[1]!.replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/g, '…')

/** Lists where a run with a fault differs from the table of faults. */
export function problemsOf({ cells, says = [] }: ModelFault, { ok, total, output }: Outcome): string[] {
  const isRight = cells === 'all' ? ok === total : cells === 'none' ? ok === 0 : ok > 0
  return [
    ...(isRight ? [] : [`${ok} of ${total} answers were given, expected ${cells}`]),
    ...says.filter((each) => !each.test(output)).map((each) => `the run does not report ${each}`),
  ]
}

const cell = (text: string): string => {
  const line = text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim()
  return line.length > 320 ? `${line.slice(0, 319)}…` : line
}

export const TABLE_HEAD =
  '| fault | the service | answers | exit code | the run reports | right action |\n|---|---|---|---|---|---|'
export const rowOf = (name: string, { about, action }: ModelFault, { ok, total, code, said }: Outcome): string =>
  `| ${name} | ${about} | ${ok} of ${total} | ${code} | ${cell(said)} | ${action} |`
