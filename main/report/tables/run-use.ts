import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import { joinedUsage, type ModelUsage } from '../../../contract/evidence/model-usage.ts'
import { costOf, type Prices } from '../../../contract/manifests/prices.ts'
import { costWords, countWords, durationWords, USE_NOTE } from '../../../contract/words.ts'

/** One kind of work of a run. `models` is null where it is not known what they used, and so is `seconds`. */
export interface RunUse {
  /** `answers` and `grading` have the approach's name. */
  part: 'answers' | 'ingestion' | 'grading' | 'judging'
  model: string | null
  models: readonly ModelUsage[] | null
  /** Answers that do not record what they used: the sums are a lower bound then. */
  unknown: number
  seconds: number | null
}

/** Lists a run's use of models by part; empty where no model is named at all, as with rules. */
export function runUse(aggregate: Aggregate): RunUse[] {
  const { approaches, ingestion_use: ingestion, judging_use: judging, judge_panel: panel } = aggregate
  if (approaches.every(({ usage }) => usage === undefined) && ingestion === undefined && judging === undefined)
    return []
  const graded = approaches.filter(({ usage }) => (usage?.grading.length ?? 0) > 0)
  const isJudged = panel.status === 'ok' || panel.status === 'partial' || judging !== undefined
  const shared = { model: null, unknown: 0 }
  return [
    ...approaches.map(answersOf),
    { ...shared, part: 'ingestion', models: ingestion?.models ?? null, seconds: ingestion?.seconds ?? null },
    ...(graded.length === 0
      ? []
      : [
          {
            ...shared,
            part: 'grading' as const,
            models: joinedUsage(graded.flatMap(({ usage }) => usage!.grading)),
            seconds: null,
          },
        ]),
    ...(isJudged
      ? [{ ...shared, part: 'judging' as const, models: judging?.models ?? null, seconds: judging?.seconds ?? null }]
      : []),
  ]
}

function answersOf({
  model,
  cells,
  usage,
  operational: { latency_ms: latency, cloud_calls: cloud },
}: ApproachSummary): RunUse {
  // Without a named model, an answer that reports no paid call used rules alone.
  const isOfRules = cloud.n === cells.ok && cloud.mean === 0
  return {
    part: 'answers',
    model,
    models: usage?.answers ?? (isOfRules ? [] : null),
    unknown: usage?.unknown_cells ?? 0,
    seconds: latency.mean === null ? null : (latency.mean * latency.n) / 1000,
  }
}

/** Tokens that services read from their prompt caches, as far as they report any. */
export const cachedTokens = (models: readonly ModelUsage[]): number =>
  models.reduce((total, { cached_input_tokens: cached = 0 }) => total + cached, 0)

export const USE_TITLE = 'What this run used'

/** The same as a table of words; with prices, what it cost by them. */
export function runUseTable(aggregate: Aggregate, prices: Prices | null): { head: string[]; rows: string[][] } {
  const used = runUse(aggregate)
  const hasCached = used.some(({ models }) => cachedTokens(models ?? []) > 0)
  const heads = ['calls', 'tokens read', ...(hasCached ? ['of them from a cache'] : []), 'tokens written']
  const head = ['work', ...heads, ...(prices === null ? [] : ['cost']), 'time']
  const rows = used.map(({ part, model, models, unknown, seconds }) => {
    const all = models ?? []
    const sum = (of: (usage: ModelUsage) => number): number => all.reduce((total, usage) => total + of(usage), 0)
    const isLess = unknown > 0 || all.some(({ unreported }) => unreported > 0)
    const sign = `${isLess ? '≥ ' : ''}${all.some(({ estimated }) => estimated !== undefined) ? '≈ ' : ''}`
    const cached = cachedTokens(all)
    const tokens = (total: number): string => (isLess && total === 0 ? '–' : sign + countWords(total))
    const cost = prices === null ? null : costOf(all, prices)
    const why = unknown === 0 ? [] : ['answers do not report their use']
    return [
      model === null ? part : `${part} of ${model}`,
      ...(models === null
        ? heads.map(() => '–')
        : [
            (isLess ? '≥ ' : '') + countWords(sum(({ calls }) => calls)),
            tokens(sum(({ input_tokens: read }) => read)),
            ...(hasCached ? [cached === 0 ? '–' : (isLess ? '≥ ' : '') + countWords(cached)] : []),
            tokens(sum(({ output_tokens: written }) => written)),
          ]),
      ...(cost === null
        ? []
        : [models === null ? 'unknown' : costWords({ ...cost, unknown: [...cost.unknown, ...why] })]),
      seconds === null ? '–' : durationWords(seconds * 1000),
    ]
  })
  return { head, rows }
}

/** The table as lines of a terminal, one table for each dataset. */
export function runUseLines(aggregates: readonly Aggregate[], prices: Prices): string[] {
  const lines = aggregates.flatMap((aggregate) => {
    const { head, rows } = runUseTable(aggregate, prices)
    if (rows.length === 0) return []
    const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]!.length)))
    const line = (row: string[]): string =>
      `  ${row.map((text, at) => (at === 0 ? text.padEnd(widths[at]!) : text.padStart(widths[at]!))).join('  ')}`
    return [`${USE_TITLE} · ${aggregate.dataset.label}`, line(head), ...rows.map(line)]
  })
  return lines.length === 0 ? [] : [...lines, USE_NOTE]
}
