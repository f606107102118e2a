import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { Question } from '../../../contract/manifests/queries.ts'
import { plannedWords } from '../../../core/planned-words.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { seededRandom } from '../../../tests/helpers/seeded-random.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { comparePairs } from '../../statistics/compare-pairs.ts'
import { plannedDecision } from './planned-decision.ts'

/** Questions whose facts are on so many documents, each a passage of its own. */
const questionsOn = (count: number, documents: number): Question[] =>
  Array.from({ length: count }, (_, index) =>
    Question.parse({
      id: `q-${index}`,
      query: `Question ${index}?`,
      gold: [{ document: `${index % documents}.md`, fact: `Lock ${index} opens at six.` }],
    }),
  )

const plan = (questions: readonly Question[], approaches = 2, earlier: Aggregate[] = []) =>
  plannedDecision({ questions, approaches, judges: [], earlier })

/** Share of runs that decide a true difference, with noise that the plan did not see. */
function powerOf(questions: readonly Question[], difference: number, spread: number): number {
  const random = seededRandom('kept promise')
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random.uniform())) * Math.cos(2 * Math.PI * random.uniform())
  const { clusters, cutPerKept } = clusterQuestions(questions.map(clusterable))
  const runs = 600
  let decided = 0
  for (let run = 0; run < runs; run += 1) {
    const scores = questions.flatMap(({ gold }) => {
      const other = random.uniform()
      return gold.length === 0 ? [Number.NaN, Number.NaN] : [other + difference + spread * normal(), other]
    })
    const table = {
      metric: 'facts_found',
      questions: questions.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
      cutPerKept,
      approaches: ['a', 'b'],
      scores: Float64Array.from(scores),
      range: [0, 1] as const,
    }
    if (comparePairs(table, { seed: 'kept', method: 'student' }).pairs[0]!.decision === 'better') decided += 1
  }
  return decided / runs
}

describe('the difference that a plan names is decided in 4 of 5 runs', () => {
  it.each(['baseline_curated', 'graph_native', 'cyber_threat_intel'])('on %s', async (id) => {
    const { datasets } = await loadExperiment(PROJECT_ROOT)
    const { questions } = datasets.find(({ dataset }) => dataset.id === id)!
    const { alone, spread } = await plan(questions)
    const power = powerOf(questions, alone!, spread)
    expect(power).toBeGreaterThan(0.75)
    expect(power).toBeLessThan(0.85)
  })

  it('on an own dataset of three documents, of which questions without gold are not counted', async () => {
    const bare = Array.from({ length: 20 }, (_, index) =>
      Question.parse({ id: `bare-${index}`, query: `Bare ${index}?`, answerable: false }),
    )
    const questions = [...questionsOn(24, 3), ...bare]
    const planned = await plan(questions)
    expect(planned).toMatchObject({ metric: 'facts_found', questions: 24, groups: 24, basis: 'gold_passages' })
    const power = powerOf(questions, planned.alone!, planned.spread)
    expect(power).toBeGreaterThan(0.75)
    expect(power).toBeLessThan(0.85)
  })
})

describe('a plan', () => {
  it('promises nothing where the primary metric can score too few groups, however many other questions there are', async () => {
    const bare = questionsOn(40, 40).map(({ gold: _gold, ...question }) =>
      Question.parse({ ...question, id: `bare-${question.id}`, ground_truth: 'Six.' }),
    )
    const planned = await plan([...questionsOn(6, 6), ...bare])
    expect(planned).toMatchObject({ alone: null, metric: 'facts_found', questions: 6, groups: 6 })
    expect(plannedWords('The dataset', planned)).toBe(
      'The dataset has too few questions to test: its 6 questions that facts found can score are in 6 independent groups (no two share a gold document), and a test needs 8',
    )
  })

  it('is for the metric that the run declares, and for none without gold and keys', async () => {
    const keyed = questionsOn(12, 12).map((question) => ({ ...question, answer_keys: [['six']] }))
    const planned = await plannedDecision({
      questions: [...keyed.slice(0, 9), ...questionsOn(12, 12).map((each) => ({ ...each, id: `x-${each.id}` }))],
      approaches: 2,
      primary: 'points_covered',
      judges: [],
      earlier: [],
    })
    expect(planned).toMatchObject({ metric: 'points_covered', questions: 9 })
    const none = await plan([Question.parse({ id: 'a', query: 'A?', answerable: false })])
    expect(none).toMatchObject({ metric: null, alone: null })
    expect(plannedWords('The dataset', none)).toMatch(/^The dataset cannot be tested: no question has/)
  })

  it('takes the spread of the newest run that shows it, and names the run', async () => {
    const summary = (run: string, se: number | null) =>
      ({
        run_id: run,
        comparisons: { metrics: [{ metric: 'facts_found', pairs: [{ difference: { se, n: 100 } }] }] },
      }) as unknown as Aggregate
    const assumed = await plan(questionsOn(40, 40))
    expect(assumed).toMatchObject({ spread: 0.35, spread_run: null })
    const shown = await plan(questionsOn(40, 40), 2, [summary('new', null), summary('old', 0.02)])
    expect(shown).toMatchObject({ spread: 0.2, spread_run: 'old' })
    expect(shown.alone).toBeLessThan(assumed.alone!)
    expect(plannedWords('The dataset', shown)).toMatch(
      /standard deviation of a question's difference 0\.20, as in run old\)$/,
    )
  })
})
