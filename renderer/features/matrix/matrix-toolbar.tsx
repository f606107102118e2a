import { Button, MultiSelect, NumberInput, Select, type SelectProps, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { CellMetricState, type IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunDatasetSummary, RunSummary } from '../../../contract/control/run-index/runs.ts'
import type { MatrixSearch, SortBy } from '../../app/search-params.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { metricName, plural } from '../../components/format.ts'
import { useSamples } from '../../components/sample-mark.tsx'
import { runChoices } from '../../components/sample-runs.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { ExportMenu } from './export-menu.tsx'
import { filtersOf } from './matrix-query.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import { NO_FILTERS } from './use-matrix-keys.ts'
import styles from './matrix.module.css'

interface MatrixToolbarProps {
  runIds: string[]
  summary: RunSummary
  dataset: RunDatasetSummary
  search: MatrixSearch
  metric: IndexMetric
  baseline: string | null
  aliases: string[]
  set: (part: Partial<MatrixSearch>) => void
  textInput: RefObject<HTMLInputElement | null>
}

const SORT_NAMES = (['position', 'hops', 'mean', 'spread'] satisfies SortBy[]).map((value) => ({
  value,
  label: WORDS.orders[value],
}))
const NOTHING = 'none'

/** A choice with its label beside it where there is room. */
function Choice({ width, ...props }: SelectProps & { width: number }) {
  return (
    <Select
      size="xs"
      allowDeselect={false}
      title={typeof props.label === 'string' ? props.label : ''}
      classNames={{ root: styles.field ?? '' }}
      style={{ maxWidth: width }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      {...props}
    />
  )
}

/** What is shown, in which order, and what is filtered out. */
export function MatrixToolbar(props: MatrixToolbarProps) {
  const { runIds, summary, dataset, search, metric, baseline, aliases, set, textInput } = props
  const samples = useSamples()
  const metrics = dataset.metrics.includes(metric) ? dataset.metrics : [metric, ...dataset.metrics]
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={WORDS.toolbar}>
      <div className={styles.choices}>
        <h1>{WORDS.page}</h1>
        <Choice
          width={220}
          label={WORDS.run}
          searchable
          data={runChoices(runIds.includes(summary.run_id) ? runIds : [summary.run_id, ...runIds], samples)}
          value={summary.run_id}
          onChange={(run) => run !== null && set({ run, cell: undefined, against: undefined })}
        />
        <Choice
          width={240}
          label={WORDS.dataset}
          data={summary.datasets.map(({ dataset_id: value, label }) => ({ value, label }))}
          value={dataset.dataset_id}
          onChange={(id) => id !== null && set({ dataset: id, cell: undefined, against: undefined })}
        />
        <Choice
          width={190}
          label={WORDS.metric}
          title={metricOfId(metric).definition}
          data={metrics.map((value) => ({ value, label: metricName(value) }))}
          value={metric}
          onChange={(value) => value !== null && set({ metric: value as IndexMetric })}
        />
        <Choice
          width={220}
          label={WORDS.baseline}
          data={[
            { value: NOTHING, label: WORDS.noBaseline },
            ...aliases.map((alias) => ({ value: alias, label: alias })),
          ]}
          value={baseline ?? NOTHING}
          onChange={(value) => value !== null && set({ baseline: value })}
        />
        <Choice
          width={180}
          label={WORDS.order}
          data={
            search.sort === 'value'
              ? [...SORT_NAMES, { value: 'value' as const, label: search.sortAlias ?? WORDS.orders.value }]
              : SORT_NAMES
          }
          value={search.sort ?? 'position'}
          onChange={(value) =>
            set({ sort: (value ?? undefined) as SortBy | undefined, descending: value === 'spread' ? true : undefined })
          }
        />
        <Choice
          width={170}
          label={WORDS.show}
          disabled={baseline === null}
          data={[
            { value: 'values', label: WORDS.shown.values },
            { value: 'difference', label: WORDS.shown.difference },
          ]}
          value={search.show ?? 'values'}
          onChange={(value) => set({ show: value === 'difference' ? 'difference' : undefined })}
        />
      </div>
      <div className={styles.choices}>
        <MatrixFilterFields {...{ search, aliases, set, textInput }} />
        <span className={styles.spacer} />
        <ExportMenu run={summary.run_id} dataset={dataset.dataset_id} />
      </div>
    </div>
  )
}

interface MatrixFilterFieldsProps {
  search: MatrixSearch
  aliases: string[]
  set: (part: Partial<MatrixSearch>) => void
  textInput: RefObject<HTMLInputElement | null>
}

const TYPING_MS = 200
const HOPS = [1, 2, 3, 4, 5].map((hops) => ({ value: String(hops), label: plural(hops, 'hop') }))
const field = { size: 'xs', classNames: { root: styles.filter ?? '' } } as const
const menu = { comboboxProps: { width: 'max-content', position: 'bottom-start' } } as const

/** Which questions are shown. Each field names what it filters by, so none has a label. */
function MatrixFilterFields({ search, aliases, set, textInput }: MatrixFilterFieldsProps) {
  const [text, setText] = useState(search.text ?? '')
  useEffect(() => setText(search.text ?? ''), [search.text])
  const keepText = useDebouncedCallback(
    (next: string) => set({ text: next.trim() === '' ? undefined : next }),
    TYPING_MS,
  )
  const filters = Object.keys(filtersOf(search)).length
  return (
    <>
      <MultiSelect
        {...field}
        {...menu}
        aria-label={WORDS.state}
        placeholder={search.states === undefined ? WORDS.anyState : ''}
        data={CellMetricState.options.map((value) => ({
          value,
          label: `${STATE_SIGNS[value].sign} ${STATE_SIGNS[value].word}`.trim(),
        }))}
        value={search.states ?? []}
        onChange={(states) => set({ states: states.length === 0 ? undefined : states })}
      />
      <MultiSelect
        {...field}
        {...menu}
        aria-label={WORDS.hops}
        placeholder={search.hops === undefined ? WORDS.anyHops : ''}
        data={HOPS}
        value={(search.hops ?? []).map(String)}
        onChange={(hops) => set({ hops: hops.length === 0 ? undefined : hops.map(Number) })}
      />
      <Select
        {...field}
        {...menu}
        aria-label={WORDS.winner}
        placeholder={WORDS.anyWinner}
        clearable
        data={aliases.map((alias) => ({ value: alias, label: WORDS.wonBy(alias) }))}
        value={search.winner ?? null}
        onChange={(winner) => set({ winner: winner ?? undefined })}
      />
      <NumberInput
        {...field}
        aria-label={WORDS.disagreement}
        placeholder={WORDS.anyDisagreement}
        prefix={WORDS.spread}
        min={0}
        max={1}
        step={0.1}
        value={search.spread ?? ''}
        onChange={(value) => set({ spread: typeof value === 'number' && value > 0 ? value : undefined })}
      />
      <TextInput
        ref={textInput}
        {...field}
        aria-label={WORDS.words}
        placeholder={WORDS.anyWords}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          keepText(value)
        }}
      />
      {filters > 0 && (
        <Button variant="default" onClick={() => set(NO_FILTERS)}>
          {WORDS.clear(filters)}
        </Button>
      )}
    </>
  )
}
