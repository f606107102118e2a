import type { Aggregate } from '../../../contract/index.ts'
import type { Look } from '../../../charts/look.ts'
import { nameWords } from '../comparison-words.ts'
import { generationScatter, JUDGE_PARTS, judgeScatter, shareWords } from '../variance-access.ts'
import type { Markup } from './markup.ts'
import { aliasHead, dataTable, num } from './table.ts'

/** Tables of where scores and grades scatter; none for a run with one answer per question and fewer than two judges. */
export function varianceFigures(aggregate: Aggregate, looks: ReadonlyMap<string, Look>): Markup[] {
  const { label } = aggregate.dataset
  const metrics = generationScatter(aggregate)
  const judged = judgeScatter(aggregate)
  const tables: Markup[] = []
  if (metrics.length > 0)
    tables.push(
      dataTable(
        `${label}: share of the variance that lies between answers to one question`,
        [{ content: 'approach' }, ...metrics.map(({ name }) => ({ content: nameWords(name), numeric: true }))],
        aggregate.approaches.map(({ model }) => ({
          head: aliasHead(model, looks),
          cells: metrics.map(({ shares }) => num(shareWords(shares.get(model)))),
        })),
      ),
    )
  if (judged.length > 0)
    tables.push(
      dataTable(
        `${label}: shares of the variance of grades`,
        [{ content: 'approach' }, ...JUDGE_PARTS.map(([, content]) => ({ content, numeric: true }))],
        judged.map(({ model, components }) => ({
          head: aliasHead(model, looks),
          cells: JUDGE_PARTS.map(([part]) => num(shareWords(components[part]))),
        })),
      ),
    )
  return tables
}
