import type { SearchMethod, SettingValues } from '../../../contract/evidence/tuning.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { fillBits, scaledBits, streamState } from '../../statistics/random.ts'
import { shuffled } from '../../statistics/tuning/split-questions.ts'
import type { Dimension } from './search-space.ts'

/** Names the way to draw settings instead of all of a grid. */
const trialsField = (): string => remedyFor({ panel: 'Settings to try', commandLine: '--trials' })
const drawRandom = (): string => remedyFor({ panel: 'draw some at random', commandLine: '--search random --trials 50' })

const MOST_SETTINGS = 1000
/** Draws for each setting that is looked for, before the space counts as exhausted. */
const DRAWS_PER_SETTING = 50

interface Choice {
  search: SearchMethod
  /** Settings besides the alias as it is; null for all of a grid. */
  trials: number | null
  seed: string
  /** Why a setting cannot be tried; null where it can. */
  problemOf: (setting: SettingValues) => string | null
}

/**
 * The settings of a tuning, the alias as it is first. grid: every combination. random, and halving over ranges: drawn by the seed, each once. Combinations that the approach cannot
 * have are left out. Throws `InputError` where there is nothing to compare or too much.
 */
export function chooseSettings(
  dimensions: readonly Dimension[],
  { search, trials, seed, problemOf }: Choice,
): SettingValues[] {
  const standard = Object.fromEntries(dimensions.map((each) => [each.name, each.standard]))
  const isOpen = dimensions.find(({ between }) => between !== null)
  if (search === 'grid' && isOpen !== undefined)
    throw new InputError([
      `${isOpen.name}: a grid needs a step, such as ${isOpen.between!.join(':')}:${isOpen.isWhole ? 1 : 0.1}; or ${drawRandom()}`,
    ])
  const isDrawn = search !== 'grid' && (trials !== null || isOpen !== undefined)
  if (search === 'grid' && trials !== null)
    throw new InputError([`${trialsField()}: a grid tries every combination: leave it out, or ${drawRandom()}`])
  if (isDrawn && trials === null)
    throw new InputError([`${trialsField()}: name how many settings are drawn from ${isOpen!.name}`])
  const problems = new Set<string>()
  const seen = new Set([canonicalJson(standard)])
  const chosen: SettingValues[] = []
  const add = (setting: SettingValues): void => {
    const key = canonicalJson(setting)
    if (seen.has(key)) return
    seen.add(key)
    const problem = problemOf(setting)
    if (problem === null) chosen.push(setting)
    else problems.add(problem)
  }
  if (isDrawn) draw(dimensions, trials!, seed, add, chosen)
  else for (const setting of combinations(dimensions)) add(setting)
  if (chosen.length === 0)
    throw new InputError(['nothing to tune: no setting differs from the alias as it is', ...problems])
  return [standard, ...chosen]
}

function combinations(dimensions: readonly Dimension[]): SettingValues[] {
  const count = dimensions.reduce((product, { values }) => product * values.length, 1)
  if (count > MOST_SETTINGS)
    throw new InputError([
      `${count} combinations, at most ${MOST_SETTINGS} are tried: name fewer values, or ${drawRandom()}`,
    ])
  return dimensions.reduce<SettingValues[]>(
    (settings, { name, values }) =>
      settings.flatMap((setting) => values.map((value) => ({ ...setting, [name]: value }))),
    [{}],
  )
}

function draw(
  dimensions: readonly Dimension[],
  trials: number,
  seed: string,
  add: (setting: SettingValues) => void,
  chosen: readonly SettingValues[],
): void {
  const state = streamState(`${seed}/settings`)
  const bits = new Uint32Array(dimensions.length)
  for (let drawn = 0; drawn < trials * DRAWS_PER_SETTING && chosen.length < trials; drawn += 1) {
    fillBits(state, bits)
    add(Object.fromEntries(dimensions.map((dimension, at) => [dimension.name, drawnValue(dimension, bits[at]!)])))
  }
}

function drawnValue({ values, between, isWhole }: Dimension, bits: number): SettingValues[string] {
  if (between === null) return values[scaledBits(bits, values.length)]!
  const [low, high] = between
  return isWhole ? low + scaledBits(bits, high - low + 1) : Number((low + (bits / 2 ** 32) * (high - low)).toFixed(3))
}

/** Settings that go on to the next round, as a share: one of three (Jamieson and Talwalkar 2016, AISTATS, successive halving). */
const KEPT = 3
/** A first round of fewer questions would choose by chance. */
const LEAST_QUESTIONS = 16

/**
 * The questions of each round. All at once, or for halving three times as many in each further round, so that every round costs about the same. Whole clusters come one after the
 * other, in an order that the seed names.
 */
export function roundsOf(
  questions: readonly { id: string; cluster: string }[],
  { search, seed, settings }: { search: SearchMethod; seed: string; settings: number },
): string[][] {
  const groups = shuffled([...Map.groupBy(questions, ({ cluster }) => cluster).values()], `${seed}/rounds`)
  const ids = groups.flatMap((group) => group.map(({ id }) => id))
  if (search !== 'halving') return [ids]
  let rounds = 1
  while (KEPT ** rounds < settings && ids.length / KEPT ** rounds >= LEAST_QUESTIONS) rounds += 1
  const ends = Array.from({ length: rounds }, (_, round) => Math.ceil(ids.length / KEPT ** (rounds - 1 - round)))
  return ends.map((end, round) => ids.slice(ends[round - 1] ?? 0, end))
}

/** Settings that go on, the best first kept: a third of them, and the alias as it is (setting 0). `means` is by setting. */
export function survivors(settings: readonly number[], means: ReadonlyMap<number, number>): number[] {
  const others = settings.filter((setting) => setting !== 0)
  const kept = others
    .toSorted((one, other) => (means.get(other) ?? -Infinity) - (means.get(one) ?? -Infinity) || one - other)
    .slice(0, Math.max(1, Math.ceil(others.length / KEPT)))
  return [0, ...kept.toSorted((one, other) => one - other)]
}

/** Most trials of a plan: each setting in each round that it can reach. */
export function trialsIn(rounds: number, settings: number): number {
  let left = Array.from({ length: settings }, (_, at) => at)
  let sum = 0
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) left = survivors(left, new Map())
    sum += left.length
  }
  return sum
}
