import { hash } from 'node:crypto'
import { retrievesFirst } from '../../../contract/approaches.ts'
import type {
  EditedQuestion,
  SearchMethod,
  SettingValues,
  TunedMetric,
  TuningPlan,
} from '../../../contract/evidence/tuning.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { profileNamed, rechunkedName } from '../../../contract/manifests/rechunked-profile.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { plural } from '../../../contract/words.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { parametersToSet } from '../../manifests/own-flavors.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { MIN_CLUSTERS } from '../../statistics/estimate.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { isRetrievalMetric } from './ask-trial.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { chooseSettings, roundsOf, survivors } from './choose-settings.ts'
import { knownIn, openingsBefore, readLedger, splitBy } from './holdout-ledger.ts'
import { editedAmong, ledgerQuestion, type LedgerQuestion } from './known-questions.ts'
import { readSpace, settingProblem, writeAnswers } from './search-space.ts'

/** Characters of dataset and alias in the name of a tuning. */
const MOST_NAME = 90

/** Describes the tuning to make. */
export interface TuningWish {
  alias: Alias
  /** `parameter=values`. */
  assignments: readonly string[]
  search: SearchMethod
  /** Settings to draw; null for a grid. */
  trials: number | null
  seed: string
  /** Share of the questions that are held out. */
  share: number
  metric: TunedMetric
  contextBudget: number
  /** Writes an answer to each question too. */
  answers: boolean
  /** Null for a name made of dataset, alias and a digest of the plan. */
  name: string | null
}

/** A tuning before its first call. */
export interface PlannedTuning {
  name: string
  wish: TuningWish
  draft: Omit<TuningPlan, 'corpus_digest' | 'models'>
  /** Scorable questions by id. */
  questions: ReadonlyMap<string, Question>
  /** Questions that the metric cannot score. */
  leftOut: number
  /** Independent groups of questions in the holdout. */
  holdoutGroups: number
  /** Earlier openings of this holdout by any tuning. */
  openings: number
  /** Questions of the holdout that are not as they were when they were sealed. */
  edited: EditedQuestion[]
  /** Most questions that are asked; of them those of the holdout. */
  asked: { development: number; holdout: number }
  /** Ways in which the corpus is cut: each is ingested by itself. */
  chunkings: number
}

/** Plans a tuning. Throws `InputError` for what cannot be tuned or has too few questions. */
export async function planTuning(run: DatasetRun, wish: TuningWish): Promise<PlannedTuning> {
  const { alias, metric, search, seed, share, answers, contextBudget } = wish
  const { dataset, profile } = run.dataset
  if (!answers && !retrievesFirst(alias.flavor))
    throw new InputError([
      `${alias.alias} chooses its passages while it answers: ${writeAnswers()} to tune it, which calls the models that write`,
    ])
  const values = parametersOf(run, alias)
  const space = { alias, values, profile, answers }
  const dimensions = await readSpace(wish.assignments, space)
  const settings = chooseSettings(dimensions, {
    search,
    trials: wish.trials,
    seed,
    problemOf: (setting) => settingProblem(setting, space) ?? nameProblem(run, setting),
  })
  const scorable = run.dataset.questions.filter((question) => isScorable(question, metric))
  const lines = await readLedger(run.experiment.root)
  const split = splitBy(lines, { dataset: dataset.id, questions: toDivide(scorable), seed, share, now: new Date() })
  const byId = new Map(scorable.map((question) => [question.id, question]))
  const of = (ids: readonly string[]): Question[] => ids.map((id) => byId.get(id)!)
  const holdoutGroups = new Set(clustered(of(split.holdout)).map(({ cluster }) => cluster)).size
  if (split.development.length === 0 || holdoutGroups < MIN_CLUSTERS)
    throw new InputError([
      `${dataset.id}: ${split.holdout.length} of ${scorable.length} questions that ${metricOfId(metric).label} can score are held out, in ${plural(holdoutGroups, 'independent group')}; a test needs ${MIN_CLUSTERS}. Add questions about other documents, or hold out more${remedyFor({ panel: '', commandLine: ' (--holdout)' })}`,
    ])
  const rounds = roundsOf(clustered(of(split.development)), { search, seed, settings: settings.length })
  const draft = {
    dataset: dataset.id,
    alias: alias.alias,
    metric,
    context_budget: contextBudget,
    answers,
    search,
    seed,
    tuned: dimensions.map(({ name }) => name),
    settings,
    parameters: values,
    rounds,
    holdout: split.holdout,
    questions_sha256: hash('sha256', canonicalJson(scorable.map((question) => scoredBy(question, answers)))),
  }
  const digest = hash('sha256', canonicalJson(draft)).slice(0, 8)
  const name = wish.name ?? `${`${dataset.id}-${alias.alias}`.slice(0, MOST_NAME)}-${digest}`
  const opening = {
    dataset: dataset.id,
    tuning: name,
    alias: alias.alias,
    winner: {},
    metric,
    questions: of(split.holdout).map(ledgerQuestion),
  }
  return {
    name,
    wish,
    draft,
    questions: byId,
    leftOut: run.dataset.questions.length - scorable.length,
    holdoutGroups,
    openings: openingsBefore(lines, opening).length,
    edited: editedAmong(knownIn(lines, dataset.id), opening.questions),
    asked: { development: mostAsked(rounds, settings.length), holdout: 2 * split.holdout.length },
    chunkings: new Set(settings.map((setting) => profileOf(run, setting))).size,
  }
}

/** Picks what a question's scores rest on: of answers the reference too. */
function scoredBy({ id, query, gold, ground_truth, answer_keys, forbidden_answers }: Question, answers: boolean) {
  return { id, query, gold, ...(answers ? { ground_truth, answer_keys, forbidden_answers } : {}) }
}

const parametersOf = ({ experiment }: DatasetRun, alias: Alias): TuningPlan['parameters'] =>
  alias.base === 'own-approach' ? alias.flavor.parameters : (parametersToSet(alias, experiment.consumer) ?? {})

const isScorable = (question: Question, metric: TunedMetric): boolean =>
  isRetrievalMetric(metric) ? question.gold.length > 0 : question.answerable && question.ground_truth !== null

/** Questions with their clusters, found among themselves. */
export function clustered(questions: readonly Question[]): { id: string; cluster: string }[] {
  const { clusters } = clusterQuestions(questions.map(clusterable))
  return questions.map(({ id }, at) => ({ id, cluster: clusters[at]! }))
}

/** The same as the ledger divides them. */
export function toDivide(questions: readonly Question[]): (LedgerQuestion & { cluster: string })[] {
  const clusters = clustered(questions)
  return questions.map((question, at) => ({ ...ledgerQuestion(question), cluster: clusters[at]!.cluster }))
}

function mostAsked(rounds: readonly string[][], settings: number): number {
  let left = Array.from({ length: settings }, (_, at) => at)
  return rounds.reduce((sum, round, at) => {
    if (at > 0) left = survivors(left, new Map())
    return sum + round.length * left.length
  }, 0)
}

/** The ingestion profile that a setting searches: the dataset's own, or one with its chunks. */
export function profileOf({ dataset: { profile } }: DatasetRun, setting: SettingValues): string {
  const { chunk_size = profile.chunker.chunk_size, overlap = profile.chunker.overlap } = setting as Record<
    string,
    number
  >
  if (chunk_size === profile.chunker.chunk_size && overlap === profile.chunker.overlap) return profile.name
  return rechunkedName(profile.name, { chunk_size, overlap })
}

/** A declared profile of that name is another corpus. */
function nameProblem(run: DatasetRun, setting: SettingValues): string | null {
  const name = profileOf(run, setting)
  if (name === run.dataset.profile.name) return null
  const isDeclared = run.experiment.consumer.ingestion_profiles.some((profile) => profile.name === name)
  if (isDeclared)
    return `the ingestion profile ${name} is declared: rename it, a tuning needs the name for other chunks`
  return profileNamed(run.experiment.consumer.ingestion_profiles, name) === undefined ? `${name} is no profile` : null
}
