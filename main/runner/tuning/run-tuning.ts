// Tunes one alias on one dataset. In: what is tuned, with the run that it is prepared from. Out: the result, with its files in `<results>/tuning/<name>`.
//   1. plan-tuning.ts divides the questions (holdout-ledger.ts), chooses the settings (choose-settings.ts) and counts the calls. It starts and writes nothing.
//   2. `runTuning` starts the platform, ingests what the settings search (collections with other chunks are profiles of their own), and opens the journal.
//   3. Each trial asks the questions of development with one setting, passages alone (ask-trial.ts), a block of trials question by question; a finished one is never made again.
//   4. The winner on development and the alias as it is answer the holdout, which the ledger records before.
import { join } from 'node:path'
import type { SettingValues, TrialFigures, TuningPlan } from '../../../contract/evidence/tuning.ts'
import type { Trial } from '../../../contract/http/trial.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { approachDescriptor } from '../../../contract/approaches.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'
import { createGatewayClient, type GatewayClient } from '../../lib/services/gateway-client.ts'
import {
  joinedFigures,
  meanOf,
  settingResults,
  type TuningResult,
  winnerOf,
} from '../../report/tuning/tuning-result.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { confirmWinner, type Confirmed } from '../../statistics/tuning/confirm-winner.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { askToWrite, ingestProfile } from '../ingestion/ingest.ts'
import { startPlatform, type StartedPlatform } from '../platform/dataset-platform.ts'
import { PlatformError } from '../platform/platform-client.ts'
import { askTrials } from './ask-trial.ts'
import { survivors } from './choose-settings.ts'
import { openHoldout, recordSplit } from './holdout-ledger.ts'
import { ledgerQuestion } from './known-questions.ts'
import { clustered, profileOf, toDivide, type PlannedTuning } from './plan-tuning.ts'
import { recordChoice } from './tuned-approaches.ts'
import { openTuningJournal, tuningFolder, type TuningJournal } from './tuning-journal.ts'

interface RunningTuning {
  run: DatasetRun
  planned: PlannedTuning
  started: StartedPlatform
  client: GatewayClient
  journal: TuningJournal
  stop: AbortSignal
  ingested: Set<string>
  onTrial: (news: TrialNews) => void
}

/** A finished trial, or one that an earlier process finished. */
export interface TrialNews {
  setting: number
  values: SettingValues
  round: number
  mean: number | null
  figures: TrialFigures
  isReused: boolean
}

interface TuningOptions {
  resultsDir: string
  /** Opens the holdout for the winner; false leaves it sealed. */
  confirm: boolean
  onTrial: (news: TrialNews) => void
}

/** Runs a planned tuning to its result. Throws what platform and ingestion throw, `InputError` for a journal of another plan, and `TuningError`. */
export async function runTuning(
  run: DatasetRun,
  planned: PlannedTuning,
  options: TuningOptions,
): Promise<TuningResult> {
  const stop = AbortSignal.any([run.drain, run.abort])
  const { name, wish, draft } = planned
  const folder = tuningFolder(options.resultsDir, name)
  const started = await startPlatform(run)
  const client = createGatewayClient({ url: started.url, apiKey: started.apiKey, edgeKey: started.edgeKey ?? null })
  try {
    const ingested = new Set<string>()
    const digest = await ingest({ run, started, stop, ingested }, run.dataset.profile.name, wish.alias)
    const roles = Object.entries(started.health?.models?.roles ?? {})
    const models = Object.fromEntries(
      roles
        .filter(([role]) => draft.answers || role === 'embed' || role === 'rerank')
        .map(([role, { backend, model }]) => [role, `${model} (${backend})`]),
    )
    const plan: TuningPlan = { ...draft, corpus_digest: digest, models }
    const journal = await openTuningJournal(folder, name, plan)
    try {
      await recordSplit(run.experiment.root, {
        dataset: draft.dataset,
        questions: toDivide([...planned.questions.values()]),
        seed: wish.seed,
        share: wish.share,
        now: new Date(),
      })
      const tuning: RunningTuning = { run, planned, started, client, journal, stop, ingested, onTrial: options.onTrial }
      const result = await tuned(tuning, plan, options.confirm)
      if (result.winner !== 0)
        await recordChoice(run.experiment, run.dataset.profile, {
          tuning: name,
          plan,
          winner: result.winner,
          state: result.confirmed?.state ?? null,
        })
      await writeAtomic(join(folder, 'result.json'), `${JSON.stringify(result, null, 2)}\n`)
      return result
    } finally {
      await journal.close()
    }
  } finally {
    await client.close()
    await started.client.close()
    await started.stop()
  }
}

async function tuned(tuning: RunningTuning, plan: TuningPlan, confirm: boolean): Promise<TuningResult> {
  const { planned, journal } = tuning
  // 1. Development: every setting, or those that are left of the round before.
  const rounds = new Map<number, TrialFigures[]>()
  let left = plan.settings.map((_, setting) => setting)
  for (const [round, ids] of plan.rounds.entries()) {
    if (round > 0)
      left = survivors(
        left,
        new Map(left.map((each) => [each, meanOf(joinedFigures(rounds.get(each)!).scores) ?? -Infinity])),
      )
    // Settings that search the same collections come one after the other.
    const order = left.toSorted(
      (one, other) => profileIn(tuning, plan, one).localeCompare(profileIn(tuning, plan, other)) || one - other,
    )
    for (const block of blocksOf(order, tuning, plan)) {
      const open = block.filter((setting) => journal.trial(setting, round) === undefined)
      const made = await ask(tuning, plan, open, ids)
      for (const [at, setting] of open.entries()) await journal.addTrial(setting, round, made[at]!)
      for (const setting of block) {
        const figures = journal.trial(setting, round)!
        rounds.set(setting, [...(rounds.get(setting) ?? []), figures])
        const mean = meanOf(joinedFigures(rounds.get(setting)!).scores)
        const isReused = !open.includes(setting)
        tuning.onTrial({ setting, values: plan.settings[setting]!, round, mean, figures, isReused })
      }
    }
  }
  const figures = new Map([...rounds].map(([setting, of]) => [setting, joinedFigures(of)]))
  const development = clusteredByIds(planned, plan.rounds.flat())
  const settings = settingResults(plan, figures, development)
  const standard = figures.get(0)!
  if (settings[0]!.mean === null)
    throw new PlatformError(
      'invalid_response',
      `no question could be scored of ${plan.alias} as it is: ${standard.failure ?? 'none has a score'}`,
      null,
    )
  const winner = winnerOf(settings).setting
  // 2. The holdout, once, for a winner that is not the alias as it is.
  const isOpened = confirm && winner !== 0
  const opened = isOpened ? await confirmed(tuning, plan, winner) : null
  const all = joinedFigures([...figures.values(), ...(opened?.figures ?? [])])
  return {
    schema_version: 1,
    name: planned.name,
    plan,
    settings,
    winner,
    development: { questions: development.length, clusters: groupsIn(development) },
    holdout: { questions: plan.holdout.length, clusters: groupsIn(clusteredByIds(planned, plan.holdout)) },
    opening: opened?.opening ?? null,
    confirmed: opened?.confirmed ?? null,
    ...(planned.edited.length === 0 ? {} : { edited: planned.edited }),
    calls: all.calls,
    wall_ms: all.wall_ms,
  }
}

const groupsIn = (questions: readonly { cluster: string }[]): number =>
  new Set(questions.map(({ cluster }) => cluster)).size

const clusteredByIds = ({ questions }: PlannedTuning, ids: readonly string[]) =>
  clustered(ids.map((id) => questions.get(id)!))

async function confirmed(tuning: RunningTuning, plan: TuningPlan, winner: number) {
  const { run, planned, journal } = tuning
  // The ledger knows before anything is seen.
  const opening = await openHoldout(
    run.experiment.root,
    {
      dataset: plan.dataset,
      tuning: planned.name,
      alias: plan.alias,
      winner: plan.settings[winner]!,
      metric: plan.metric,
      questions: plan.holdout.map((id) => ledgerQuestion(planned.questions.get(id)!)),
    },
    new Date(),
  )
  const open = [0, winner].filter((setting) => journal.holdout(setting) === undefined)
  const made = await ask(tuning, plan, open, plan.holdout)
  for (const [at, setting] of open.entries()) await journal.addHoldout(setting, made[at]!)
  const figures = [0, winner].map((setting) => journal.holdout(setting)!)
  const asked = plan.holdout.map((id) => planned.questions.get(id)!)
  const { clusters, cutPerKept } = clusterQuestions(asked.map(clusterable))
  const numbers = ({ scores }: TrialFigures): number[] => scores.map((score) => score ?? Number.NaN)
  const { range } = metricOfId(plan.metric)
  const result: Confirmed = confirmWinner(
    {
      metric: plan.metric,
      questions: asked.map(({ id }, at) => ({ id, cluster: clusters[at]! })),
      cutPerKept,
      winner: numbers(figures[1]!),
      standard: numbers(figures[0]!),
      range: [range[0], range[1] ?? 1],
    },
    opening,
  )
  return { opening, confirmed: result, figures }
}

const profileIn = ({ run }: RunningTuning, plan: TuningPlan, setting: number): string =>
  profileOf(run, plan.settings[setting]!)

/** Trials that are asked together. What a kill loses is at most one block; answers are paid for, and each trial with them is kept by itself. */
const BLOCK = 8

/** Settings that search the same collections, in blocks. */
function blocksOf(settings: readonly number[], tuning: RunningTuning, plan: TuningPlan): number[][] {
  const size = plan.answers ? 1 : BLOCK
  const groups = Map.groupBy(settings, (setting) => profileIn(tuning, plan, setting))
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / size) }, (_, at) => group.slice(at * size, (at + 1) * size)),
  )
}

/** The figures of some settings, in their order. */
async function ask(
  tuning: RunningTuning,
  plan: TuningPlan,
  settings: readonly number[],
  ids: readonly string[],
): Promise<TrialFigures[]> {
  if (settings.length === 0) return []
  const { run, planned, started, client, stop } = tuning
  const { alias, metric } = planned.wish
  const profiles = settings.map((setting) => profileIn(tuning, plan, setting))
  for (const profile of new Set(profiles)) await ingest(tuning, profile, alias)
  const { timeout_s: timeoutS, retries, concurrency } = run.experiment.evaluation.run
  return askTrials(
    {
      client,
      alias: alias.alias,
      capability: alias.evidence,
      contextBudget: plan.context_budget,
      metric,
      questions: ids.map((id) => planned.questions.get(id)!),
      concurrency,
      timeoutMs: timeoutS * 1000,
      retries,
      ready: started.ready,
      stop,
    },
    settings.map((setting, at) => trialOf(run, plan, setting, profiles[at]!)),
  )
}

/** Sets all settings of a managed graph query, and else what is tuned. */
function trialOf(run: DatasetRun, plan: TuningPlan, setting: number, profile: string): Trial {
  const { chunk_size: _size, overlap: _overlap, ...changed } = plan.settings[setting]!
  const set = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== null))
  const isManaged = 'query_profile' in run.experiment.aliases.get(plan.alias)!.flavor.parameters
  return {
    parameters: setting === 0 ? {} : isManaged ? { ...plan.parameters, ...set } : set,
    ...(profile === run.dataset.profile.name ? {} : { profile }),
    answer: plan.answers,
  }
}

/** Ingests a profile, and builds its contextual collection where the alias reads that, once. Returns the digest of the documents. */
async function ingest(
  { run, started, stop, ingested }: Pick<RunningTuning, 'run' | 'started' | 'stop' | 'ingested'>,
  profile: string,
  { base }: Alias,
): Promise<string> {
  if (ingested.has(profile)) return ''
  const { client, ready } = started
  const { emit, dataset } = run
  const { usesGraph: graph = false, usesContextual = false, usesTree = false } = approachDescriptor(base)
  const { record } = await ingestProfile({ client, profile, datasetId: dataset.dataset.id, graph, emit, stop, ready })
  if (usesTree) await askToWrite((signal) => client.buildTree(profile, signal), { emit, stop, ready })
  if (usesContextual) await askToWrite((signal) => client.buildContextual(profile, signal), { emit, stop, ready })
  ingested.add(profile)
  return record.content_digest
}
