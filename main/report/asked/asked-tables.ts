import { approachLabel } from '../../../contract/approaches.ts'
import { ASKED_FIGURES } from '../../../contract/asked-figures.ts'
import { intervalWords, plural } from '../../../contract/words.ts'
import { intervalFields, type LongRow } from '../csv/long-row.ts'
import type { AskedValue } from './asked-figures.ts'

const write = (value: number): string => value.toFixed(2)

/** The figures as text of a terminal: a part for each dataset and figure, a line for each approach or pair; nothing for none. */
export function askedText(values: readonly AskedValue[]): string {
  const parts = Map.groupBy(values, ({ datasetId, runId, figure }) => `${runId}, ${datasetId}: ${labelOf(figure)}`)
  return [...parts]
    .map(([title, own]) => {
      const names = own.map(({ model, against }) =>
        against === null ? approachLabel(model) : `${approachLabel(model)} and ${approachLabel(against)}`,
      )
      const width = Math.max(...names.map(({ length }) => length))
      const lines = own.map(({ estimate: { value, interval, n } }, at) =>
        [
          `  ${names[at]!.padEnd(width)}`,
          value === null ? '–' : write(value),
          ...(interval === null ? [] : [intervalWords(interval, write)]),
          `on ${plural(n, 'question')}`,
        ].join('  '),
      )
      return `\n${[title, ...lines].join('\n')}\n`
    })
    .join('')
}

const labelOf = (figure: AskedValue['figure']): string => ASKED_FIGURES.find(({ id }) => id === figure)!.label

/** The figures in the long form of CSV files; that of a pair is in `mean`, beside `against`. */
export const askedRows = (values: readonly AskedValue[]): LongRow[] =>
  values.map(({ figure, datasetId, runId, model, against, estimate }) => ({
    dataset_id: datasetId,
    run_id: runId,
    model,
    metric_class: 'retrieval',
    metric: figure,
    mean: estimate.value,
    n: estimate.n,
    against,
    ...intervalFields(estimate),
  }))
