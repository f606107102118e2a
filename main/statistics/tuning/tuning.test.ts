// Tuning in worlds with known truth: questions that share documents, 50 settings that share the noise of the default. Seeds are fixed.
import { describe, expect, it } from 'vitest'
import { type RandomStream, seededRandom } from '../../../tests/helpers/seeded-random.ts'
import { clusterQuestions } from '../clusters.ts'
import { type Confirmation, confirmWinner } from './confirm-winner.ts'
import { correctedTrials } from './corrected-trials.ts'
import { splitQuestions } from './split-questions.ts'

const SETTINGS = 50
/** Standard deviation of a question's difference between a setting and the default; those of two settings correlate by one half. */
const SPREAD = 0.25

/** Nearly normal, variance 1: the sum of the four bytes of a random number. */
function noise(random: RandomStream): number {
  const bits = random.nextUint32()
  return ((bits & 255) + ((bits >>> 8) & 255) + ((bits >>> 16) & 255) + (bits >>> 24) - 510) / 147.8
}

/** Worlds whose questions rest on these documents, which cause `share` of the variance. */
class World {
  readonly documents: readonly (readonly number[])[]
  readonly share: number
  readonly development: number[]
  readonly #holdout: number[]
  readonly #asked: { id: string; cluster: string }[]
  readonly #cutPerKept: number
  /** Cluster of each question of development, as a number. */
  readonly #place: number[]

  constructor(documents: readonly (readonly number[])[], share: number) {
    this.documents = documents
    this.share = share
    const questions = documents.map((names, at) => ({ id: `q${at}`, documents: names.map(String) }))
    const { clusters } = clusterQuestions(questions)
    const split = splitQuestions(
      questions.map(({ id }, at) => ({ id, cluster: clusters[at]! })),
      { seed: 'world', share: 0.5 },
    )
    const indexesOf = (ids: readonly string[]): number[] => ids.map((id) => Number(id.slice(1)))
    this.development = indexesOf(split.development)
    this.#holdout = indexesOf(split.holdout)
    // Each side is clustered by itself, as a run over its questions would be.
    const own = clusterQuestions(this.development.map((at) => questions[at]!)).clusters
    const names = [...new Set(own)]
    this.#place = own.map((name) => names.indexOf(name))
    const held = clusterQuestions(this.#holdout.map((at) => questions[at]!))
    this.#cutPerKept = held.cutPerKept
    this.#asked = this.#holdout.map((at, index) => ({ id: `q${at}`, cluster: held.clusters[index]! }))
  }

  /** One answerer's scores: the noise of its questions and of their documents. */
  scores(random: RandomStream, mean: number): Float64Array {
    const effects = new Float64Array(this.documents.length)
    for (let at = 0; at < effects.length; at += 1) effects[at] = noise(random)
    const scores = new Float64Array(this.documents.length)
    const [common, own] = [Math.sqrt(this.share), Math.sqrt(1 - this.share)].map((part) => (part * SPREAD) / Math.SQRT2)
    for (let at = 0; at < scores.length; at += 1) {
      const names = this.documents[at]!
      let sum = 0
      for (const name of names) sum += effects[name]!
      scores[at] = mean + (common! * sum) / Math.sqrt(names.length) + own! * noise(random)
    }
    return scores
  }

  confirm(winner: Float64Array, standard: Float64Array, opening: number): Confirmation {
    const scores = { metric: 'world', questions: this.#asked, cutPerKept: this.#cutPerKept, range: [-2, 2] as const }
    const of = (values: Float64Array): number[] => this.#holdout.map((at) => values[at]!)
    return confirmWinner({ ...scores, winner: of(winner), standard: of(standard) }, opening).state
  }

  /** Tunes once: the best setting on development, and whether the holdout confirms it. `gain` is the true one of the first setting. */
  tuned(random: RandomStream, gain: number): { isClaimed: boolean; isTrue: boolean; trials: Float64Array[] } {
    const standard = this.scores(random, 0)
    const settings = Array.from({ length: SETTINGS }, (_, at) => this.scores(random, at === 0 ? gain : 0))
    const trials = settings.map((scores) => {
      const sums = new Float64Array(Math.max(...this.#place) + 1)
      this.development.forEach((at, index) => (sums[this.#place[index]!]! += scores[at]! - standard[at]!))
      return sums
    })
    const gains = trials.map((sums) => sums.reduce((sum, value) => sum + value, 0))
    const best = gains.indexOf(Math.max(...gains))
    const isClaimed = gains[best]! > 0 && this.confirm(settings[best]!, standard, 1) === 'confirmed'
    return { isClaimed, isTrue: best === 0, trials }
  }
}

/** Two questions on each document; and two documents per question, in chains that are cut. */
const pairs = (questions: number): number[][] => Array.from({ length: questions }, (_, at) => [at >> 1])
const chains = (questions: number): number[][] =>
  Array.from({ length: questions }, (_, at) => [at % 140, (at * 7 + 3) % 140])

const PAIRS = new World(pairs(300), 0.3)
const CHAINS = new World(chains(300), 0)
const CHAINS_WITH_EFFECTS = new World(chains(300), 0.3)
const RUNS = 400

describe('tuning 50 settings', () => {
  it.each([
    { name: '300 questions, two on each document, which cause 30 % of the variance', world: PAIRS },
    { name: '300 questions on two of 140 documents each, which cause 30 %', world: CHAINS_WITH_EFFECTS },
  ])('claims an improvement in at most 5 % of 400 simulations without any effect: $name', ({ world }) => {
    const random = seededRandom('no effect')
    let claimed = 0
    for (let run = 0; run < RUNS; run += 1) if (world.tuned(random, 0).isClaimed) claimed += 1
    expect(claimed / RUNS).toBeLessThanOrEqual(0.05)
  })

  it.each([
    { name: '300 questions, two on each document, which cause 30 % of the variance', world: PAIRS },
    { name: '300 questions on two of 140 documents each, which cause none', world: CHAINS },
  ])('finds the one setting that is better by .08 in at least 80 % of 400 simulations: $name', ({ world }) => {
    const random = seededRandom('one effect')
    let found = 0
    for (let run = 0; run < RUNS; run += 1) {
      const { isClaimed, isTrue } = world.tuned(random, 0.08)
      if (isClaimed && isTrue) found += 1
    }
    expect(found / RUNS).toBeGreaterThanOrEqual(0.8)
  })

  it('calls the best trial better on development far too often without the correction over all trials, and in about 5 % with it', () => {
    const random = seededRandom('development')
    const runs = 100
    const wrong = { alone: 0, corrected: 0 }
    for (let run = 0; run < runs; run += 1) {
      const { trials } = PAIRS.tuned(random, 0)
      if (Math.min(...correctedTrials(trials, String(run), 200)) <= 0.05) wrong.corrected += 1
      if (trials.some((sums) => correctedTrials([sums], String(run), 100)[0]! <= 0.05)) wrong.alone += 1
    }
    // 5 % and three standard errors of a share of 100.
    expect(wrong.corrected / runs).toBeLessThanOrEqual(0.115)
    expect(wrong.alone / runs).toBeGreaterThan(0.3)
  })

  it('decides falsely in at most 5 % of runs over five openings of the same holdout, and in more without the correction', () => {
    const random = seededRandom('openings')
    const wrong = { corrected: 0, alone: 0 }
    for (let run = 0; run < RUNS; run += 1) {
      const standard = PAIRS.scores(random, 0)
      const settings = [1, 2, 3, 4, 5].map((opening) => ({ opening, scores: PAIRS.scores(random, 0) }))
      const isDecided = (scores: Float64Array, opening: number): boolean =>
        PAIRS.confirm(scores, standard, opening) !== 'open'
      if (settings.some(({ scores, opening }) => isDecided(scores, opening))) wrong.corrected += 1
      if (settings.some(({ scores }) => isDecided(scores, 1))) wrong.alone += 1
    }
    expect(wrong.corrected / RUNS).toBeLessThanOrEqual(0.05)
    expect(wrong.alone / RUNS).toBeGreaterThan(0.09)
  })
})

describe('splitQuestions', () => {
  const QUESTIONS = 240
  const questions = chains(QUESTIONS).map((names, at) => ({ id: `q${at}`, documents: names.map(String) }))
  const { clusters } = clusterQuestions(questions)
  const QUESTION_LIST = questions.map(({ id }, at) => ({ id, cluster: clusters[at]! }))
  const SPLIT = splitQuestions(QUESTION_LIST, { seed: 'world', share: 0.5 })

  it('keeps clusters whole and holds out about the share that was asked for, in an order that the seed decides', () => {
    const sideOf = new Map([
      ...SPLIT.development.map((id) => [id, 'development'] as const),
      ...SPLIT.holdout.map((id) => [id, 'holdout'] as const),
    ])
    for (const members of Map.groupBy(QUESTION_LIST, ({ cluster }) => cluster).values())
      expect(new Set(members.map(({ id }) => sideOf.get(id))).size).toBe(1)
    expect(sideOf.size).toBe(QUESTIONS)
    expect(Math.abs(SPLIT.holdout.length - QUESTIONS / 2)).toBeLessThanOrEqual(24)
    expect(splitQuestions(QUESTION_LIST, { seed: 'world', share: 0.5 })).toEqual(SPLIT)
    expect(splitQuestions(QUESTION_LIST, { seed: 'other', share: 0.5 })).not.toEqual(SPLIT)
    const few = splitQuestions(QUESTION_LIST, { seed: 'world', share: 0.25 }).holdout.length
    expect(Math.abs(few - QUESTIONS / 4)).toBeLessThanOrEqual(24)
  })

  it('never changes a recorded side, and lets a new question follow the cluster that it belongs to', () => {
    const known = new Map([['q0', 'holdout'] as const])
    const questions = [
      { id: 'q0', cluster: 'a' },
      { id: 'new', cluster: 'a' },
      { id: 'other', cluster: 'b' },
    ]
    for (const seed of ['1', '2', '3'])
      expect(splitQuestions(questions, { seed, share: 0.5, known }).holdout).toEqual(
        expect.arrayContaining(['q0', 'new']),
      )
    const mixed = new Map([...known, ['new', 'development'] as const])
    const split = splitQuestions([...questions, { id: 'later', cluster: 'a' }], { seed: '1', share: 0.5, known: mixed })
    expect(split.holdout).toContain('q0')
    expect(split.development).toEqual(expect.arrayContaining(['new', 'later']))
  })
})

describe('confirmWinner', () => {
  const twenty = Array.from({ length: 20 }, (_, at) => ({ id: `q${at}`, cluster: `q${at}` }))
  const scores = (winner: number[], standard: number[]) => ({
    metric: 'facts_found',
    questions: twenty.slice(0, winner.length),
    cutPerKept: 0,
    winner,
    standard,
    range: [0, 1] as const,
  })
  const low = twenty.map((_, at) => 0.2 + 0.02 * (at % 5))
  const high = twenty.map((_, at) => 0.7 + 0.03 * (at % 4))

  it('confirms what is better, refutes what is worse, and leaves open what the questions do not show', () => {
    expect(confirmWinner(scores(high, low), 1)).toMatchObject({ state: 'confirmed', questions: 20, clusters: 20 })
    expect(confirmWinner(scores(low, high), 1)).toMatchObject({ state: 'worse' })
    expect(confirmWinner(scores(low, low.toReversed()), 1)).toMatchObject({ state: 'open' })
  })

  it('widens the interval with each opening, so that what the first opening would confirm the third need not', () => {
    const slight = twenty.map((_, at) => 0.24 + (at % 3 === 0 ? -0.04 : 0.08))
    const base = twenty.map((_, at) => 0.2 + 0.02 * (at % 5))
    const [first, third] = [1, 3].map((opening) => confirmWinner(scores(slight, base), opening))
    expect(first!.level).toBeCloseTo(0.96)
    expect(third!.level).toBeCloseTo(0.9984)
    expect(third!.high! - third!.low!).toBeGreaterThan(1.3 * (first!.high! - first!.low!))
    expect(first!.state).toBe('confirmed')
    expect(third!.state).toBe('open')
  })

  it('tests nothing on fewer than 8 groups of questions, and leaves out questions that one side has no score for', () => {
    expect(confirmWinner(scores(high.slice(0, 7), low.slice(0, 7)), 1)).toMatchObject({ state: 'too_few', p: null })
    expect(confirmWinner(scores([Number.NaN, ...high.slice(1)], low), 1)).toMatchObject({ questions: 19 })
  })
})
