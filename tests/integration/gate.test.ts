// The gate in a sample project: an own retriever that a person changes, as in the workflow of docs/examples/gate-workflow.yml.
import { execFile } from 'node:child_process'
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, stringify } from 'yaml'
import { parseCommandLine } from '../../main/cli/command.ts'
import { gateCommand } from '../../main/cli/commands/gate.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

/** Questions of the sample, each on a document of its own: a change that changes nothing is shown to be within 3 points by about 130 of them. */
const QUESTIONS = 160

/** Finds the document that a question names; `misses` is a condition on its number, in JavaScript. */
const program = (misses: string): string => `import { createInterface } from 'node:readline'
const documents = new Map()
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  const { id, op, question } = message
  if (op === 'ingest') {
    for (const { id: document, title, text } of message.documents) documents.set(text.match(/Locker (\\d+)/)[1], { document, title, text })
    console.log(JSON.stringify({ id }))
    continue
  }
  const number = Number(question.match(/locker (\\d+)/)[1])
  const found = ${misses} ? undefined : documents.get(String(number))
  console.log(JSON.stringify({ id, answer: found?.text ?? 'Unknown.', contexts: found === undefined ? [] : [found] }))
}
`

let root: string
let user: Record<string, string>
const run = (...args: string[]) => runCli(args, user)
const measure = async (runId: string, misses: string, ...more: string[]): Promise<void> => {
  await writeFile(join(root, 'approaches/lookup.mjs'), program(misses))
  const args = ['--dataset', 'lockers', '--models', 'lookup', '--run-id', runId, '--no-publish', '--project', root]
  const result = await run('ladder', ...args, ...more)
  expect([result.code, result.stderr]).toEqual([0, ''])
}
const gate = (...args: string[]) => run('gate', '--project', root, '--metric', 'facts_found', '--margin', '3', ...args)

async function addDataset(id: string, count: number): Promise<void> {
  await mkdir(join(root, `datasets/${id}/documents`), { recursive: true })
  const questions = []
  for (let number = 0; number < count; number += 1) {
    const fact = `Locker ${number} is opened with code ${(number * 7919 + 1013) % 9973}.`
    await writeFile(join(root, `datasets/${id}/documents/locker-${number}.md`), `# A locker\n\n${fact}\n`)
    const gold = [{ document: `locker-${number}.md`, fact }]
    questions.push({ id: `q-${number}`, query: `Which code opens locker ${number}?`, ground_truth: fact, gold })
  }
  await writeFile(join(root, `datasets/${id}/dataset.yaml`), stringify({ version: 1, label: id, questions }))
}

beforeAll(async () => {
  root = await smokeProject()
  user = { RAG_LADDER_USER_DIR: join(root, 'person') }
  await addDataset('lockers', QUESTIONS)
  await mkdir(join(root, 'approaches'))
  const declared = { version: 1, kind: 'command', command: ['node', 'approaches/lookup.mjs'], ingest: true }
  await writeFile(join(root, 'approaches/lookup.yaml'), stringify(declared))
  await writeFile(join(root, 'approaches/lookup.mjs'), program('false'))
  expect((await run('trust', join(root, 'approaches/lookup.yaml'))).code).toBe(0)
  await measure('main', 'number % 8 === 0')
  // The baseline is a folder of its own, as a repository keeps it.
  await cp(join(root, 'results'), join(root, 'baseline'), { recursive: true })
  await measure('same', 'number % 8 === 0 /* written in another way */')
  await measure('worse', 'number % 8 === 0 || number % 10 === 3')
}, 300_000)
afterAll(() => rm(root, { recursive: true, force: true }))

describe('a gate in a sample project', () => {
  it('passes a change that loses nothing', async () => {
    const junit = join(root, 'gate.xml')
    const summary = join(root, 'summary.md')
    await writeFile(summary, '# Build\n')
    const files = ['--junit', junit, '--summary', summary]
    const found = await gate('--run-id', 'same', '--against', 'main', '--baseline', 'baseline', ...files)
    expect([found.code, found.stderr]).toEqual([0, ''])
    expect(found.stdout).toMatch(
      /● lockers {2}lookup {2}not worse: 0\.88 against 0\.88 on 160 questions: change ±0\.0 \[−2\.\d, \+2\.\d\] points, within the margin of 3\nThe gate passed: 1 check\n$/,
    )
    expect(await readFile(junit, 'utf8')).toContain('tests="1" failures="0" errors="0"')
    expect(await readFile(summary, 'utf8')).toMatch(
      /^# Build\n## same against main: facts.{1,2}found\n\nThe gate passed/,
    )
  })

  it('stops a change that loses ten points, with exit code 6 and a failure', async () => {
    const junit = join(root, 'gate.xml')
    const found = await gate('--run-id', 'worse', '--against', 'main', '--junit', junit)
    expect(found.code).toBe(6)
    expect(found.stdout).toMatch(
      /▲ lockers {2}lookup {2}worse: 0\.7[78] against 0\.88 on 160 questions: change −10\.0 /,
    )
    expect(found.stdout).toContain('The gate failed: 1 of 1 check (1 worse)')
    expect(await readFile(junit, 'utf8')).toContain('<failure type="worse"')
  })

  it('cannot tell over questions that show neither, with exit code 7, unless open checks may pass', async () => {
    const narrow = ['--run-id', 'same', '--against', 'main', '--margin', '1']
    const found = await gate(...narrow)
    expect(found.code).toBe(7)
    expect(found.stdout).toMatch(
      /open: .*reaches beyond the margin of 1: about \d+ questions or a wider margin can decide it/,
    )
    expect(found.stdout).toContain('The gate cannot tell: 1 of 1 check (1 open)')
    const allowed = await gate(...narrow, '--allow-open')
    expect([allowed.code, allowed.stdout]).toEqual([
      0,
      expect.stringContaining('The gate passed: 1 check, of which 1 could not tell and may pass') as string,
    ])
  })

  it('stops what is below the least mean, whatever the change', async () => {
    const found = await gate('--run-id', 'same', '--against', 'main', '--fail-below', '0.9')
    expect([found.code, found.stdout]).toEqual([6, expect.stringContaining('worse than 0.90') as string])
  })

  it('takes the only other run of a folder, and names the runs where there are several', async () => {
    const alone = join(root, 'alone')
    await mkdir(alone)
    for (const id of ['main', 'worse'])
      await cp(join(root, `results/${id}-lockers-evidence.jsonl`), join(alone, `${id}-lockers-evidence.jsonl`))
    const found = await gate('--results', alone, '--against', 'main')
    expect([found.code, found.stdout]).toEqual([
      6,
      expect.stringContaining('worse against main: facts_found') as string,
    ])
    const several = await gate('--against', 'main')
    expect([several.code, several.stderr]).toEqual([
      2,
      expect.stringContaining('--run-id: name the new run, one of same, worse') as string,
    ])
  })

  it('names context budgets that are not the same in both runs', async () => {
    await measure('short', 'number % 8 === 0', '--results', 'short', '--context-budget', '300')
    const args = ['--run-id', 'short', '--results', 'short', '--against', 'main', '--baseline', 'baseline']
    const { stdout, stderr } = await gate(...args)
    expect(stdout).toMatch(/^short against main: facts_found, other context budget: 300 against 2\D?000\n/)
    expect(stderr).toBe('')
    expect((await gate(...args, '--json')).stderr).toMatch(/^▲ other context budget: 300 against 2\D?000\n$/)
  })

  it('names what is wrong with its options', async () => {
    for (const [args, problem] of [
      [['--run-id', 'same'], `than; the runs in ${join(root, 'results')} are main, same, worse\n`],
      [['--run-id', 'main', '--against', 'main'], '--against: name another run'],
      [['--run-id', 'same', '--against', 'gone'], '--against: '],
      [['--run-id', 'same', '--against', 'main', '--metric', 'fact_found'], 'did you mean facts_found?'],
      [
        ['--run-id', 'same', '--against', 'main', '--metric', 'judge_mean'],
        '--metric: judge_mean decides no gate, which compares scores of answers and contexts, not the grades of judges. Name one of facts_found, points_covered, token_f1',
      ],
      [
        ['--run-id', 'same', '--against', 'main', '--metric', 'context_recall'],
        '--metric: no answer of main or same has a score of context_recall. Name one of facts_found, points_covered, token_f1, or score both runs by it (rag-ladder evaluate)',
      ],
      [['--run-id', 'same', '--against', 'main', '--metric', ''], '--metric is empty'],
      [
        ['--run-id', 'same', '--against', 'main', '--metric', 'faithfulness'],
        "--metric: faithfulness was graded by built-in rules, which do not follow people's grades, so it decides no gate. Name a metric",
      ],
      [['--run-id', 'same', '--against', 'main', '--dataset', 'other'], 'the run same has no other'],
    ] as const) {
      const found = await gate(...args)
      expect([found.code, found.stderr]).toEqual([2, expect.stringContaining(problem) as string])
    }
  })
})

/** The steps of the workflow in the repository that call this program, one after the other until one fails, as a runner does; nothing else of it is run. */
async function runWorkflow(): Promise<{ code: number | null; stdout: string }> {
  const workflow = await readFile(join(root, '.github/workflows/gate.yml'), 'utf8')
  const { jobs } = parse(workflow) as { jobs: { gate: { steps: { run?: string }[] } } }
  const summary = join(root, 'step-summary.md')
  let last: { code: number | null; stdout: string } = { code: null, stdout: '' }
  for (const { run: line = '' } of jobs.gate.steps) {
    const [, rest] = line.split('rag-ladder.mjs ')
    if (rest === undefined) continue
    const [command, ...args] = rest
      .trim()
      .split(/\s+/)
      .map((arg) =>
        arg === '"$GITHUB_STEP_SUMMARY"' ? summary : /^(approaches\/|gate\.xml)/.test(arg) ? join(root, arg) : arg,
      )
    last = await run(command!, ...args, ...(command === 'trust' ? [] : ['--project', root]))
    if (last.code !== 0) break
  }
  return last
}

describe('a repository with the workflow to copy', () => {
  const git = (...args: string[]): Promise<unknown> =>
    promisify(execFile)('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: root })
  const change = async (branch: string, misses: string): Promise<void> => {
    await git('checkout', '-q', '-b', branch, 'main')
    await writeFile(join(root, 'approaches/lookup.mjs'), program(misses))
    await git('commit', '-q', '-a', '-m', branch)
    await rm(join(root, 'results'), { recursive: true, force: true })
  }

  it('stops a change that loses ten points, and lets one pass that loses nothing', async () => {
    const text = await readFile(join(PROJECT_ROOT, 'docs/examples/gate-workflow.yml'), 'utf8')
    await mkdir(join(root, '.github/workflows'), { recursive: true })
    const workflow = text
      .replaceAll('approaches/NAME', 'approaches/lookup')
      .replaceAll('--models NAME', '--models lookup')
    await writeFile(join(root, '.github/workflows/gate.yml'), workflow.replaceAll('DATASET', 'lockers'))
    await writeFile(join(root, 'approaches/lookup.mjs'), program('number % 8 === 0'))
    await git('init', '-q', '-b', 'main')
    await git('add', '.github', 'approaches', 'baseline', 'datasets', 'manifests')
    await git('commit', '-q', '-m', 'the system as it is')

    await change('loses', 'number % 8 === 0 || number % 10 === 3')
    const lost = await runWorkflow()
    expect([lost.code, lost.stdout]).toEqual([6, expect.stringContaining('The gate failed: 1 of 1 check (1 worse)')])
    await change('keeps', 'number % 8 === 0 && true')
    const kept = await runWorkflow()
    expect([kept.code, kept.stdout]).toEqual([0, expect.stringContaining('The gate passed: 1 check')])
    expect(await readFile(join(root, 'step-summary.md'), 'utf8')).toMatch(/The gate failed[^]*The gate passed/)
  })
})

it('the workflow to copy calls commands with options that exist', async () => {
  const text = await readFile(join(PROJECT_ROOT, 'docs/examples/gate-workflow.yml'), 'utf8')
  const { jobs } = parse(text) as { jobs: { gate: { steps: { run?: string }[] } } }
  const commands = jobs.gate.steps.flatMap(({ run: line }) => (line?.includes('rag-ladder.mjs gate') ? [line] : []))
  expect(commands).toHaveLength(1)
  const args = commands[0]!.split('rag-ladder.mjs gate')[1]!.trim().split(/\s+/)
  expect(parseCommandLine(gateCommand, args)).toMatchObject({
    values: { metric: 'facts_found', margin: 3 },
    problems: [],
  })
})
