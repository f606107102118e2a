// One plain sentence per approach: what it does, and what an answer of it costs. What it costs is derived from its descriptor, as plans are.
import {
  approachDescriptor,
  KEYWORD_BASELINE,
  KEYWORD_BASELINE_WORK,
  type BaseApproach,
} from '../contract/approaches.ts'
import { listWords, plural } from '../contract/words.ts'

interface Described {
  alias: string
  base: BaseApproach
  parameters: Readonly<Record<string, unknown>>
}

/** `2 model calls, at ingestion several for the graph`; null where it is unknown. */
function costWords({ base, parameters }: Described): string | null {
  const { usualCalls, usesContextual, usesGraph } = approachDescriptor(base)
  if (usualCalls === null) return null
  const calls = Object.values(usualCalls?.(parameters) ?? { light_gen: 1 }).reduce((sum, each) => sum + each, 0)
  const ingestion = [
    ...(usesContextual === true ? ['1 for each chunk'] : []),
    ...(usesGraph === true ? ['several for the graph'] : []),
  ]
  const usually = usualCalls === undefined ? '' : 'usually '
  return `${usually}${plural(calls, 'model call')}${ingestion.length === 0 ? '' : `, at ingestion ${listWords(ingestion)}`}`
}

/** States what an approach does and costs; undefined for one that the program does not know, such as a person's own. */
export function approachAbout(approach: Described): string | undefined {
  const { about, work: own } = approachDescriptor(approach.base)
  if (about !== undefined) return about
  const work = approach.alias === KEYWORD_BASELINE ? KEYWORD_BASELINE_WORK : own
  const costs = costWords(approach)
  return work === undefined || costs === null ? undefined : `${work}; ${costs}`
}
