import { matchStrength } from '../matching/terms.ts'
import type { Line, Spoken } from './lines.ts'
import { sameName } from './names.ts'
import { termsFrom } from './question-view.ts'
import type { PlacedTerm, QuestionName, QuestionView } from './question-view.ts'

/** A name that leads on from a sentence, and the terms that no sentence up to it meets. */
export interface Bridge {
  name: string
  key: readonly string[]
  unmet: readonly PlacedTerm[]
}

/** Sentences that hang together by the names they share, from a name of the question towards what it asks for. */
export interface Walk {
  lines: readonly Line[]
  /** One after each sentence; there may be none after the last. */
  bridges: readonly Bridge[]
  /** Share of the question's words that the sentences cover in order, 0 to 1. */
  told: number
  score: number
}

interface Step extends Walk {
  terms: readonly PlacedTerm[]
  start: QuestionName | null
  visited: readonly (readonly string[])[]
  /** Best share of the first 0, 1, 2 … terms that is covered so far. */
  prefix: readonly number[]
  strengths: readonly number[]
  /** States how much of the chain rests on guesses about what its sentences speak of. */
  doubt: number
}

const LONGEST = 4
const BEAM = 64
const WEIGHT = { length: 0.06, doubt: 0.15, far: 0.06, piece: 0.08 } as const
/** Sets what a match in the title or the sentence before counts. */
const NEAR = 0.5
/** A term that is met less than this is still looked for. */
const MET = 0.35
/** Sets what a further sentence must add to the share that is covered. */
const LEAST_GAIN = 0.03
const LEAST_SURE = 0.3
/** From here on two names are one and the same. */
const SAME = 0.55
/** Only names that a sentence surely speaks of lead on. */
const LEADS_ON = 0.8
/** Characters from a name to the words that were met, beyond which it makes no difference. */
const FAR_CHARS = 160

/**
 * The chains of sentences that cover most of the question, best first, by a beam search. The words nearest to the name that a chain
 * starts at must be covered by its first sentences, further ones by later ones, never the other way round.
 */
export function findWalks(view: QuestionView, lines: readonly Line[]): Walk[] {
  const starts = view.names.filter(({ key }) => lines.some((line) => surety(line, key) > 0))
  let walks = (starts.length > 0 ? starts : [null]).map((start) => firstStep(view, start))
  const known = knownOf()
  const found: Step[] = []
  for (let length = 1; length <= LONGEST && walks.length > 0; length += 1) {
    const longer = walks.flatMap((walk) => lines.flatMap((line) => extend(known, walk, line)))
    found.push(...longer)
    walks = longer
      .filter(({ lines: chain, bridges }) => bridges.length === chain.length)
      .toSorted((a, b) => b.score - a.score)
      .slice(0, BEAM)
  }
  return found.toSorted((a, b) => b.score - a.score)
}

function firstStep(view: QuestionView, start: QuestionName | null): Step {
  const terms = termsFrom(view, start)
  const none = terms.map(() => 0)
  const empty = { lines: [], bridges: [], visited: [], told: 0, score: 0, doubt: 0 }
  return { ...empty, start, terms, prefix: [0, ...none], strengths: none }
}

/** Returns how surely a line speaks of a name; 0 when it hardly does. */
function surety(line: Line, key: readonly string[]): number {
  const best = Math.max(0, ...line.spoken.map((spoken) => spoken.sure * sameName(spoken.key, key)))
  return best < LEAST_SURE ? 0 : best
}

/** Describes what every walk asks about a line again, computed once. */
interface Known {
  /** Returns how well a line meets each term. */
  strengths: (terms: readonly PlacedTerm[], line: Line) => readonly number[]
  surety: (key: readonly string[], line: Line) => number
}

function knownOf(): Known {
  return {
    strengths: once((terms, line) => terms.map((term) => strengthIn(term, line))),
    surety: once((key, line) => surety(line, key)),
  }
}

/** A function that keeps its values by the identity of its two arguments. */
function once<One extends object, Other extends object, Value>(
  compute: (one: One, other: Other) => Value,
): (one: One, other: Other) => Value {
  const values = new WeakMap<One, Map<Other, Value>>()
  return (one, other) => {
    const own = values.get(one) ?? new Map<Other, Value>()
    values.set(one, own)
    const value = own.get(other) ?? compute(one, other)
    own.set(other, value)
    return value
  }
}

/** A walk with one more line: once as its end, and once for each name that leads on from there. */
function extend(known: Known, walk: Step, line: Line): Step[] {
  if (walk.lines.includes(line)) return []
  const key = walk.lines.length === 0 ? (walk.start?.key ?? null) : walk.bridges.at(-1)!.key
  const sure = key === null ? 1 : known.surety(key, line)
  if (sure === 0) return []
  const own = known.strengths(walk.terms, line)
  const prefix = coverMore(walk, own)
  const told = prefix.at(-1)!
  if (walk.lines.length > 0 && told - walk.told < LEAST_GAIN) return []
  const strengths = own.map((strength, at) => Math.max(strength, walk.strengths[at]!))
  const doubt = walk.doubt + (1 - sure)
  const score = told - WEIGHT.length * walk.lines.length - WEIGHT.doubt * doubt - (line.whole ? 0 : WEIGHT.piece)
  const visited = key === null ? walk.visited : [...walk.visited, key]
  const end: Step = { ...walk, lines: [...walk.lines, line], visited, prefix, told, strengths, doubt, score }
  const unmet = walk.terms.filter((_, at) => strengths[at]! < MET)
  const onwards = line.spoken
    .filter((spoken) => spoken.sure >= LEADS_ON && !visited.some((each) => sameName(each, spoken.key) > SAME))
    .map((spoken): Step => ({
      ...end,
      bridges: [...walk.bridges, { name: spoken.name, key: spoken.key, unmet }],
      score: score - WEIGHT.far * distance(spoken, line, walk.terms),
    }))
  return [end, ...onwards]
}

function strengthIn(term: PlacedTerm, line: Line): number {
  const own = matchStrength(term, line.own)
  return own >= NEAR ? own : Math.max(own, NEAR * matchStrength(term, line.near))
}

/** Each further term is covered by the new line, or by those before it where nothing after that term is. */
function coverMore(walk: Step, strengths: readonly number[]): number[] {
  const all = walk.terms.reduce((sum, { weight }) => sum + weight, 0)
  const prefix = [0]
  walk.terms.forEach(({ weight }, at) => {
    const worth = all === 0 ? 0 : (weight * strengths[at]!) / all
    prefix.push(Math.max(prefix[at]! + worth, walk.prefix[at + 1]!))
  })
  return prefix
}

/** Returns how far a name is from the words of the question in its sentence, 0 to 1. */
function distance({ at }: Spoken, line: Line, terms: readonly PlacedTerm[]): number {
  if (at === null) return 0.5
  const text = line.text.toLowerCase()
  const places = terms.map(({ norm }) => text.indexOf(norm.slice(0, 5))).filter((place) => place !== -1)
  return places.length === 0 ? 1 : Math.min(1, Math.min(...places.map((place) => Math.abs(place - at))) / FAR_CHARS)
}
