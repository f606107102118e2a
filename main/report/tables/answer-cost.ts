import type { BaseApproach } from '../../../contract/approaches.ts'
import type { AnswerCost } from '../../../contract/control/cells.ts'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import { costOf, type Cost, type Prices } from '../../../contract/manifests/prices.ts'
import { amountWords, costWords, plural } from '../../../contract/words.ts'
import type { FigureRow } from '../../evidence/rows/interned-rows.ts'
import { usageOfRow } from '../aggregate/usage-tally.ts'
import { STATE_SIGNS } from '../words.ts'

/** Describes what an approach cost in a run, at prices of today: the summary holds tokens, no money. */
interface ApproachCost {
  model: string
  base: BaseApproach
  /** Cells that answered. */
  answers: number
  cost: Cost
  /** Of grading the answers, which is the same work whatever the approach. */
  grading: Cost
}

const isPaid = ({ usage }: ApproachSummary): boolean =>
  usage !== undefined && [...usage.answers, ...usage.grading].some(({ cloud, model }) => cloud || model === null)

/** Costs of the approaches of a dataset; empty where no cell used a paid model. */
export function approachCosts({ approaches }: Pick<Aggregate, 'approaches'>, prices: Prices): ApproachCost[] {
  if (!approaches.some(isPaid)) return []
  return approaches.map(({ model, base_model: base, cells, usage }) => {
    const { answers = [], grading = [], unknown_cells: unknown = 0 } = usage ?? {}
    const cost = costOf(answers, prices)
    const silent = unknown === 0 ? [] : [`${plural(unknown, 'answer')} did not report their usage`]
    return {
      model,
      base,
      answers: cells.ok,
      cost: { ...cost, unknown: [...cost.unknown, ...silent] },
      grading: costOf(grading, prices),
    }
  })
}

/** Cost of the answer of a row and of grading it; unknown where the row does not record what its models used. */
export function answerCost(row: Pick<FigureRow, 'metrics'>, prices: Prices): AnswerCost {
  const { answer, grading } = usageOfRow(row)
  const cost = costOf(answer ?? [], prices)
  const silent = answer === null ? ['the answer does not report what it used'] : []
  return { answer: { ...cost, unknown: [...cost.unknown, ...silent] }, grading: costOf(grading, prices) }
}

/** A line per approach of each dataset, and why a cost is not known in full; nothing for runs without paid models. */
export function costLines(aggregates: readonly Aggregate[], prices: Prices): string[] {
  const costs = aggregates.map((aggregate) => ({ aggregate, costs: approachCosts(aggregate, prices) }))
  const reasons = new Set(
    costs.flatMap((each) => each.costs.flatMap(({ cost, grading }) => [...cost.unknown, ...grading.unknown])),
  )
  const lines = costs.flatMap(({ aggregate: { dataset }, costs: all }) =>
    all.map(({ model, answers, cost, grading }) => {
      const each =
        cost.unknown.length === 0 && answers > 0
          ? `, ${amountWords(cost.amount / answers, cost.currency)} an answer`
          : ''
      const graded = grading.amount === 0 && grading.unknown.length === 0 ? '' : ` · grading ${costWords(grading)}`
      return `  ${dataset.label} · ${model}: ${costWords(cost)}${each}${graded}`
    }),
  )
  if (lines.length === 0) return []
  return [
    'Cost at your prices, without ingestion',
    ...lines,
    ...[...reasons].map((reason) => `${STATE_SIGNS.not_evaluable} ${reason}`),
  ]
}
