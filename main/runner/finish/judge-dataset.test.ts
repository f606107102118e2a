import { readFile, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { Judgments } from '../../../contract/evidence/judgments.ts'
import { json } from '../../../tests/helpers/fault-server.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { BUILTINS, gradeByText, gradingBy, samplePanel } from '../../../tests/helpers/judge-panel.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import {
  ALIASES,
  fixtureDataset,
  fixtureRow,
  goldenContext,
  REPORT_RUN,
  streamOf,
} from '../../../tests/helpers/report-rows.ts'
import { nameButtonsInRemedies } from '../../../core/remedy.ts'
import { readSealedJson } from '../../lib/files/sealed-json.ts'
import type { RequestedPanel } from '../../judge/panel-settings.ts'
import { loadExperiment, type LadderDataset } from '../../manifests/experiment.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { artifactFiles } from '../../evidence/files/artifact-files.ts'
import type { RunSummaryContext } from '../../report/aggregate/run-summary.ts'
import { writeArtifacts } from '../../report/publication/write-artifacts.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { finishDataset } from './finish-dataset.ts'
import { step, type At } from '../ladder-step.ts'
import { sumUpCells } from './sum-up-cells.ts'
import { suiteFaultServer } from '../../../tests/helpers/test-server.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const fixture = fixtureDataset('subset', 'Subset', 1)
const aliases = [ALIASES.vanilla, ALIASES.hybrid]
const endpoint = await suiteFaultServer()
const RECORDED = {
  prompt_version: 1,
  endpoint: 'builtin',
  temperature: 0,
  think: null,
  rotations: 1,
  reference: true,
  answer_cap: 1200,
  judges: [],
}
beforeEach(() => endpoint.script(gradingBy(gradeByText)))

const harmless = (model: string, index: number): string =>
  model === 'vanilla-rag' ? `Answer ${index + 1}.` : `Something else than number ${index + 1}.`

/** A dataset run that has come up to step 8. */
async function runUpToStep8(panel: RequestedPanel, answerOf = harmless) {
  const files = artifactFiles(await temporaryFolder(), REPORT_RUN, fixture.id)
  const rows = aliases.flatMap((alias) =>
    fixture.questions.map((_, index) =>
      fixtureRow(
        fixture,
        alias,
        index,
        index === 3 && alias === ALIASES.hybrid
          ? { failure: { type: 'timeout', message: 'slow' } }
          : { answer: answerOf(alias.model, index) },
      ),
    ),
  )
  const context: RunSummaryContext = {
    ...goldenContext(fixture),
    aliases,
    unavailable: [],
    judge: panel.enabled ? { state: 'pending', judges: panel.models } : { state: 'disabled' },
  }
  await writeFile(files.evidence, evidenceBytes(rows))
  await writeArtifacts(files, streamOf(rows), context)
  const platform = { starts: [] as string[], stops: 0 }
  const run = {
    experiment,
    dataset: {
      dataset: { id: fixture.id },
      profile: { name: 'subset' },
      questions: fixture.questions,
    } as LadderDataset,
    aliases: aliases.map(({ model }) => experiment.aliases.get(model)!),
    corpusRoot: null,
    runId: REPORT_RUN,
    files,
    store: fileStore,
    platform: {
      kind: 'embedded',
      gateway: 'embedded',
      basePort: null,
      modelSet: null,
      stateDir: () => null,
      start: async (name: string) => {
        platform.starts.push(name)
        return {
          url: endpoint.url,
          apiKey: null,
          operatorToken: null,
          edgeKey: null,
          ready: async () => undefined,
          stop: async () => void (platform.stops += 1),
        }
      },
    },
    evaluator: null,
    metrics: [],
    repeats: 1,
    judgePanel: panel,
    budget: null,
    retryFailed: 'access',
    coldReset: false,
    publish: false,
    isVerbose: false,
    emit: () => undefined,
    drain: new AbortController().signal,
    abort: new AbortController().signal,
  } satisfies DatasetRun
  const steps: string[] = []
  const at: At = (name, action) =>
    step(
      (event) => {
        if (event.type === 'step.finished') steps.push(`${event.step}: ${event.note ?? ''}`)
        if (event.type === 'step.failed')
          steps.push(`${event.step} failed: ${event.code}${event.step === 'check_cells' ? ` ${event.message}` : ''}`)
      },
      fixture.id,
      name,
      action,
    )
  const finish = (unanswered = 0) =>
    finishDataset(run, context, { unanswered }, at, (name) => steps.push(`${name} skipped`))
  const sumUp = () => sumUpCells(run, context, at)
  const aggregate = async (): Promise<Aggregate> =>
    readSealedJson(await readFile(files.evaluation, 'utf8'))!.value as Aggregate
  return { finish, sumUp, steps, platform, files, aggregate }
}

/** Reads the set-up of a stored panel's judges. */
const recorded = async (file: string) => Judgments.parse(JSON.parse(await readFile(file, 'utf8'))).runtime

describe('steps 8 to 10', () => {
  it('a cell without an answer fails step 8, which names it, and no judge is paid for', async () => {
    const { finish, sumUp, steps, aggregate } = await runUpToStep8(samplePanel({ endpoint: endpoint.url, apiKey: 'k' }))
    const { unanswered } = await sumUp()
    expect(steps.at(-1)).toMatch(
      /^check_cells failed: cells_failed 1 answer failed: hybrid-rag 1 of 8 \(timeout\)\. .* start the run again with --no-cold-reset --retry-failed$/,
    )
    expect(await finish(unanswered)).toEqual({ missing: [], failure: null })
    expect(steps.slice(-4)).toEqual([
      'judge skipped',
      'summarize skipped',
      'check_artifacts: 3 artifacts agree with each other',
      'publish skipped',
    ])
    expect(endpoint.requests).toEqual([])
    expect((await aggregate()).judge_panel.status).toBe('pending')
  })

  it('name a button for an answer that failed where the panel shows the message', async () => {
    nameButtonsInRemedies()
    onTestFinished(() => nameButtonsInRemedies(false))
    const { sumUp, steps } = await runUpToStep8(samplePanel({ enabled: false }))
    await sumUp()
    expect(steps.at(-1)).toMatch(/\(timeout\)\. Each failed answer shows its reason; retry the failed answers$/)
  })

  it('are skipped when no panel is enabled', async () => {
    const { finish, steps, aggregate } = await runUpToStep8(samplePanel({ enabled: false }))
    await finish()
    expect(steps.slice(0, 2)).toEqual(['judge skipped', 'summarize skipped'])
    expect((await aggregate()).judge_panel).toEqual({ status: 'disabled' })
  })

  it('ask each judge in two orders unless the panel says how often', async () => {
    const { finish, files } = await runUpToStep8({ ...samplePanel({ models: BUILTINS }), rotations: null })
    await finish()
    expect(await recorded(files.judgments)).toMatchObject({ rotations: 2 })
  })

  it.each([
    ['of these judges is continued as it was made', BUILTINS, 1],
    ['of other judges says nothing', BUILTINS.toReversed().slice(0, 1), 2],
  ])('a stored panel %s', async (_, judges, rotations) => {
    const { finish, files } = await runUpToStep8({ ...samplePanel({ models: BUILTINS }), rotations: null })
    const stored = { status: 'ok', dataset_id: 'x', judges, queries: [], runtime: RECORDED }
    await writeFile(files.judgments, JSON.stringify(stored))
    await finish()
    expect(await recorded(files.judgments)).toMatchObject({ rotations })
  })

  it('judge the stored answers and join them into the summary; built-in judges need no platform', async () => {
    const { finish, steps, platform, aggregate } = await runUpToStep8(samplePanel({ models: BUILTINS }))
    const before = await aggregate()
    expect(before.judge_panel).toEqual({ status: 'pending', judges: BUILTINS })
    await finish()
    expect(steps).toEqual([
      expect.stringMatching(
        /^judge: 16 verdicts of 2 judges, \d of 8 questions with a winner, agreement alpha 0\.\d\d$/,
      ),
      'summarize: judge section: ok',
      'check_artifacts: 4 artifacts agree with each other',
      'publish skipped',
    ])
    expect(platform).toEqual({ starts: [], stops: 0 })
    const after = await aggregate()
    const { comparisons } = before
    expect({ ...after, judge_panel: before.judge_panel, comparisons }).toEqual(before)
    expect(after.comparisons!.metrics.map(({ metric_class }) => metric_class)).toContain('judge_panel')
    expect(after.judge_panel).toMatchObject({
      status: 'ok',
      winner: 'vanilla-rag',
      questions: { judged: 8, expected: 8 },
    })
  })

  it('start the platform for judges of its gateway, and stop it again, also when a judge is faulty', async () => {
    const good = await runUpToStep8(samplePanel())
    await good.finish()
    expect(good.platform).toEqual({ starts: ['subset'], stops: 1 })
    expect((await good.aggregate()).judge_panel.status).toBe('ok')

    endpoint.script(json({ error: { message: 'no' } }, 401))
    const bad = await runUpToStep8(samplePanel())
    const { missing, failure } = await bad.finish()
    expect(failure).toBeNull()
    expect(missing.map(({ kind }) => kind)).toEqual(samplePanel().models.map(() => 'judge'))
    expect(bad.steps).toEqual([
      expect.stringMatching(/^judge: judge .+ missing: .*no/),
      'summarize: judge section: error',
      'check_artifacts: 4 artifacts agree with each other',
      'publish skipped',
    ])
    expect(bad.platform).toEqual({ starts: ['subset'], stops: 1 })
    const { judge_panel, approaches } = await bad.aggregate()
    expect(judge_panel).toMatchObject({ status: 'error', reason: 'panel_failed', missing })
    expect(approaches[0]!.answer.token_f1!.scored).toBe(7)
  })

  it('need no platform for judges elsewhere', async () => {
    const { finish, platform } = await runUpToStep8(samplePanel({ endpoint: endpoint.url, apiKey: 'judge-key' }))
    await finish()
    expect(platform).toEqual({ starts: [], stops: 0 })
    for (const { headers, body } of endpoint.requests) {
      expect(headers.authorization).toBe('Bearer judge-key')
      expect(body).not.toContain('"cache"')
    }
  })

  it('judge answers that name their approach with the name withheld, and report it', async () => {
    const leaky = (model: string, index: number) => (index === 2 ? `${model} says so.` : harmless(model, index))
    const { finish, steps, aggregate } = await runUpToStep8(samplePanel({ models: BUILTINS }), leaky)
    await finish()
    expect(steps[0]).toContain('1 question judged with names of approaches or source markers withheld')
    expect((await aggregate()).judge_panel.status).toBe('ok')
  })
})
