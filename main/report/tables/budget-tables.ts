import { reachedPoints } from '../../../core/evidence/budget-curve.ts'
import { BASELINE } from '../../../contract/approaches.ts'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import { PROTOCOL_PARTS, type ProtocolPart } from '../../../contract/evidence/protocol.ts'
import { capital, contextBudgetWords, countWords, curveWords, equalWords } from '../../../contract/words.ts'
import { likeAmounts } from '../aggregate/context-amounts.ts'
import { allTextOf } from '../verdict/all-text.ts'
import { approachCode, columnsFrom, md, mdTable } from '../markdown/markdown-text.ts'

/** Heading of the tokens that an answer was written from. */
export const HANDED_OVER = PROTOCOL_PARTS.context

/** Median tokens of an approach; a dash where its rows do not tell. */
export const handedOverWords = ({ context_tokens: tokens }: Pick<ApproachSummary, 'context_tokens'>): string =>
  tokens === null ? '–' : countWords(tokens.median)

export const hasAmounts = ({ approaches }: Pick<Aggregate, 'approaches'>): boolean =>
  approaches.some(({ context_tokens: tokens }) => tokens !== null)

/** Facts found by budget: the budgets that some approach reaches, and a row for each approach. */
export function budgetTable({ approaches }: Pick<Aggregate, 'approaches'>): {
  budgets: number[]
  rows: { approach: ApproachSummary; cells: string[] }[]
} {
  const lines = approaches.flatMap((approach) =>
    approach.budget_curve === null ? [] : [{ approach, points: approach.budget_curve }],
  )
  const { budgets, rows } = reachedPoints(lines)
  return {
    budgets,
    rows: rows.map(({ line: { approach }, points }) => ({
      approach,
      cells: points.map((point) => (point === null ? '–' : curveWords(point))),
    })),
  }
}

const CURVE_LEGEND =
  'Facts found in the first tokens of what an approach handed over, in its own order, its last passage cut; computed from the stored contexts without another call. In parentheses the share of the questions of which all facts are found. A dash: half of the answers had no more text.'

/** Returns what counted, where not every approach was counted by its platform's own report. */
function countedWords({ approaches }: Pick<Aggregate, 'approaches'>): string {
  const by = [...new Set(approaches.flatMap(({ context_tokens: tokens }) => tokens?.by ?? []))]
  return by.length === 0 ? '' : ` Tokens by: ${by.join('; ')}.`
}

/** Names the hybrids to run beside approaches that handed over another amount, but for those with more text than there is to find. */
function hybridNotes(aggregate: Aggregate): string[] {
  const missing = likeAmounts(aggregate).matched.filter(({ baseline }) => baseline === null)
  const all = allTextOf({ aggregate, standings: aggregate.approaches })
  const amounts = new Map(aggregate.approaches.map(({ model, context_tokens: tokens }) => [model, tokens?.median ?? 0]))
  const isBeyond = ({ model }: { model: string }): boolean => all !== null && amounts.get(model)! > all.tokens
  const beyond = missing.filter(isBeyond)
  const within = missing.filter((each) => !isBeyond(each))
  const names = (matched: typeof missing): string => matched.map(({ model }) => model).join(', ')
  const hybrids = [...new Set(within.map(({ named }) => named))].join(',')
  return [
    ...(within.length === 0
      ? []
      : [
          `${names(within)} handed over another amount than ${BASELINE}, so they do not compare with it. To run the hybrid with as much text beside them, add ${hybrids} to the --models of this run.`,
        ]),
    ...(beyond.length === 0
      ? []
      : [
          `${names(beyond)} handed over more than ${BASELINE}, so they do not compare with it. No hybrid can hand over as much: ${countWords(all!.tokens)} tokens are probably all the text there is.`,
        ]),
  ]
}

/** The budget of the run, and the lines that explain its table. */
export function budgetNotes(aggregate: Aggregate): string[] {
  const words = contextBudgetWords(aggregate.reproducibility?.runtime.context_budget ?? null)
  return [...hybridNotes(aggregate), `${capital(words)}.${countedWords(aggregate)}`, CURVE_LEGEND]
}

/** Markdown lines; empty where no row tells how much text was handed over. */
export function budgetLines(aggregate: Aggregate): string[] {
  if (!hasAmounts(aggregate)) return []
  const { budgets, rows } = budgetTable(aggregate)
  const head = ['approach', HANDED_OVER, ...budgets.map((budget) => `first ${countWords(budget)}`)]
  const table = rows.map(({ approach, cells }) => [approachCode(approach.model), handedOverWords(approach), ...cells])
  return [budgetNotes(aggregate).map(md).join(' '), '', ...mdTable(head, table, columnsFrom(1, head.length))]
}

/** Parts that no row recorded in results which do not state where a value is from. */
const NOT_RECORDED_BEFORE: ReadonlySet<ProtocolPart> = new Set(['reranker', 'answer_model', 'prompt'])

/** A part of the set-up with whether it was equal and what each approach had; approaches of one value are named together. */
export function protocolRows({
  protocol,
}: Pick<Aggregate, 'protocol'>): { part: string; equal: boolean | null; values: string }[] {
  return (protocol ?? []).map(({ part, equal, values }) => {
    const groups = Map.groupBy(values, ({ value, from }) => {
      if (value === null) return 'not recorded'
      const isConfigured = from === undefined ? NOT_RECORDED_BEFORE.has(part) : from === 'configuration'
      return isConfigured ? `${value}, as configured` : value
    })
    const listed = [...groups].map(([text, members]) => {
      return groups.size === 1 ? text : `${members.map(({ model }) => model).join(', ')}: ${text}`
    })
    return { part: PROTOCOL_PARTS[part], equal, values: listed.join('; ') }
  })
}

/** Markdown lines; empty for one approach and in files of before. */
export function protocolLines(aggregate: Aggregate): string[] {
  const rows = protocolRows(aggregate)
  if (rows.length === 0) return []
  const table = rows.map(({ part, equal, values }) => [
    part,
    equal === true ? equalWords(equal) : `**${equalWords(equal)}**`,
    md(values),
  ])
  return [
    'What was equal between the approaches, as the rows record it or, where they do not, as configured. What differs may explain a difference as well as the way of retrieving.',
    '',
    ...mdTable(['part', '', 'values'], table, new Set()),
  ]
}
