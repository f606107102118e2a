import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { metricOfId, PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import { countWords } from '../../../contract/words.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { nearestName } from '../../lib/text/nearest-name.ts'
import { InputError, splitList } from '../../manifests/runner-inputs.ts'
import { gradesReason } from '../../report/aggregate/metric-use.ts'
import { SCORE_METRICS, type ScoreMetric } from '../../report/aggregate/metric-outcome.ts'
import { gateChecks, gateHeadline, gateOutcome, STATE_NAMES, type DatasetOfGate } from '../../report/gate/gate.ts'
import { gateJUnit } from '../../report/gate/junit.ts'
import { gateMarkdown } from '../../report/gate/gate-markdown.ts'
import { readQuestionScores, type QuestionScores } from '../../report/question-scores.ts'
import { unpackedFolderForUse } from '../../report/publication/published-folder.ts'
import { runsIn } from '../../report/publication/folder-summaries.ts'
import {
  decimalNumber,
  EXIT,
  flag,
  flagOption,
  numberOption,
  textOption,
  textValue,
  type Command,
  type Invocation,
} from '../command.ts'
import { artifactPlace, RUN_OPTIONS } from '../options.ts'
import { scanArtifacts } from '../unusable-files.ts'

/** Metrics that decide unless another one is named, the first that the baseline has. */
const DECIDING: readonly ScoreMetric[] = PRIMARY_METRICS.flatMap((id) =>
  SCORE_METRICS.filter((metric) => metric === id),
)

/** Points of a hundred by which a mean may fall. */
const MARGIN = 3

export const gateCommand: Command = {
  name: 'gate',
  options: {
    project: { ...RUN_OPTIONS.project, description: 'folder from which --results and --baseline count' },
    results: { ...RUN_OPTIONS.results, description: 'folder with the artifacts of the new run' },
    'run-id': textValue('ID', 'the new run; not needed where --results has only one beside --against'),
    against: textValue('ID', 'the run that it must not be worse than'),
    baseline: textValue(
      'DIR',
      'folder with the artifacts of that run, a published one too; that of --results unless given',
    ),
    dataset: textValue('ID,...', 'datasets to check; all of the new run unless given'),
    models: textValue('ALIAS,...', 'approaches to check; all of both runs unless given'),
    metric: textValue(
      'NAME',
      `metric that decides; the first of ${DECIDING.join(', ')} that the baseline has unless given`,
    ),
    margin: {
      ...decimalNumber({ above: 0, to: 100 }, MARGIN),
      default: MARGIN,
      hint: 'POINTS',
      description: 'points of a hundred by which a mean may fall (3)',
    },
    'fail-below': { ...decimalNumber({ from: 0, to: 1 }, 0.7), description: 'worst mean that passes' },
    'allow-open': flag('let pass what too few questions leave open; never what is worse or not scored'),
    junit: textValue('FILE', 'where to write the checks in the form of JUnit'),
    summary: textValue('FILE', 'file to which a Markdown table is added, such as the summary of a build'),
    json: flag('print the checks as JSON lines'),
  },
  async run(invocation) {
    const against = textOption(invocation, 'against')
    const place = artifactPlace(invocation)
    const root = resolve(textOption(invocation, 'project') ?? '.')
    const named = textOption(invocation, 'baseline')
    const baseline = named === null ? place.resultsDir : resolve(root, named)
    if (against === null)
      throw new InputError([
        `--against: name the run that the new one must not be worse than; ${await runsThere(baseline, invocation)}`,
      ])
    const runId = textOption(invocation, 'run-id') ?? (await onlyOtherRun(place.resultsDir, against, invocation))
    if (runId === against && baseline === place.resultsDir)
      throw new InputError(['--against: name another run than --run-id'])
    const after = await scoresOf(place.resultsDir, runId, '--run-id', invocation)
    const before = await scoresOf(baseline, against, '--against', invocation)
    const metric = metricOf(invocation, before)
    refuseUnvalidated(metric, [...before.values(), ...after.values()], `${against} or ${runId}`)
    const wanted = splitList(textOption(invocation, 'dataset')) ?? []
    const missing = wanted.filter((id) => !after.has(id))
    if (missing.length > 0) throw new InputError([`--dataset: the run ${runId} has no ${missing.join(', ')}`])
    const datasets = [...after]
      .filter(([id]) => wanted.length === 0 || wanted.includes(id))
      .map(([dataset, scores]): DatasetOfGate => ({ dataset, after: scores, before: before.get(dataset) ?? null }))
    const models = splitList(textOption(invocation, 'models'))
    const answered = new Set([...before.values(), ...after.values()].flatMap((scores) => [...scores.models]))
    const unknown = (models ?? []).filter((model) => !answered.has(model))
    if (unknown.length > 0)
      throw new InputError([
        `--models: neither ${runId} nor ${against} has answers of ${unknown.join(', ')}; their approaches are ${[...answered].join(', ')}`,
      ])
    const checks = gateChecks(
      datasets,
      {
        metric,
        margin: numberOption(invocation, 'margin')! / 100,
        failBelow: numberOption(invocation, 'fail-below'),
        allowOpen: flagOption(invocation, 'allow-open'),
      },
      models,
    )
    const budgets = otherBudgets([...after.values()], [...before.values()])
    const title = `${runId} against ${against}: ${metric}${budgets === null ? '' : `, ${budgets}`}`
    const print = (line: string): void => void invocation.stdout.write(`${sanitizeForTerminal(line)}\n`)
    if (flagOption(invocation, 'json')) {
      for (const check of checks) print(JSON.stringify(check))
      if (budgets !== null) warnTo(invocation)(`▲ ${budgets}`)
    } else {
      print(title)
      for (const { passed, dataset, model, state, sentence } of checks)
        print(`${passed ? '●' : '▲'} ${dataset}  ${model}  ${STATE_NAMES[state]}: ${sentence}`)
      print(gateHeadline(checks))
    }
    const [junit, summary] = [textOption(invocation, 'junit'), textOption(invocation, 'summary')]
    if (junit !== null) await writeAtomic(resolve(junit), gateJUnit(title, checks))
    if (summary !== null) await appendFile(resolve(summary), gateMarkdown(title, checks))
    return EXIT_OF[gateOutcome(checks)]
  },
}

const EXIT_OF = { passed: EXIT.ok, failed: EXIT.gateFailed, open: EXIT.gateOpen } as const

const warnTo =
  ({ stderr }: Invocation) =>
  (problem: string): void =>
    void stderr.write(`${sanitizeForTerminal(problem)}\n`)

/** The one run of a folder beside the one that it is compared with. */
function onlyOtherRun(dir: string, against: string, invocation: Invocation): Promise<string> {
  return unpackedFolderForUse(dir, warnTo(invocation), async (resultsDir) => {
    const runs = runsIn(await scanArtifacts({ resultsDir, named: {} })).filter((id) => id !== against)
    if (runs.length === 1) return runs[0]!
    throw new InputError([
      runs.length === 0
        ? `--results: ${dir} holds no run beside ${against}`
        : `--run-id: name the new run, one of ${runs.join(', ')}`,
    ])
  })
}

async function runsThere(dir: string, invocation: Invocation): Promise<string> {
  const runs = existsSync(dir)
    ? await unpackedFolderForUse(dir, warnTo(invocation), async (resultsDir) =>
        runsIn(await scanArtifacts({ resultsDir, named: {} })),
      )
    : []
  return runs.length === 0 ? `${dir} holds no run` : `the runs in ${dir} are ${runs.join(', ')}`
}

/** Names the context budgets of two runs that are not the same: a change of the scores may come from them alone. */
function otherBudgets(after: readonly QuestionScores[], before: readonly QuestionScores[]): string | null {
  const [now, then] = [after, before].map((scores) =>
    [...new Set(scores.flatMap(({ budgets }) => [...budgets]))]
      .toSorted((a, b) => (a ?? Infinity) - (b ?? Infinity))
      .map((budget) => (budget === null ? 'none' : countWords(budget)))
      .join(' and '),
  )
  return now === then ? null : `other context budget: ${now} against ${then}`
}

/** The scores of a run by dataset. */
function scoresOf(
  dir: string,
  runId: string,
  option: string,
  invocation: Invocation,
): Promise<Map<string, QuestionScores>> {
  return unpackedFolderForUse(dir, warnTo(invocation), async (resultsDir) => {
    const folder = await scanArtifacts({ resultsDir, named: {} })
    const found = new Map<string, QuestionScores>()
    for (const { files, datasetId, hasEvidence, ...run } of folder.runs)
      if (run.runId === runId && hasEvidence)
        found.set(datasetId, await readQuestionScores(files.evidence, SCORE_METRICS))
    if (found.size > 0) return found
    const runs = runsIn(folder)
    throw new InputError([
      `${option}: ${dir} holds no finished answers of the run ${runId}${runs.length === 0 ? '' : `; its runs are ${runs.join(', ')}`}`,
    ])
  })
}

const hasScores = (metric: ScoreMetric, { models, questions, score }: QuestionScores): boolean =>
  [...models].some((model) => [...questions.keys()].some((id) => !Number.isNaN(score(metric, model, id))))

/** A metric that ranks no approach in a verdict decides no gate. */
function refuseUnvalidated(metric: ScoreMetric, scores: readonly QuestionScores[], runs: string): void {
  const graded = scores.filter((each) => hasScores(metric, each))
  if (metricOfId(metric).class === 'ragas' && graded.length === 0)
    throw new InputError([
      `--metric: no answer of ${runs} has a score of ${metric}. Name one of ${DECIDING.join(', ')}, or score both runs by it (rag-ladder evaluate)`,
    ])
  const reason = gradesReason(metric, [...new Set(graded.flatMap((each) => [...each.graders]))])
  if (reason === null) return
  throw new InputError([
    `--metric: ${metric} ${reason}, so it decides no gate. Name a metric that is computed from gold evidence or answer keys: ${DECIDING.join(', ')}`,
  ])
}

function metricOf(invocation: Invocation, before: ReadonlyMap<string, QuestionScores>): ScoreMetric {
  const named = textOption(invocation, 'metric')
  if (named !== null) {
    if (SCORE_METRICS.some((metric) => metric === named)) return named as ScoreMetric
    if (PRIMARY_METRICS.some((metric) => metric === named))
      throw new InputError([
        `--metric: ${named} decides no gate, which compares scores of answers and contexts, not the grades of judges. Name one of ${DECIDING.join(', ')}`,
      ])
    const meant = nearestName(named, SCORE_METRICS)
    throw new InputError([
      `--metric: ${named} is no metric of answers or contexts${meant === null ? '.' : `, did you mean ${meant}?`} Known: ${SCORE_METRICS.join(', ')}`,
    ])
  }
  const found = DECIDING.find((metric) => [...before.values()].some((scores) => hasScores(metric, scores)))
  if (found === undefined)
    throw new InputError(['the baseline has no scores of a metric that can decide: name one by --metric'])
  return found
}
