import { canonicalJson } from '../../../core/canonical-json.ts'
import type { JudgedApproach, JudgeSection } from '../../../contract/evidence/aggregate.ts'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import type { IngestionProvenance } from '../../../contract/evidence/provenance.ts'
import { missingJudges } from '../../../core/evidence/missing-columns.ts'
import type { JudgeInput, UnknownField } from './judge-input.ts'
import { mean, roundedOrNull, share } from '../../lib/text/numbers.ts'

/** The run that judgments must fit. */
interface JudgedRun {
  datasetId: string
  /** Null when the run has none, as historical snapshots. */
  ingestion: IngestionProvenance | null
  models: readonly string[]
  questionIds: readonly string[]
}

/** Joins judgments with a run. What does not fit makes the section an error with its reason, and nothing else. */
export function judgeSection(input: JudgeInput, run: JudgedRun): JudgeSection {
  switch (input.state) {
    case 'disabled':
      return { status: 'disabled' }
    case 'pending':
      return { status: 'pending', judges: [...input.judges] }
    case 'unusable':
      return { status: 'error', reason: input.reason, message: input.message }
    case 'read': {
      const problem = misfit(input.judgments, run, new Set(input.unknown))
      return problem ?? joined(input.judgments, run, new Set(input.unknown))
    }
  }
}

type Failed = Extract<JudgeSection, { status: 'error' }>

/** The section with the judges that gave no verdict, where there are any. */
function withMissing<Section extends object>(section: Section, judgments: Judgments): Section {
  const missing = missingJudges(judgments)
  return missing.length === 0 ? section : { ...section, missing }
}

/** True where both ingestions read the same in the same way. Their job ids may differ, also within a run (decision 048). */
const isSameIngestion = (one: IngestionProvenance | null, other: IngestionProvenance | null): boolean =>
  canonicalJson(one && { ...one, job_id: '' }) === canonicalJson(other && { ...other, job_id: '' })

function misfit(judgments: Judgments, run: JudgedRun, unknown: ReadonlySet<UnknownField>): JudgeSection | null {
  const error = (reason: Failed['reason'], message: string): Failed => ({
    status: 'error',
    reason,
    message,
  })
  if (judgments.status === 'error' && !unknown.has('status'))
    return withMissing(error('panel_failed', 'no judge gave a verdict'), judgments)
  if (judgments.dataset_id !== run.datasetId && !unknown.has('dataset_id'))
    return error('other_run', `the judgments are of dataset ${judgments.dataset_id}`)
  if (unknown.has('ingestion') && run.ingestion !== null)
    return error('other_run', 'the judgments do not record the ingestion that they were made on')
  if (!unknown.has('ingestion') && !isSameIngestion(judgments.ingestion ?? null, run.ingestion))
    return error('other_run', 'the judgments were made on answers of another ingestion')
  const ids = judgments.queries.map((query) => query.query_id)
  if (new Set(ids).size !== ids.length) return error('invalid', 'a question is judged twice')
  const questionIds = new Set(run.questionIds)
  const foreign = ids.find((id) => !questionIds.has(id))
  if (foreign !== undefined)
    return error('other_run', `the judgments name the question ${foreign}, which the run lacks`)
  const model = judgments.queries
    .flatMap((query) => Object.values(query.per_judge).flatMap((verdict) => Object.keys(verdict.scores)))
    .find((name) => !run.models.includes(name))
  if (model !== undefined) return error('other_run', `the judgments name the alias ${model}, which the run lacks`)
  return null
}

function joined(judgments: Judgments, run: JudgedRun, unknown: ReadonlySet<UnknownField>): JudgeSection {
  const byId = new Map(judgments.queries.map((query) => [query.query_id, query]))
  const queries = run.questionIds.flatMap((id) => byId.get(id) ?? [])
  const expected = run.questionIds.length
  const summaries = run.models.map((model): Omit<JudgedApproach, 'rank'> => {
    const perQuestion = queries.map((query) => scoresOf(query.per_judge, model)).filter((scores) => scores.length > 0)
    const means = Float64Array.from(perQuestion, (scores) => mean(scores)!)
    return {
      model,
      mean: roundedOrNull(mean(means)),
      n: means.length,
      expected,
      coverage: share(means.length, expected),
      scores: perQuestion.reduce((sum, scores) => sum + scores.length, 0),
      votes: queries.reduce((sum, query) => sum + votesFor(query.per_judge, model), 0),
    }
  })
  const approaches = ranked(summaries)
  const first = approaches.filter((approach) => approach.rank === 1)
  const complete =
    (judgments.status === 'ok' || unknown.has('status')) && approaches.every((approach) => approach.n === expected)
  const section = {
    status: complete ? ('ok' as const) : ('partial' as const),
    judges: [...judgments.judges],
    questions: { judged: queries.length, expected },
    approaches,
    winner: first.length === 1 ? first[0]!.model : null,
    panel: judgments.panel ?? null,
  }
  return withMissing(section, judgments)
}

type Verdicts = Judgments['queries'][number]['per_judge']

/** Each judge's grade of an approach on one question, by the judge's name; the mean of them is the approach's score there. */
export const gradesOf = (query: Judgments['queries'][number], model: string): Map<string, number> =>
  new Map(
    Object.entries(query.per_judge)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([judge, { scores }]) => (scores[model] === undefined ? [] : [[judge, scores[model]]])),
  )

// By judge name, so that the order in the file cannot change the rounding.
const verdictsOf = (verdicts: Verdicts) =>
  Object.entries(verdicts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, verdict]) => verdict)

const scoresOf = (verdicts: Verdicts, model: string): Float64Array =>
  Float64Array.from(verdictsOf(verdicts).flatMap((verdict) => verdict.scores[model] ?? []))

const votesFor = (verdicts: Verdicts, model: string): number =>
  Object.values(verdicts).filter((verdict) => verdict.best === model).length

/** Rank by mean; votes only where means are equal; approaches equal in both share a rank. */
function ranked(summaries: readonly Omit<JudgedApproach, 'rank'>[]): JudgedApproach[] {
  const beats = (a: Omit<JudgedApproach, 'rank'>, b: Omit<JudgedApproach, 'rank'>): boolean =>
    a.mean !== null && b.mean !== null && (a.mean > b.mean || (a.mean === b.mean && a.votes > b.votes))
  return summaries.map((own) => ({
    ...own,
    rank: own.mean === null ? null : 1 + summaries.filter((other) => beats(other, own)).length,
  }))
}
