import type { PlacedScore } from '../../main/statistics/agreement/judge-bias.ts'
import { type RandomStream, seededRandom } from './seeded-random.ts'
import type { ScoreTable } from '../../main/statistics/score-table.ts'

/** A world with known truth: questions in clusters, two approaches, scores of 0 to 1 that pile up at the ends. */
export interface World {
  name: string
  /** Questions in each cluster. */
  sizes: readonly number[]
  /** Chance that a question repeats what its cluster drew: 0 makes questions independent. */
  dependence: number
  /** Chances of exactly 1 and exactly 0 for each approach; otherwise the score is √U (mean 2/3), or none. */
  a: Ends
  b: Ends
}

interface Ends {
  one: number
  zero: number
  /** True: nothing between the ends, as for hit@5. */
  binary?: boolean
}

const meanOf = ({ one, zero, binary }: Ends): number => one + (binary === true ? 0 : (1 - one - zero) * (2 / 3))

/** True mean of approach `a`, and true difference a − b. */
export const truthOf = (world: World): { mean: number; difference: number } => ({
  mean: meanOf(world.a),
  difference: meanOf(world.a) - meanOf(world.b),
})

const repeated = (count: number, size: number): number[] => Array.from({ length: count }, () => size)
const skewed = { a: { one: 0.5, zero: 0.05 }, b: { one: 0.3, zero: 0.1 } }

/** From the shape of the shipped rungs (24 questions, some sharing documents) to a large run. */
export const WORLDS: readonly World[] = [
  { name: '24 questions, independent', sizes: repeated(24, 1), dependence: 0, ...skewed },
  { name: '24 questions, 19 clusters', sizes: [3, 2, 2, 2, ...repeated(15, 1)], dependence: 0.6, ...skewed },
  { name: '24 questions, 13 clusters', sizes: [5, 4, 2, 2, 2, 2, ...repeated(7, 1)], dependence: 0.6, ...skewed },
  {
    name: '72 questions, 30 clusters',
    sizes: [6, 5, 5, 4, 4, 4, ...repeated(10, 3), ...repeated(14, 1)],
    dependence: 0.6,
    ...skewed,
  },
  {
    name: '240 questions, 100 clusters',
    sizes: [...repeated(40, 4), ...repeated(20, 2), ...repeated(40, 1)],
    dependence: 0.6,
    ...skewed,
  },
  {
    name: '72 questions, 0 or 1',
    sizes: repeated(72, 1),
    dependence: 0,
    a: { one: 0.7, zero: 0.3, binary: true },
    b: { one: 0.55, zero: 0.45, binary: true },
  },
]

/** Defines where an outside review found intervals too narrow: few clusters, and scores near their ceiling. */
export const HARD_WORLDS: readonly World[] = [
  {
    name: '21 questions, 94 % ones',
    sizes: repeated(21, 1),
    dependence: 0,
    a: { one: 0.94, zero: 0 },
    b: { one: 0.94, zero: 0 },
  },
  {
    name: '24 questions, 90 % ones',
    sizes: repeated(24, 1),
    dependence: 0,
    a: { one: 0.9, zero: 0 },
    b: { one: 0.8, zero: 0 },
  },
  {
    name: '60 questions, 90 % ones',
    sizes: repeated(60, 1),
    dependence: 0,
    a: { one: 0.9, zero: 0 },
    b: { one: 0.8, zero: 0 },
  },
  { name: '8 questions', sizes: repeated(8, 1), dependence: 0, ...skewed },
  {
    name: '24 questions, 0 or 1 near 1',
    sizes: repeated(24, 1),
    dependence: 0,
    a: { one: 0.95, zero: 0.05, binary: true },
    b: { one: 0.9, zero: 0.1, binary: true },
  },
  {
    name: '8 questions, 0 or 1',
    sizes: repeated(8, 1),
    dependence: 0,
    a: { one: 0.7, zero: 0.3, binary: true },
    b: { one: 0.6, zero: 0.4, binary: true },
  },
  {
    name: '24 questions in 13 clusters, 0 or 1',
    sizes: [5, 4, 2, 2, 2, 2, ...repeated(7, 1)],
    dependence: 0.6,
    a: { one: 0.9, zero: 0.1, binary: true },
    b: { one: 0.8, zero: 0.2, binary: true },
  },
]

/** One experiment in a world. Approaches share half of their luck on a question, as real ones do. */
export function simulatedTable(random: RandomStream, world: World): ScoreTable {
  const scoreOf = ({ one, zero, binary }: Ends, luck: number): number => {
    if (luck < one) return 1
    if (luck < one + zero) return 0
    return binary === true ? 0 : Math.sqrt(random.uniform())
  }
  const draw = (): [number, number] => {
    const luck = random.uniform()
    return [scoreOf(world.a, luck), scoreOf(world.b, random.uniform() < 0.5 ? luck : random.uniform())]
  }
  const questions: { id: string; cluster: string }[] = []
  const scores: number[] = []
  for (const [cluster, size] of world.sizes.entries()) {
    const shared = draw()
    for (let member = 0; member < size; member += 1) {
      questions.push({ id: `q${questions.length}`, cluster: `c${cluster}` })
      scores.push(...(random.uniform() < world.dependence ? shared : draw()))
    }
  }
  return { metric: 'simulated', questions, approaches: ['a', 'b'], scores: Float64Array.from(scores), range: [0, 1] }
}

/** A judge whose score moves by exactly `bias` for each place further down, in expectation. */
export interface BiasedJudge {
  bias: number
  questions: number
  approaches: number
  /** Orderings of each question's answers. */
  rotations: number
}

/**
 * Scores from 1 to 5 of one biased judge. Qualities keep clear of the ends of the scale and rounding is random (up with the chance of the
 * fraction), so that neither bends the bias. Orders are random, further rotations are cyclic shifts.
 */
export function judgedByBiased(seed: string, { bias, questions, approaches, rotations }: BiasedJudge): PlacedScore[] {
  const random = seededRandom(seed)
  const scores: PlacedScore[] = []
  for (let question = 0; question < questions; question += 1) {
    const places = shuffled(random, approaches)
    const qualities = Array.from(
      { length: approaches },
      (_, approach) => 2.2 + random.uniform() + (0.6 * approach) / approaches,
    )
    for (let rotation = 0; rotation < rotations; rotation += 1)
      for (let approach = 0; approach < approaches; approach += 1) {
        const position = ((places[approach]! + rotation * 2) % approaches) + 1
        const expected = qualities[approach]! + bias * (position - (approaches + 1) / 2)
        scores.push({
          question: `q${question}`,
          cluster: `q${question}`,
          approach: `m${approach}`,
          rotation,
          position,
          score: Math.floor(expected + random.uniform()),
          length: 200 + random.below(800),
        })
      }
  }
  return scores
}

function shuffled(random: RandomStream, count: number): number[] {
  const order = Array.from({ length: count }, (_, index) => index)
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random.below(last + 1)
    ;[order[last], order[other]] = [order[other]!, order[last]!]
  }
  return order
}
