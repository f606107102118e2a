import type { ClassifyTask, Route, RouteChoice } from '../../prompts/classify-task.ts'
import { questionShape } from './question-shape.ts'
import type { QuestionShape } from './question-shape.ts'

/** Describes what a route is good at, read from the words of its name and description. */
type Strength = 'keyword' | 'meaning' | 'context' | 'relations' | 'steps'

const CUES: Readonly<Record<Strength, RegExp>> = {
  keyword: /keyword|exact|code|identifier|part number|hybrid|lexical|bm25|term/gi,
  meaning: /vector|dense|semantic|meaning|paraphras|vanilla|simple|single|direct|one (?:passage|fact|document)/gi,
  context: /context|pronoun|blurb|situat|ambigu/gi,
  relations: /graph|relation|entit(?:y|ies)|connect|link|multi-?hop|hops/gi,
  steps: /agent|steps?\b|tools?\b|plan|several (?:searches|facts|documents)|compar|iterat|decompos/gi,
}

/** Returns how much a question wants each strength, 0 to 1. */
function wants(shape: QuestionShape): Readonly<Record<Strength, number>> {
  const { hops, codes, names, relational, comparative, contextual } = shape
  if (comparative) return { keyword: 0.1, meaning: 0.1, context: 0.1, relations: 0.1, steps: 1 }
  if (contextual) return { keyword: 0.2, meaning: 0.2, context: 1, relations: 0.2, steps: 0.1 }
  // The relation of two named things is a question for their relations, although each is named.
  const isLink = relational && names > 1
  const isLookup = hops === 1 && !isLink
  return {
    // A name is a rare term: its letters find its passage better than its meaning does.
    keyword: codes.length > 0 ? (isLookup ? 1 : 0.7) : isLookup && names > 0 ? 0.6 : 0.1,
    meaning: isLookup ? (codes.length > 0 ? 0.1 : names > 0 ? 0.4 : 0.8) : 0.1,
    context: isLookup && names > 0 ? 0.3 : 0.1,
    // From a name over one thing in between, a graph answers at once; further away, each search needs what the last one found.
    relations: Math.min(1, (hops === 2 || isLink ? 0.8 : hops > 2 ? 0.4 : 0) + (relational ? 0.3 : 0)),
    steps: hops > 2 ? 1 : hops === 2 ? (names === 0 ? 0.8 : 0.4) : 0,
  }
}

const REASON: Readonly<Record<Strength, string>> = {
  keyword: 'the question names a code that must be found letter by letter',
  meaning: 'one fact is asked for, in words of its own',
  context: 'the question speaks of something that only the text around it names',
  relations: 'facts must be joined through the things that relate them',
  steps: 'several things must be found, one after the other or to be compared',
}

/** A route's strengths: its name counts more than its description, and a route that offers less is the clearer choice. */
function strengthsOf(route: Route): Map<Strength, number> {
  const found = new Map<Strength, number>()
  for (const [strength, cue] of Object.entries(CUES) as [Strength, RegExp][]) {
    const hits = 2 * (route.name.match(cue) ?? []).length + (route.description.match(cue) ?? []).length
    if (hits > 0) found.set(strength, hits)
  }
  const all = [...found.values()].reduce((sum, hits) => sum + hits, 0)
  return new Map([...found].map(([strength, hits]) => [strength, hits / all]))
}

/**
 * Chooses the route whose described strengths fit the question's shape best; the first one on a tie or when no
 * description gives any. Null without routes.
 */
export function chooseRoute(task: ClassifyTask): RouteChoice | null {
  const wanted = wants(questionShape(task.question))
  let best: { route: Route; score: number; strength: Strength | null } | null = null
  for (const route of task.routes) {
    const shares = [...strengthsOf(route)].map(([strength, share]) => ({ strength, score: share * wanted[strength] }))
    const score = shares.reduce((sum, share) => sum + share.score, 0)
    const strength = shares.toSorted((a, b) => b.score - a.score)[0]?.strength ?? null
    if (best === null || score > best.score + 1e-9) best = { route, score, strength }
  }
  if (best === null) return null
  const reason = best.strength === null ? 'no route describes what it is good at' : REASON[best.strength]
  return { route: best.route.name, reason }
}
