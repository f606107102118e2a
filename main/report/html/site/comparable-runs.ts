import type { Aggregate } from '../../../../contract/evidence/aggregate.ts'
import { contextBudgetWords, plural } from '../../../../contract/words.ts'
import type { ComparedName } from '../../aggregate/aggregate-access.ts'
import { primaryMetric } from '../../aggregate/metric-use.ts'
import { nameWords } from '../../words.ts'

/** Two dataset runs must be equal in these before one table holds their figures; differences are named in this order. */
const CONDITIONS = {
  questions: 'questions',
  documents: 'documents',
  metric: 'primary metric',
  repeats: 'answers per question',
  budget: 'context budget',
  models: 'models',
  evaluator: 'evaluator',
} as const
type Condition = keyof typeof CONDITIONS

/** The conditions of a dataset run as texts; null where a run does not record one, which makes it comparable with no other. */
export type Conditions = Readonly<Record<Condition, { value: string | null; words: string }>>

function conditionsOf(aggregate: Aggregate): Conditions {
  const { reproducibility, ingestion, questions, repeats, approaches } = aggregate
  const metric = primaryMetric([aggregate])
  const runtime = reproducibility?.runtime ?? null
  const digest = ingestion?.content_digest ?? null
  const models = runtime?.models ?? null
  const graders = [...new Set(approaches.flatMap(({ evaluation }) => evaluation.evaluator_models))].sort()
  const roles = models === null ? null : Object.entries(models.roles).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    questions: {
      value: reproducibility?.config_hashes['queries'] ?? null,
      words: plural(questions.length, 'question'),
    },
    documents: { value: digest, words: digest === null ? 'unknown documents' : `documents ${digest.slice(0, 12)}` },
    metric: { value: metric, words: metric === null ? 'no primary metric' : nameWords(metric) },
    repeats: { value: String(repeats), words: `${plural(repeats, 'answer')} per question` },
    budget: {
      value: runtime === null ? null : String(runtime.context_budget ?? 'none'),
      words: runtime?.context_budget === undefined ? 'no context budget' : contextBudgetWords(runtime.context_budget),
    },
    models: {
      value: roles === null ? null : JSON.stringify(roles),
      words: models === null ? 'unknown models' : `model set ${models.set}`,
    },
    // Scores that no model gave do not depend on it.
    evaluator: {
      value: isGraded(aggregate, metric) ? graders.join(', ') : '',
      words: isGraded(aggregate, metric) ? `graded by ${graders.join(', ') || 'no model'}` : '',
    },
  }
}

const isGraded = ({ metrics }: Aggregate, metric: ComparedName | null): boolean =>
  metrics.some((each) => each === metric)

/** Dataset runs of one dataset that were measured under equal conditions. */
export interface ComparableRuns {
  conditions: Conditions
  aggregates: Aggregate[]
  /** In what they differ from the first group of their dataset; empty for that one. */
  differs: string[]
}

/** The dataset runs of one dataset in groups that may be compared, the largest group first; each run is in one of them. */
export function comparableRuns(aggregates: readonly Aggregate[]): ComparableRuns[] {
  const groups: ComparableRuns[] = []
  for (const aggregate of aggregates) {
    const conditions = conditionsOf(aggregate)
    const group = groups.find((each) => differences(each.conditions, conditions).length === 0)
    if (group === undefined) groups.push({ conditions, aggregates: [aggregate], differs: [] })
    else group.aggregates.push(aggregate)
  }
  const sorted = groups.toSorted((a, b) => b.aggregates.length - a.aggregates.length)
  const [first] = sorted
  return sorted.map((group) => ({
    ...group,
    differs: group === first ? [] : differences(first!.conditions, group.conditions),
  }))
}

function differences(one: Conditions, other: Conditions): string[] {
  return (Object.keys(CONDITIONS) as Condition[])
    .filter((name) => one[name].value === null || other[name].value === null || one[name].value !== other[name].value)
    .map((name) => CONDITIONS[name])
}
