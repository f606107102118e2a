import { globSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, runCliProcess, startCli, type RunningCli } from '../helpers/cli.ts'
import { documentedCommands, type DocumentedCommand } from '../helpers/documented-commands.ts'
import type { ModelService } from '../helpers/model-service.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'
import { readerProject, startReadersOllama } from '../helpers/reader-project.ts'

// Executes every command of README.md and the guide, as the documents have it, in the project of a reader. Those of other pages need weights or other
// programs; tests/golden/documented-commands.test.ts parses all.

/** Read first, because other pages go on with what they make, and last, because they change the models of the project. */
const FIRST = ['README.md', 'docs/guide/first-run.md', 'docs/guide/own-data.md']
const LAST = ['docs/guide/own-models.md', 'docs/guide/believable.md']
const others = globSync('docs/guide/*.md', { cwd: PROJECT_ROOT })
  .filter((page) => ![...FIRST, ...LAST].includes(page))
  .sort()

/** Commands that need something that is not here, and the error that names it; null where the command is not executed. */
const NEEDS: readonly [command: RegExp, needs: string, error: RegExp | null][] = [
  [/^models fetch /, 'weights from the network', null],
  [/^ladder .*--dataset mixed_formats/, 'the converter: tests/integration/conversion.test.ts', null],
  [/^ladder .*--dataset spoken_notes/, 'the recognizer: tests/integration/speech-services.test.ts', null],
  [/^models test \S+\.gguf$/, 'the weights that models fetch fetches', /qwen2\.5-1\.5b-instruct-q4_k_m\.gguf/],
  [/^models remove qwen/, 'the weights that models fetch fetches', /no file of qwen2\.5-1\.5b is in/],
  [/--model-set local-gguf /, 'a GGUF file at RAG_LADDER_GGUF_FILE', /Qwen3-4B-Q4_K_M\.gguf/],
  [/^(?:worker|matrix) /, 'PostgreSQL and a gateway', /127\.0\.0\.1:9\b/],
  [/^ladder .*--gateway http:\S+:9\b/, 'a gateway', /127\.0\.0\.1:9\b.*cannot be reached/],
  [/^submit /, 'a Ray cluster', /127\.0\.0\.1:9\b/],
  [/^submit$/, 'the run that it helps', /--run-id: name the run/],
  [/^gate /, 'a run of a thousand questions', /The gate cannot tell: /],
  [
    /^ladder .*--model-set (?:home|ollama)\b/,
    'a model that grades',
    /to score these answers by the built-in evaluator/,
  ],
]

/** The page names these to add, or they keep a port of this computer out of the test. */
const ADDED: readonly [command: RegExp, args: readonly string[]][] = [
  [/^gate --against/, ['--run-id', 'main']],
  [/^init$/, ['my-project']],
  [/^serve$/, ['--port', '0', '--no-open']],
  [/^models add home /, ['--url', 'OLLAMA']],
  // own-models.md has made another set the default.
  [/^plan(?: --dataset my_notes)?$/, ['--model-set', 'builtin']],
  // Seven approaches in each of twenty runs would take a minute of processor time; README.md has a run of them.
  [/^ask /, ['--models', 'bm25,vanilla-rag']],
  [/^ladder (?!.*--(?:models|help)).*--(?:dataset|run-id|cold)/, ['--models', 'bm25,vanilla-rag']],
]

/** These replace what is the reader's. Hosts of examples become a closed port, so that nothing leaves this computer. */
const EVIDENCE = 'results/ci-smoke-evidence.jsonl'
const OWN: readonly [command: RegExp, replaced: string, by: () => string][] = [
  [/./, '…', () => 'Who keeps the lock?'],
  [/./, 'RUN', () => 'ci'],
  [/--run-id ID/, 'ID', () => first],
  [/./, 'ID', () => 'smoke'],
  [/^recover/, 'FILE', () => 'torn.jsonl'],
  [/./, 'FILE', () => EVIDENCE],
  [/--run-id/, 'NAME', () => 'main'],
  [/^approaches/, 'NAME', () => 'mine'],
  [/^models key/, 'NAME', () => 'home'],
  [/^trash restore/, 'NAME', () => trashed],
  [/./, 'ADDRESS', () => 'https://llm.example.com'],
  [/./, 'approaches/NAME.yaml', () => 'approaches/mine.yaml'],
  [/^gate/, 'change', () => 'main'],
  [/^gate/, 'baseline', () => 'docs/results'],
  [/./, '4899', () => '0'],
  [/./, 'http://127.0.0.1:4899', () => started.at(-1)!.url],
  [/^(?!trust)/, 'http://gateway.example:4000', () => 'http://127.0.0.1:9'],
  [/^(?!trust)/, 'https://gateway.example.com', () => 'http://127.0.0.1:9'],
  [/./, 'OLLAMA', () => `${ollama.url}/v1`],
]

let root: string
let ollama: ModelService
let env: Record<string, string>
let [first, trashed] = ['', '']
/** Commands of the page that run until they are stopped. */
let started: { running: RunningCli; url: string }[] = []
const typed = new Set<string>()

beforeAll(async () => {
  ;[root, ollama] = await Promise.all([readerProject(), startReadersOllama()])
  const home = join(root, 'home')
  env = {
    RAG_LADDER_USER_DIR: join(home, '.config'),
    RAG_LADDER_GGUF_FILE: join(home, 'models/Qwen3-4B-Q4_K_M.gguf'),
    OLLAMA_URL: ollama.url,
    LAB_API_KEY: 'a-key-of-a-lab',
  }
  process.chdir(root)
})
afterAll(async () => {
  process.chdir(PROJECT_ROOT)
  await ollama.close()
  await rm(root, { recursive: true, force: true })
})

/** Starts a command that runs until it is stopped; resolves with the address that it prints. */
async function start(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const running = startCli(args, env)
  let stdout = ''
  const url = await new Promise<string>((resolve) => {
    running.child.stdout!.on('data', (part: Buffer) => {
      stdout += part.toString()
      const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout) ?? []
      if (address !== undefined) resolve(address)
    })
    running.child.on('close', () => resolve(''))
  })
  if (url === '') return { ...(await running.done), code: -1 }
  started.push({ running, url })
  return { code: 0, stdout, stderr: '' }
}

/** The environment that the page sets where it uses a platform of its own. */
async function environmentOf(args: readonly string[]): Promise<Record<string, string>> {
  if (['worker', 'matrix', 'submit'].includes(args[0]!))
    return { ...env, MATRIX_EVIDENCE_URL: 'postgres://ladder@127.0.0.1:9/ladder', RAY_URL: 'http://127.0.0.1:9' }
  if (!args.includes(started.at(-1)?.url ?? '-')) return env
  const secrets = JSON.parse(await readFile('.rag-ladder/secrets.json', 'utf8')) as Record<string, string>
  const { gateway_key: gateway, operator_token: operator } = secrets
  return {
    ...env,
    MATRIX_GATEWAY_API_KEY: gateway!,
    MATRIX_PLATFORM_TOKEN: operator!,
    MATRIX_EVALUATOR_API_KEY: operator!,
  }
}

/** Does by hand what the page asks for before a command. */
async function prepare(command: string): Promise<void> {
  if (command.startsWith('recover')) await writeFile('torn.jsonl', (await readFile(EVIDENCE, 'utf8')).slice(0, -20))
  if (command.startsWith('trash restore')) trashed = (await readdir('.rag-ladder/run-trash'))[0]!
  if (command.startsWith('report') && first === '') first = (await readdir('results'))[0]!.split('-baseline')[0]!
  if (!command.startsWith('judge human import')) return
  const ballot = 'results/ci-smoke-human-votes.json'
  const votes = await readFile(ballot, 'utf8')
  await writeFile(
    ballot,
    votes
      .replace('"rater": ""', '"rater": "a reader"')
      .replaceAll('"best": null', '"best": "A"')
      .replaceAll('null', '3'),
  )
}

/** Types one command; returns what is wrong with it, or null. */
async function problemOf({ args: written, from, to }: DocumentedCommand): Promise<string | null> {
  const text = written.join(' ')
  await prepare(text)
  const added = ADDED.filter(([command]) => command.test(text)).flatMap(([, more]) => more)
  const args = [...written, ...added].map((arg) =>
    OWN.reduce(
      (word, [command, replaced, by]) => (word === replaced && command.test(text) ? by() : word),
      arg.replace(/^~/, join(root, 'home')),
    ),
  )
  const command = args.join(' ')
  const words = args.toSorted().join(' ')
  const [, needs, error = /^$/] = NEEDS.find(([needing]) => needing.test(command)) ?? []
  // A run that is complete is not asked again: the same words on another page would show nothing new.
  if (error === null || (args[0] === 'ladder' && typed.has(words))) return null
  typed.add(words)
  const isLasting = args[0] === 'serve' || args[0] === 'platform'
  const input =
    args[0] === 'mcp' ? '' : text.startsWith('models key set') ? await readFile(from ?? 'key.txt', 'utf8') : null
  const run = input === null ? runCli : runCliProcess
  const { code, stdout, stderr } = await (isLasting ? start(args) : run(args, await environmentOf(args), input))
  if (to !== undefined) await writeFile(to, stdout)
  if (needs === undefined) return code === 0 ? null : `${command}: exit code ${code}\n${stdout.slice(-800)}\n${stderr}`
  return code !== 0 && error.test(stdout + stderr) ? null : `${command} needs ${needs}, but: ${code} ${stdout}${stderr}`
}

describe('in the project of a reader', () => {
  it.each([...FIRST, ...others, ...LAST])('every command of %s works, one after the other', async (page) => {
    const problems: string[] = []
    for (const command of documentedCommands(await readFile(join(PROJECT_ROOT, page), 'utf8'))) {
      const problem = await problemOf(command)
      if (problem !== null) problems.push(`${page}:${command.line}: ${problem}`)
    }
    for (const { running } of started) {
      running.child.kill('SIGTERM')
      expect((await running.done).code).toBe(0)
    }
    started = []
    expect(problems).toEqual([])
  })
})
