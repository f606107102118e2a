import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { stringify } from 'yaml'
import type { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { Verdict } from '../../contract/evidence/verdict.ts'
import type { TuningResult } from '../../main/report/tuning/tuning-result.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

// Forty ports, each with two documents that share nearly all of their words: which one a question finds first depends on the settings.
const PORTS = Array.from(
  { length: 40 },
  (_, at) =>
    `Port ${['Al', 'Ber', 'Cor', 'Dun', 'Es'][at % 5]}${['ham', 'wick', 'ford', 'mouth', 'ley', 'stow', 'den', 'by'][at >> 3]}${at}`,
)
const factOf = (at: number): string => `${PORTS[at]!} was given its lighthouse in ${1800 + at} by the board of trade`
const NATIVE_CORPUS = 'corpus/graph_native'
let root: string

beforeAll(async () => {
  root = await smokeProject('graph_native')
  await cp(join(PROJECT_ROOT, NATIVE_CORPUS), join(root, NATIVE_CORPUS), { recursive: true })
  const folder = join(root, 'datasets/ports')
  await mkdir(join(folder, 'documents'), { recursive: true })
  for (const [at, port] of PORTS.entries()) {
    const filler = `The quay of ${port} was rebuilt twice. Ships with timber and coal call there in spring and in autumn.`
    const texts = [
      `# ${port}\n\n${factOf(at)}.\n\n${filler}\n`,
      `# Harbours near ${port}\n\nWhen was a lighthouse given? Of ${port} and its lighthouse the board of trade knows much.\n`,
    ]
    for (const [part, text] of texts.entries()) await writeFile(join(folder, `documents/port-${at}-${part}.md`), text)
  }
  const questions = PORTS.map((port, at) => ({
    id: `p${at}`,
    query: `When was ${port} given its lighthouse?`,
    ground_truth: String(1800 + at),
    gold: [{ document: `port-${at}-0.md`, fact: factOf(at) }],
  }))
  await writeFile(join(folder, 'dataset.yaml'), stringify({ version: 1, label: 'Ports', questions }))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const TUNE = [
  'tune',
  'hybrid-rag',
  'alpha=0:1:0.1',
  'rerank=true,false',
  '--dataset',
  'ports',
  '--context-budget',
  '100',
]
const tune = (...more: string[]) => runCli([...TUNE, ...more, '--project', root])
const resultOf = (stdout: string): TuningResult => JSON.parse(stdout) as TuningResult
const trialsIn = async (name: string): Promise<{ kind: string; setting: number }[]> => {
  const text = await readFile(join(root, `results/tuning/${name}/trials.jsonl`), 'utf8').catch(() => '')
  return text
    .split('\n')
    .flatMap((line) => (line.endsWith('}') ? [JSON.parse(line) as { kind: string; setting: number }] : []))
}

it('shows settings and calls first, and starts nothing for a dry run', async () => {
  const { code, stdout } = await tune('--dry-run')
  expect(code).toBe(0)
  expect(stdout).toContain(
    '21 settings of alpha, rerank against hybrid-rag as it is, by facts found, 100 tokens handed over in every trial',
  )
  expect(stdout).toContain('20 questions of development, 20 held out in 20 groups')
  expect(stdout).toContain('Up to 440 + 40 questions asked; no answer is written')
  expect(existsSync(join(root, 'tuning'))).toBe(false)
  expect(existsSync(join(root, '.rag-ladder/platform/ports'))).toBe(false)
})

it('goes on after a kill with the trials that are done, and ends as a tuning that was not killed', async () => {
  const running = startCli([...TUNE, '--name', 'killed', '--project', root])
  while ((await trialsIn('killed')).length < 4) await pause(20)
  running.child.kill('SIGKILL')
  await running.done
  const before = await trialsIn('killed')
  const { code, stdout } = await tune('--name', 'killed')
  expect(code).toBe(0)
  expect(stdout.match(/\(kept\)/g)).toHaveLength(before.length - 1)
  const trials = (await trialsIn('killed')).filter(({ kind }) => kind === 'trial')
  expect(trials.map(({ setting }) => setting).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 22 }, (_, at) => at),
  )

  const again = resultOf((await tune('--name', 'killed', '--json')).stdout)
  const whole = resultOf((await tune('--name', 'whole', '--no-confirm', '--json')).stdout)
  const scores = ({ settings }: TuningResult) => settings.map(({ values, mean, p }) => ({ values, mean, p }))
  expect(scores(again)).toEqual(scores(whole))
  expect(again.winner).toBe(whole.winner)
  // Each question was embedded once for all 22 settings, in this one process.
  expect(whole.calls).toMatchObject({ questions: 440, chats: 0, embedded: 20 })
  expect(whole.opening).toBeNull()
})

/** A retriever that finds another fact for a share of the questions: its setting `wrong`, which is best at 0. */
const RETRIEVER = `
import { createInterface } from 'node:readline'
for await (const line of createInterface({ input: process.stdin })) {
  const { id, question, settings } = JSON.parse(line)
  const port = Number(/(\\d+) given/.exec(question)[1])
  const at = (port * 7) % 10 < settings.wrong * 10 ? (port + 1) % 40 : port
  const text = settings.facts.split('|')[at]
  console.log(JSON.stringify({ id, contexts: [{ text, title: 'Port', document: 'port-' + at + '-0.md', score: 1 }] }))
}
`

it('tunes an own approach, confirms it on the holdout, and corrects for each further opening', async () => {
  const user = { RAG_LADDER_USER_DIR: join(root, 'person') }
  await mkdir(join(root, 'approaches'), { recursive: true })
  await writeFile(join(root, 'approaches/mine.mjs'), RETRIEVER)
  const facts = PORTS.map((_, at) => factOf(at)).join('|')
  const settings = { wrong: 0.7, facts }
  await writeFile(
    join(root, 'approaches/mine.yaml'),
    stringify({ version: 1, kind: 'retriever', command: ['node', 'approaches/mine.mjs'], settings }),
  )
  await runCli(['trust', join(root, 'approaches/mine.yaml')], user)
  const args = ['tune', 'mine', 'wrong=0:0.8:0.1', '--dataset', 'ports', '--context-budget', '100', '--project', root]
  const first = resultOf((await runCli([...args, '--name', 'first', '--json'], user)).stdout)
  expect(first.plan.settings[first.winner]).toEqual({ wrong: 0 })
  expect(first.confirmed).toMatchObject({ state: 'confirmed', winner: 1 })
  expect(first.opening).toBe(1)
  const second = [...args, '--name', 'second', '--metric', 'mrr_at_10']
  const [once, again] = [await runCli([...second, '--json'], user), await runCli([...second, '--json'], user)]
  expect(resultOf(once.stdout).opening).toBe(2)
  expect(resultOf(once.stdout).confirmed!.level).toBeCloseTo(1 - 0.05 * 0.16)
  expect(resultOf(again.stdout)).toEqual(resultOf(once.stdout))
  const third = await runCli([...args, '--name', 'third', '--metric', 'ndcg_at_10'], user)
  expect(third.stdout).toContain('the holdout was opened 3 times so far, corrected for it')
  for (const file of ['report.md', 'report.html', 'result.json'])
    expect(existsSync(join(root, 'results/tuning/third', file))).toBe(true)
})

it('says which questions of a holdout were edited after it was sealed, and counts its openings for them', async () => {
  const [sealed] = (await readFile(join(root, 'tuning/holdouts.jsonl'), 'utf8')).split('\n')
  const [id] = (JSON.parse(sealed!) as { holdout: string[] }).holdout
  const file = join(root, 'datasets/ports/dataset.yaml')
  const text = await readFile(file, 'utf8')
  const edited = text.replace(new RegExp(`(id: ${id}\\n +query: )When was`), '$1In which year was')
  expect(edited).not.toBe(text)
  await writeFile(file, edited)
  const { stdout } = await tune('--dry-run')
  await writeFile(file, text)
  expect(stdout).toContain('This holdout was opened 3 times before')
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `1 question of the holdout is not as it was when it was sealed: ${id} (other words). Earlier openings still count for it.`,
  )
})

it('a run with the settings that a tuning chose is not believed on the questions that chose them', async () => {
  const user = { RAG_LADDER_USER_DIR: join(root, 'person') }
  const file = join(root, 'approaches/mine.yaml')
  const theirs = join(root, 'approaches/theirs.yaml')
  await cp(file, theirs)
  await writeFile(file, (await readFile(file, 'utf8')).replace('wrong: 0.7', 'wrong: 0'))
  for (const each of [file, theirs]) await runCli(['trust', each], user)
  const models = ['--models', 'theirs,mine', '--context-budget', '100', '--no-evaluate', '--no-publish']
  const args = ['ladder', '--dataset', 'ports', '--run-id', 'after', ...models, '--project', root]
  const { code, stdout } = await runCli(args, user)
  expect(code).toBe(0)
  const text = await readFile(join(root, 'results/after-ports-evaluation.json'), 'utf8')
  const verdict = (JSON.parse(text) as Aggregate).verdict as Verdict
  expect([verdict.kind, verdict.headline]).toEqual(['tuned', 'mine leads, but was tuned on these questions'])
  expect(stdout).toContain(
    'The settings of mine are the best of 8 that the tuning third tried on 20 of these 40 questions; its holdout confirmed them, and was opened 3 times.',
  )
})

it('keeps the winner as a flavor on request, and says that the holdout did not confirm it', async () => {
  await runCli(['flavors', 'add', 'poor', '--from', 'hybrid-rag', 'alpha=1', 'rerank=false', '--project', root])
  const { stdout } = await runCli([
    'tune',
    'poor',
    'alpha=0.5',
    'rerank=true',
    '--dataset',
    'graph_native',
    '--context-budget',
    '500',
    '--no-confirm',
    '--save-flavor',
    'tuned',
    '--project',
    root,
  ])
  const [, setting] = /Saved tuned: (alpha=0.5 rerank=true), which the holdout did not confirm/.exec(stdout) ?? []
  const { stdout: listed } = await runCli(['flavors', 'list', '--project', root])
  expect(setting).toBeDefined()
  expect(listed.split('\n').find((line) => line.startsWith('tuned '))).toContain(setting)
})

it('cuts the corpus in other ways, each a collection of its own', async () => {
  const { stdout, code } = await runCli([
    'tune',
    'vanilla-rag',
    'chunk_size=120,300',
    'overlap=0',
    '--dataset',
    'ports',
    '--context-budget',
    '100',
    '--no-confirm',
    '--json',
    '--project',
    root,
  ])
  expect(code).toBe(0)
  const { settings } = resultOf(stdout)
  expect(settings.map(({ values }) => values)).toEqual([
    { chunk_size: 800, overlap: 100 },
    { chunk_size: 120, overlap: 0 },
    { chunk_size: 300, overlap: 0 },
  ])
  expect(settings.every(({ failed, mean }) => failed === 0 && mean !== null)).toBe(true)
})

it.each([
  [['--context-budget', 'none'], 'name a number of tokens'],
  [['--metric', 'faithfulness'], 'faithfulness cannot be tuned for'],
  [['--metric', 'token_f1'], 'token_f1 needs answers: add --answers'],
  [['--search', 'best'], '--search: expected grid, random, halving'],
  [['--name', 'killed', '--seed', '2'], 'the tuning killed was started with other'],
  [['--holdout', '0.01', '--dataset', 'smoke'], 'a test needs 8'],
  [['--name', '..'], '--name: expected'],
  [['--name', '_hidden'], '--name: expected'],
])('refuses %s', async (options, problem) => {
  const args =
    options[0] === '--context-budget'
      ? TUNE.slice(0, -2)
      : options.includes('smoke')
        ? TUNE.filter((each, at) => each !== 'ports' && TUNE[at + 1] !== 'ports')
        : TUNE
  const { code, stderr } = await runCli([...args, ...options, '--project', root])
  expect(stderr).toContain(problem)
  expect(code).toBe(2)
})

it('refuses passages alone of an approach that chooses them while it answers', async () => {
  const args = ['tune', 'graph-rag', 'top_k=5,20', '--dataset', 'graph_native', '--project', root]
  const { code, stderr } = await runCli(args)
  expect(stderr).toContain('graph-rag chooses its passages while it answers: add --answers')
  expect(code).toBe(2)
})

it('refuses a gateway elsewhere, which takes no parameters with a question', async () => {
  const { code, stderr } = await runCli([...TUNE, '--project', root], { MATRIX_GATEWAY_URL: 'http://127.0.0.1:9' })
  expect(stderr).toContain('only the embedded platform takes other parameters with a question')
  expect(code).toBe(2)
})
