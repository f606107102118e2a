import { cp, readdir, readFile, rm, stat, writeFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Aggregate } from '../../contract/evidence/aggregate.ts'
import type { HumanRound } from '../../contract/evidence/human-round.ts'
import { Matrix } from '../../contract/evidence/matrix.ts'
import { DatasetFile } from '../../contract/manifests/datasets.ts'
import { loadManifest } from '../../main/manifests/load-manifest.ts'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { type CliResult } from '../helpers/cli-in-process.ts'
import { CELLS, MODELS, ladderArgs, planOf, rowsOf } from '../helpers/ladder-run.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

let root: string
let first: CliResult
const ladder = (...more: string[]): string[] => ladderArgs(root, ...more)
const project = (): string[] => ['--project', root, '--dataset', 'smoke']
const evidence = (): string => join(root, 'results/test-smoke-evidence.jsonl')

beforeAll(async () => {
  root = await smokeProject()
  first = await runCli(ladder('--models', MODELS))
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe('a first run', () => {
  it('climbs all steps in order and ends well', () => {
    expect(first.stderr).toBe('')
    expect(first.code).toBe(0)
    const steps = first.events
      .filter(({ type }) => type === 'step.finished' || type === 'step.skipped')
      .map(({ step }) => step)
    expect(steps).toEqual([
      'validate',
      'cold_reset',
      'start',
      'ingest',
      'contextualize',
      'cells',
      'evaluate',
      'check_cells',
      'judge',
      'summarize',
      'check_artifacts',
      'publish',
    ])
    expect(planOf(first)).toMatchObject({ total: CELLS, reuse: 0, run: CELLS, conflicts: [] })
  })

  it('leaves valid artifacts with provenance in every row', async () => {
    const rows = await rowsOf(evidence())
    expect(rows).toHaveLength(CELLS)
    for (const row of rows) {
      expect(row.status).toBe('ok')
      expect(row.evidence!.contexts.length).toBeGreaterThan(0)
      expect(row.reproducibility.ingestion).toMatchObject({ profile: 'smoke', mode: 'platform' })
      expect(row.reproducibility.runtime.models!.roles['light_gen']).toEqual({
        backend: 'builtin',
        model: 'extractive-answerer',
      })
      expect(row.metrics.ragas.evaluator_model).toBe('rule-critic')
    }
    const read = async (kind: string): Promise<unknown> =>
      JSON.parse(await readFile(join(root, `results/test-smoke-${kind}.json`), 'utf8'))
    expect(Matrix.parse(await read('matrix')).cells).toHaveLength(CELLS)
    expect(Aggregate.parse(await read('evaluation')).run_id).toBe('test')
  })

  it('keeps the platform’s credentials to itself', async () => {
    const file = join(root, '.rag-ladder/secrets.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { version: _version, ...secrets } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
    expect(Object.keys(secrets)).toHaveLength(4)
    const holders = async (): Promise<string[]> => {
      const found: string[] = []
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        if (!entry.isFile() || path === file) continue
        const bytes = await readFile(path)
        if (Object.values(secrets).some((secret) => bytes.includes(secret))) found.push(path)
      }
      return found
    }
    expect(await holders()).toEqual([])
    await writeFile(join(root, 'results/leak.txt'), `before ${secrets['operator_token']!} after`)
    expect(await holders()).toEqual([join(root, 'results/leak.txt')])
    await rm(join(root, 'results/leak.txt'))
    for (const secret of Object.values(secrets)) expect(first.stdout + first.stderr).not.toContain(secret)
  })

  it('are what publish takes when no dataset is named, and a run without any is refused by name', async () => {
    const published = await runCli(['publish', '--project', root, '--run-id', 'test'])
    expect([published.code, published.stdout]).toEqual([0, expect.stringMatching(/^smoke: docs\/results\//)])
    const absent = await runCli(['publish', '--project', root, '--run-id', 'absent'])
    expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining('has no summary of run absent')])
  })

  it('publishes them and notes it in the file of the dataset, comments kept', async () => {
    expect((await readdir(join(root, 'docs/results'))).sort()).toEqual([
      'README.md',
      'ladder.html',
      'smoke.md',
      'test-smoke-evaluation.json',
      'test-smoke-evidence.jsonl.br',
      'test-smoke-matrix.json.br',
    ])
    const { published } = await loadManifest(root, 'manifests/datasets/smoke.yaml', DatasetFile)
    expect(published!.run_id).toBe('test')
    expect(await readFile(join(root, 'manifests/datasets/smoke.yaml'), 'utf8')).toContain('# yaml-language-server')
  })
})

describe('a second run', () => {
  it('reuses every row, calls no model and changes no byte', async () => {
    const before = await readFile(evidence())
    const again = await runCli(ladder('--models', MODELS, '--no-cold-reset'))
    expect(again.code).toBe(0)
    expect(planOf(again)).toMatchObject({ reuse: CELLS, run: 0, resume_answered: 0, conflicts: [] })
    expect(again.events.filter(({ type }) => type === 'cell.started')).toEqual([])
    const ingested = again.events.filter(({ type }) => type === 'ingestion.progressed')
    expect(ingested.length).toBeGreaterThan(0)
    expect(ingested.filter(({ unchanged }) => unchanged !== true)).toEqual([])
    expect(again.events.find(({ type, step }) => type === 'step.finished' && step === 'ingest')!['note']).toMatch(
      /^\d+ chunks of 3 documents, unchanged · job /,
    )
    expect(again.events.find(({ type }) => type === 'usage.reported')).toMatchObject({
      model_calls: {},
      alias_calls: {},
    })
    expect((await readFile(evidence())).equals(before)).toBe(true)
  })

  it('ends on a terminal with where the results are, what opens them and what writes them as a page', async () => {
    const options = ladder('--models', MODELS, '--no-cold-reset', '--no-publish').filter((word) => word !== '--json')
    const { code, stdout } = await runCli(options, { npm_command: 'run-script' })
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /\nanswers, evidence and scores are in \S*results\/test-\*\nto look at them in the pages: npm start\nto write them as one HTML page: (.*)\n$/,
    )
    const command = /one HTML page: (.*)\n$/.exec(stdout)![1]!
    expect(command).toBe(`npm run rag-ladder -- report --project ${root} --run-id test`)
    const written = await runCli(command.split(' ').slice(4))
    expect([written.code, written.stdout]).toEqual([
      0,
      expect.stringContaining(join(root, 'results/test-report.html')) as string,
    ])
    await rm(join(root, 'results/test-report.html'))
  })

  it('only adds what a wider selection asks for', async () => {
    const wider = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset'))
    expect(planOf(wider)).toMatchObject({ total: CELLS + 4, reuse: CELLS, run: 4 })
    expect(await rowsOf(evidence())).toHaveLength(CELLS + 4)
  })

  it('judges a finished run that had no judges, calls no approach and changes no byte', async () => {
    const before = await readFile(evidence())
    const judges = ['--judge-models', 'builtin-lexical-support,builtin-semantic-match']
    const judged = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset', ...judges))
    expect(judged.code).toBe(0)
    expect(planOf(judged)).toMatchObject({ reuse: CELLS + 4, run: 0, conflicts: [] })
    expect((await readFile(evidence())).equals(before)).toBe(true)
  })

  it('refuses to publish a run without judges over the judged one, before any call', async () => {
    const refused = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset'))
    expect(refused.code).toBe(2)
    expect(refused.stderr).toMatch(
      /^error: Cannot publish smoke: the published results of run test also have the judgments/,
    )
    expect(refused.events.filter(({ type }) => type === 'cell.started')).toEqual([])
  })

  it('refuses rows of another seed, names the field and calls nothing', async () => {
    const manifest = join(root, 'manifests/evaluation.yaml')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace("seed: 'ladder'", "seed: 'other'"))
    const refused = await runCli(ladder('--models', MODELS, '--no-cold-reset', '--no-publish'))
    await writeFile(manifest, text)
    expect(refused.code).toBe(4)
    const failure = refused.events.find(({ type }) => type === 'step.failed')!
    expect(failure).toMatchObject({ step: 'validate', code: 'resume_conflict' })
    expect(failure['message']).toContain('reproducibility.seed: stored "ladder", now "other"')
    expect(refused.events.filter(({ type }) => type === 'cell.started')).toEqual([])
  })

  it('plans another set of models as the conflict that it would be, and refuses an unknown one', async () => {
    const options = ['plan', '--project', root, '--dataset', 'smoke', '--run-id', 'test', '--models', MODELS, '--json']
    const planned = await runCli([...options, '--no-cold-reset', '--model-set', 'ollama'])
    const unknown = await runCli(options, { RAG_MODEL_SET: 'nope' })
    expect(planned.code).toBe(4)
    expect(JSON.parse(planned.stdout)).toMatchObject({
      reuse: 0,
      run: 0,
      planned_difference: { pairs: 6, alone: null, among: null },
    })
    expect(planned.stdout).toContain('reproducibility.runtime.models.roles.light_gen.backend')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(/RAG_MODEL_SET: there is no model set nope; manifests\/models.yaml has builtin, /)
  })

  it('refuses a torn file, recovers it, and makes only the lost cell again', async () => {
    const whole = await readFile(evidence())
    await writeFile(evidence(), whole.subarray(0, whole.length - 10))
    const torn = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset', '--no-publish'))
    expect(torn.code).toBe(4)
    const refusal = torn.events.find(({ type }) => type === 'step.failed')!
    expect(refusal).toMatchObject({ code: 'torn_tail' })
    expect(refusal['message']).toMatch(/ recover \/\S+\/results\/test-smoke-evidence\.jsonl$/)
    expect((await runCli(['verify', evidence()])).code).toBe(4)
    expect((await runCli(['recover', evidence()])).code).toBe(0)
    const again = await runCli(['recover', evidence()])
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('is whole: there is nothing to recover')])
    const verified = await runCli(['verify', evidence()])
    expect([verified.code, verified.stdout]).toEqual([4, expect.stringContaining('1 row is missing') as string])
    const resumed = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset', '--no-publish'))
    expect(planOf(resumed)).toMatchObject({ reuse: CELLS + 3, run: 1 })
    expect(resumed.code).toBe(0)
    expect((await runCli(['verify', evidence()])).code).toBe(0)
  })
})

describe('judges and a person', () => {
  it('grade the stored answers blindly, and are compared when the seal is opened', async () => {
    const results = join(root, 'judged')
    await cp(join(root, 'results'), results, { recursive: true })
    const judge = (...more: string[]) =>
      runCli(['judge', ...more, '--project', root, '--dataset', 'smoke', '--run-id', 'test', '--results', results])
    const judges = 'builtin-lexical-support,builtin-semantic-match'
    const panel = await judge('run', '--judge-models', judges, '--rotations', '2')
    expect([panel.code, panel.stderr]).toEqual([0, ''])
    expect(panel.stdout).toContain('judges of smoke: alpha')

    expect((await judge('human', 'export')).code).toBe(0)
    const file = (name: string) => join(results, `test-smoke-human-${name}.json`)
    const round = JSON.parse(await readFile(file('round'), 'utf8')) as HumanRound
    expect((await judge('human', 'export')).stderr).toContain('exists already')
    const votes = round.sets.map(({ set, answers }) => ({
      set,
      scores: Object.fromEntries(answers.map(({ letter, text }) => [letter, text.length > 60 ? 4 : 2])),
      best: 'A',
    }))
    const ballot = (changes: object) =>
      writeFile(file('votes'), JSON.stringify({ round_id: round.round_id, rater: 'Ada', votes, ...changes }))

    await ballot({ round_id: 'round-other' })
    const foreign = await judge('human', 'import')
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('the votes are for round-other')])
    await ballot({})
    const [first] = round.sets
    const edited = { ...round, sets: [{ ...first!, question: 'Which?' }, ...round.sets.slice(1)] }
    await writeFile(file('round'), JSON.stringify(edited))
    const broken = await judge('human', 'import')
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('not the ones that were sealed')])
    await writeFile(file('round'), JSON.stringify(round))

    const opened = await judge('human', 'import')
    expect([opened.code, opened.stderr]).toEqual([0, ''])
    for (const name of judges.split(','))
      expect(opened.stdout).toMatch(new RegExp(`${name}: weighted kappa -?(0|1)\\.`))
    await ballot({ rater: 'Bob' })
    expect((await judge('human', 'import')).stderr).toContain('was opened with other votes of Ada')
  })
})

describe('other commands', () => {
  it('plan reports what is stored without starting anything', async () => {
    const result = await runCli([
      'plan',
      '--project',
      root,
      '--dataset',
      'smoke',
      '--run-id',
      'test',
      '--models',
      MODELS,
      '--json',
    ])
    expect(result.code).toBe(0)
    expect(JSON.parse(result.stdout.trim().split('\n').at(-1)!)).toMatchObject({
      total: CELLS,
      reuse: 0,
      run: CELLS,
      without_cold_reset: { reuse: CELLS, run: 0 },
    })
  })

  it('plan refuses a dataset whose corpus folder is missing, and names it', async () => {
    const folder = join(root, 'corpus/smoke')
    await rename(folder, `${folder}-away`)
    try {
      const plan = await runCli(['plan', '--project', root, '--dataset', 'smoke', '--models', MODELS])
      expect(plan.code).toBe(2)
      expect(plan.stderr).toContain('corpus/smoke is not a folder: create it or correct the path')
    } finally {
      await rename(`${folder}-away`, folder)
    }
  })

  it('summarize prints the matrix and the same CSV twice', async () => {
    const csv = join(root, 'out.csv')
    const summarize = () =>
      runCli(['summarize', '--results', join(root, 'results'), '--run-id', 'test', '--csv-output', csv])
    const printed = await summarize()
    const once = await readFile(csv)
    await summarize()
    expect(printed.stdout).toContain('hybrid-rag-fast')
    expect((await readFile(csv)).equals(once)).toBe(true)
    expect(once.toString().split('\n')[0]).toContain('metric_class')
  })

  it('evaluate scores stored answers as a new run', async () => {
    const result = await runCli([
      'evaluate',
      '--project',
      root,
      '--dataset',
      'smoke',
      '--from',
      'test',
      '--run-id',
      'rescored',
      '--metrics',
      'context_recall',
    ])
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    const rows = await rowsOf(join(root, 'results/rescored-smoke-evidence.jsonl'))
    expect(rows).toHaveLength(CELLS + 4)
    expect(rows[0]!.derived_from!.run_id).toBe('test')
    expect(rows[0]!.metrics.ragas.requested).toEqual(['context_recall'])
  })

  it('evaluate refuses to add scores of other metrics to a run, names both, and reuses those of the same', async () => {
    const again = (metrics: string) =>
      runCli(['evaluate', ...project(), '--from', 'test', '--run-id', 'rescored', '--metrics', metrics])
    const other = await again('faithfulness')
    expect(other.code).toBe(4)
    expect(other.stderr).toContain('evaluation.metrics: stored "context_recall", now "faithfulness" (20 rows)')
    const same = await again('context_recall')
    expect([same.code, same.stdout]).toEqual([
      0,
      expect.stringContaining('0 answers graded, 0 kept, 20 reused, 0 left'),
    ])
  })

  it.each([
    [['ladder', '--modles', 'x'], /Unknown option '--modles'/],
    [['ladder', '--models', 'x'], /unknown alias: x/],
    [['ladder', '--dataset', 'x'], /unknown dataset: x/],
    [['ladder', '--concurrency', '99'], /--concurrency: expected a whole number from 1 to 32, got 99/],
    [['ladder', '--flavors', 'x'], /unknown flavor: x; there are vanilla-rag-wide, /],
    [['frobnicate'], /unknown command: frobnicate/],
    [['plan', '--project', '/nowhere/at/all'], /--project: \/nowhere\/at\/all: there is no such folder/],
    [['serve', '--no-open', '--project', '/nowhere/at/all'], /--project: \/nowhere\/at\/all: there is no such folder/],
    [['verify', 'nothing-evidence.jsonl'], /nothing-evidence\.jsonl: there is no such file/],
    [['verify', join(PROJECT_ROOT, 'README.md')], /README\.md is not an evidence file: none of its lines is a row/],
  ])('bad input %j is named and exits with 2', async (args, message) => {
    const result = await runCli(args[0] === 'ladder' ? [...args, '--project', root] : args)
    expect(result.stderr).toMatch(message)
    expect(result.code).toBe(2)
  })
})
