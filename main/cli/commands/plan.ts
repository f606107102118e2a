import { isRemoteModel } from '../../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { callsPerApproach, sourceWords } from '../../../core/expected-work-words.ts'
import { partWords, sumOfUse } from '../../../core/planned-use-words.ts'
import { selectModels } from '../../../core/select-models.ts'
import type { ExpectedWork, PlannedPart } from '../../../contract/control/expected-work.ts'
import type { RunPlan } from '../../../contract/evidence/run-event.ts'
import type { Cost } from '../../../contract/manifests/prices.ts'
import { contextBudgetWords, costWords, countWords, durationWords, plural } from '../../../contract/words.ts'
import { namedFiles } from '../../evidence/files/artifact-files.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { wrap } from '../../lib/text/terminal-text.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import { checkCorpus, loadModels, type LadderDataset } from '../../manifests/experiment.ts'
import { checkGold } from '../../manifests/datasets/gold-problems.ts'
import { ManifestError } from '../../manifests/manifest-error.ts'
import { storedKeyEnvironment } from '../../manifests/models/connection-keys.ts'
import { coverageNotices } from '../../manifests/selection.ts'
import { plannedCells } from '../../estimates/planned-cells.ts'
import { plannedUse } from '../../estimates/planned-use.ts'
import { isAnswering } from '../../runner/prepare/calibrations.ts'
import { summariesIn } from '../../runner/prepare/expected-cost.ts'
import { EvidenceRefusedError, ResumeConflictError } from '../../runner/cells/open-evidence.ts'
import { coldPlan, type PlanInput } from '../../runner/cells/plan-dataset.ts'
import type { PlatformSource } from '../../runner/platform/platform-source.ts'
import {
  corpusRootFor,
  evaluatorFor,
  filesOf,
  refuseWithoutDataset,
  type PreparedRun,
} from '../../runner/prepare/prepare-run.ts'
import { plannedDecision } from '../../runner/prepare/planned-decision.ts'
import { PreflightError } from '../../runner/prepare/preflight.ts'
import { CALIBRATION_TIMEOUT_MS, calibrateSet } from '../../runner/prepare/test-models.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { createNodeLauncher } from '../../supervisor/node-launcher.ts'
import { EXIT, flag, flagOption, type Command, type Invocation } from '../command.ts'
import { COLD_RESET_OPTION, RETRY_OPTION, RUN_OPTIONS } from '../options.ts'
import { failedCellLines } from '../progress/event-line.ts'
import { errorText, outputColumns } from '../progress/render-line.ts'
import { choosePlatform, setUpRun } from '../run-setup.ts'

export const planCommand: Command = {
  name: 'plan',
  options: {
    ...RUN_OPTIONS,
    ...RETRY_OPTION,
    ...COLD_RESET_OPTION,
    calibrate: flag(
      'ask each model that answers or grades three times, for estimates without earlier rows; kept for this machine',
    ),
  },
  collectsProblems: true,
  async run(invocation) {
    const isCold = invocation.values['cold-reset'] !== false
    const setup = await setUpRun({ ...invocation, values: { ...invocation.values, 'cold-reset': isCold } })
    refuseWithoutDataset(setup)
    const platform = choosePlatform(setup, invocation, () => undefined)
    const out = invocation.stdout
    const columns = outputColumns(out, process.env)
    const output = flagOption(invocation, 'json') ? invocation.stderr : out
    const print = (text: string): void => void output.write(`${wrap(text, columns, '  ').join('\n')}\n`)
    const warn = (message: string): void => void invocation.stderr.write(`warning: ${sanitizeForTerminal(message)}\n`)
    if (flagOption(invocation, 'calibrate')) for (const line of await calibrate(setup, invocation)) print(line)
    let conflicting = false
    let refused = false
    const named = namedFiles(setup.root, setup.inputs)
    const summaries = await summariesIn(setup.resultsDir, named)
    for (const message of setup.leftOut) warn(message)
    if (platform.kind === 'embedded') {
      const selected = await selectedModels(setup.experiment, setup.modelSet, invocation.env)
      if (!selected.ok)
        for (const problem of selected.problems) warn(`no run can start with this model set: ${problem}`)
    }
    for (const message of coverageNotices(setup.metrics, setup.aliases, setup.datasets)) print(message)
    for (const dataset of setup.datasets) {
      const wrong = await wrongData(setup, dataset, platform)
      if (wrong !== null) {
        refused = true
        const look = { color: invocation.stderr.isTTY, columns: outputColumns(invocation.stderr, invocation.env) }
        invocation.stderr.write(`${errorText(sanitizeForTerminal(wrong.message), look)}\n`)
        continue
      }
      const files = filesOf(setup, dataset.dataset.id)
      const onNotice = ({ message }: { message: string }): void => warn(message)
      const evaluator = evaluatorFor(setup.inputs, platform)
      const stored = await storedPlan({ ...setup, dataset, platform, evaluator, files, onNotice }, isCold)
      const cold = { plan: coldPlan(setup, dataset), cells: null, remedy: null }
      const { plan, cells, remedy } = stored === null || isCold ? cold : stored
      conflicting ||= plan.conflicts.length > 0
      const ofDataset = summaries.filter((summary) => summary.dataset.id === dataset.dataset.id)
      const { work, parts, expected_cost: cost, verdicts } = await plannedUse(setup, dataset, plan, ofDataset, cells)
      const planned = await plannedDecision({
        questions: dataset.questions,
        approaches: setup.aliases.length,
        primary: setup.experiment.evaluation.metrics.primary,
        judges: setup.judgePanel.enabled ? setup.judgePanel.models : [],
        earlier: ofDataset,
      })
      if (flagOption(invocation, 'json')) {
        const kept = isCold ? { without_cold_reset: stored?.plan ?? null } : {}
        const use = {
          verdicts,
          work,
          parts: parts.map((part) => ({ ...part, cost: known(part.cost) })),
          expected_cost: known(cost),
        }
        out.write(`${JSON.stringify({ ...plan, ...kept, ...use, planned_difference: planned })}\n`)
        continue
      }
      const evaluations =
        setup.metrics.length === 0 ? 'no evaluations' : `up to ${plural(plan.run + plan.resume_answered, 'evaluation')}`
      const kept = `${plural(plan.resume_answered, 'kept answer')} to score`
      print(
        `${plan.dataset_id}: ${plural(plan.total, 'answer')}, ${countWords(plan.reuse)} reused, ${countWords(plan.run)} to call, ${kept}, ${evaluations}`,
      )
      if (isCold && stored !== null) for (const text of keptWords(stored.plan)) print(text)
      print(`${plan.dataset_id}: ${workWords(work, parts)}`)
      if (parts.length > 1) for (const part of parts) print(`· ${partWords(part)}`)
      const calls = callsPerApproach(work)
      if (calls !== null) print(`  ${calls}`)
      if (plan.context_budget !== undefined) print(`${plan.dataset_id}: ${contextBudgetWords(plan.context_budget)}`)
      const decides = plannedWords(plan.dataset_id, planned)
      if (decides !== null) print(decides)
      if (cost !== null) {
        print(
          `${plan.dataset_id}: expected cost ${costWords(cost)}, ${work.approaches.some(({ calibrated }) => calibrated) ? 'by three calls of each model where no earlier run shows it' : 'by what such cells used in earlier runs'}`,
        )
        for (const text of cost.unknown) print(`  ○ ${text}`)
      }
      for (const text of failedCellLines(plan)) print(text)
      const { enabled, models } = setup.judgePanel
      if (enabled) print(`${plan.dataset_id}: up to ${plural(verdicts, 'verdict')} of ${models.join(', ')}`)
      if (plan.conflicts.length > 0)
        out.write(`${sanitizeForTerminal(new ResumeConflictError(files.evidence, plan.conflicts).message)}\n`)
      if (remedy !== null) print(remedy)
    }
    if (platform.kind === 'external')
      print(`${platform.gateway} was not called: whether it serves these approaches is checked when the run starts`)
    if (refused) return EXIT.badInput
    return conflicting ? EXIT.evidenceRefused : EXIT.ok
  },
}

/** A cost of which nothing is known has no amount. */
const known = (cost: Cost | null) =>
  cost !== null && cost.amount === 0 && cost.unknown.length > 0 ? { ...cost, amount: null } : cost

/** Reads what stored rows decide. A cold reset also removes rows that cannot be read: null. */
async function storedPlan(
  input: PlanInput & { root: string },
  isCold: boolean,
): Promise<Awaited<ReturnType<typeof plannedCells>> | null> {
  try {
    return await plannedCells(input)
  } catch (error) {
    if (isCold && error instanceof EvidenceRefusedError) return null
    throw error
  }
}

/** States what a run keeps without cold reset, in a line; none where nothing is stored. */
function keptWords({ dataset_id: id, total, reuse, run, resume_answered: scored, conflicts }: RunPlan): string[] {
  if (conflicts.length > 0)
    return [
      `${id}: the cold reset moves stored answers to the trash; --no-cold-reset would refuse them, as they were made under other conditions`,
    ]
  if (run === total) return []
  const kept = scored === 0 ? '' : `, ${plural(scored, 'kept answer')} to score`
  return [
    `${id}: the cold reset moves stored answers to the trash; with --no-cold-reset: ${countWords(reuse)} reused, ${countWords(run)} to call${kept}`,
  ]
}

/** Asks each model of the set three times, and returns a line for each. */
async function calibrate({ root, modelSet, inputs }: PreparedRun, { env }: Invocation): Promise<string[]> {
  if (inputs.gatewayUrl !== null) throw new InputError(['--calibrate: a platform elsewhere has its own models'])
  const run = { launcher: createNodeLauncher(), root, env, timeoutMs: CALIBRATION_TIMEOUT_MS }
  const loaded = await loadModels(root)
  const measured = await calibrateSet(run, loaded, modelSet).catch(async (error: unknown) => {
    throw (await failureOfService(error, loaded, modelSet, env)) ?? error
  })
  if (measured.length === 0) return ['The set answers by rules, whose pace no calls need to show.']
  return measured.map(({ model, latency_ms: latency, input_tokens: input, output_tokens: output }) => {
    const tokens =
      input === null || output === null
        ? 'its tokens are not reported'
        : `${countWords(Math.round(input))} tokens read, ${countWords(Math.round(output))} written`
    return `${model}: three calls took ${durationWords(latency)} each, ${tokens}`
  })
}

/** The models of a set as a run finds them, or why it cannot start with them. */
async function selectedModels(
  { models, connections }: Pick<PreparedRun['experiment'], 'models' | 'connections'>,
  modelSet: string | null,
  env: Invocation['env'],
) {
  const keys = await storedKeyEnvironment(connections, env)
  return selectModels(models, modelSet, { ...env, ...keys, [TRUSTED_VARIABLE]: trustedOrigins(env).join(',') })
}

/** The failure of a model that does not answer, with the addresses of its set; null for another one, such as a set that cannot be used. */
async function failureOfService(
  error: unknown,
  { models, connections }: Awaited<ReturnType<typeof loadModels>>,
  modelSet: string | null,
  env: Invocation['env'],
): Promise<PreflightError | null> {
  if (!(error instanceof InputError)) return null
  const selected = await selectedModels({ models, connections }, modelSet, env)
  if (!selected.ok) return null
  const { name, roles } = selected.models
  const answering = ModelRole.options.filter((role) => isAnswering(role, models.sets[name]!)).map((role) => roles[role])
  const addresses = answering.flatMap((choice) => (isRemoteModel(choice) ? [choice.base_url] : []))
  const asked = [...new Set(addresses)].join(', ')
  return new PreflightError(
    error.problems.map((problem) => `${problem}. Asked at ${asked}. To test it: rag-ladder models test ${name}`),
  )
}

/** Time and model calls of a run in all, with where those of the answers are known from, in a line. */
function workWords(work: ExpectedWork, parts: readonly PlannedPart[]): string {
  const { ms, calls, untimed } = sumOfUse(parts)
  if (ms === null) return sourceWords(work)
  const all = parts.length > 1 ? ' in all' : ''
  const without = untimed.length === 0 ? '' : `, without ${untimed.join(' and ')}, whose time is not known`
  return `about ${durationWords(ms)}${all}${calls === null ? '' : `, about ${plural(calls, 'model call')}`}, ${sourceWords(work)}${without}`
}

/** Why a dataset cannot be run as its files are; null when it can. It keeps no other dataset out of the plan. */
async function wrongData(
  setup: PreparedRun,
  dataset: LadderDataset,
  platform: PlatformSource,
): Promise<ManifestError | null> {
  try {
    await checkCorpus(setup.experiment, dataset, corpusRootFor(setup.inputs, platform))
    await checkGold(setup.root, dataset)
    return null
  } catch (error) {
    if (error instanceof ManifestError) return error
    throw error
  }
}
