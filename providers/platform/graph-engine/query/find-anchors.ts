import { highest } from '../graph/vector-table.ts'
import type { NamePlace } from './find-names.ts'
import type { QuestionView } from './question-view.ts'

/** An entity that the question starts from. `weight` 0 to 1: how sure it is that the question means it. */
export interface Anchor {
  entity: number
  weight: number
  /** True when the question names it; false when it is only near in meaning. */
  named: boolean
  /** Where the question names it. */
  place: NamePlace | null
}

const PART_OF_NAME = 0.6
const NEAR_IN_MEANING = 0.35

/** The entities that a question speaks of, surest first: whole names, parts of names, entities near the low keywords in meaning. */
export function findAnchors(question: QuestionView, limit: number): Anchor[] {
  const anchors = new Map<number, Anchor>()
  const add = (anchor: Anchor) => {
    const known = anchors.get(anchor.entity)
    const place = known?.place ?? anchor.place
    const named = anchor.named || known?.named === true
    anchors.set(anchor.entity, { ...anchor, weight: Math.max(anchor.weight, known?.weight ?? 0), named, place })
  }
  for (const { entities, share, place } of question.names.found) {
    const weight = (share === 1 ? 1 : PART_OF_NAME * share) / entities.length
    for (const entity of entities) add({ entity, weight, named: true, place })
  }
  const nearness = question.near.entities()
  for (const entity of highest(nearness, limit)) {
    add({ entity, weight: NEAR_IN_MEANING * nearness[entity]!, named: false, place: null })
  }
  return [...anchors.values()].sort((a, b) => b.weight - a.weight || a.entity - b.entity).slice(0, limit)
}
