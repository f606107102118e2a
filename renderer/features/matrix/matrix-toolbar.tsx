import { Button, Menu, Select, type SelectProps, Switch, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { MAX_HOPS } from '../../../contract/manifests/queries.ts'
import { CellMetricState, type IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunDatasetSummary } from '../../../contract/control/run-index/runs.ts'
import type { MatrixSearch, SortBy } from '../../app/search-params.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { metricName, plural } from '../../components/format.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { filtersOf } from './matrix-query.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import { NO_FILTERS } from './use-matrix-keys.ts'
import styles from './matrix.module.css'

interface MatrixToolbarProps {
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

/** A choice with its label beside it where there is room. In a narrow window only those that are `always` shown are, until the view is opened. */
function Choice({ width, always = false, ...props }: SelectProps & { width: number; always?: boolean }) {
  return (
    <Select
      size="xs"
      title={typeof props.label === 'string' ? props.label : ''}
      classNames={{ root: `${styles.field ?? ''} ${always ? '' : (styles.folded ?? '')}` }}
      style={{ maxWidth: width }}
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
      {...props}
    />
  )
}

/** Lets a person choose what is shown, in which order, and what is filtered out. */
export function MatrixToolbar(props: MatrixToolbarProps) {
  const { dataset, search, metric, baseline, aliases, set, textInput } = props
  const [isOpen, setOpen] = useState(false)
  const filters = Object.keys(filtersOf(search)).length
  const hidden = search.hidden?.length ?? 0
  const metrics = dataset.metrics.includes(metric) ? dataset.metrics : [metric, ...dataset.metrics]
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={WORDS.toolbar} data-open={isOpen}>
      <div className={styles.choices}>
        <Choice
          width={160}
          always
          label={WORDS.metric}
          title={metricOfId(metric).definition}
          data={metrics.map((value) => ({ value, label: metricName(value) }))}
          value={metric}
          onChange={(value) => value !== null && set({ metric: value as IndexMetric })}
        />
        <Choice
          width={180}
          label={WORDS.baseline}
          data={[
            { value: NOTHING, label: WORDS.noBaseline },
            ...aliases.map((alias) => ({ value: alias, label: alias })),
          ]}
          value={baseline ?? NOTHING}
          onChange={(value) => value !== null && set({ baseline: value })}
        />
        <Choice
          width={190}
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
          width={120}
          label={WORDS.show}
          disabled={baseline === null}
          data={[
            { value: 'values', label: WORDS.shown.values },
            { value: 'difference', label: WORDS.shown.difference },
          ]}
          value={search.show ?? 'values'}
          onChange={(value) => set({ show: value === 'difference' ? 'difference' : undefined })}
        />
        <Switch
          size="xs"
          label={WORDS.showAnswers}
          checked={search.answers === true}
          onChange={({ currentTarget: { checked } }) => set({ answers: checked ? true : undefined })}
        />
      </div>
      <div className={styles.choices}>
        <Button className={styles.unfold ?? ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {WORDS.view(filters)}
        </Button>
        <MatrixFilterFields {...{ search, aliases, set, textInput }} />
        {hidden > 0 && <Button onClick={() => set({ hidden: undefined })}>{WORDS.showHidden(hidden)}</Button>}
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
const HOPS = Array.from({ length: MAX_HOPS }, (_, at) => [at + 1, plural(at + 1, 'hop')] as const)
/** Least differences between the approaches on a question that can be filtered by. */
const SPREADS = [0.1, 0.25, 0.5, 0.75, 1]

interface FilterChipProps<Value extends string | number> {
  label: string
  options: readonly (readonly [value: Value, label: string])[]
  chosen: readonly Value[]
  onChange: (chosen: Value[]) => void
  /** One value takes the place of another. */
  isSingle?: boolean
}

/** A chip that names what it filters by and, while it does, the chosen values. It opens the list of values. */
function FilterChip<Value extends string | number>(props: FilterChipProps<Value>) {
  const { label, options, chosen, onChange, isSingle = false } = props
  const names = options.flatMap(([value, name]) => (chosen.includes(value) ? [name] : []))
  const flip = (value: Value): void => {
    const others = isSingle ? [] : chosen.filter((each) => each !== value)
    onChange(chosen.includes(value) ? others : [...others, value])
  }
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          size="xs"
          radius="xl"
          variant={names.length === 0 ? 'default' : 'light'}
          className={styles.folded ?? ''}
          rightSection={<span aria-hidden="true">▾</span>}
        >
          {names.length === 0 ? label : `${label}: ${names.join(', ')}`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={styles.values ?? ''}>
        {options.map(([value, name]) => (
          <Menu.CheckboxItem
            key={value}
            checked={chosen.includes(value)}
            closeMenuOnClick={isSingle}
            onChange={() => flip(value)}
          >
            {name}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

const STATES = CellMetricState.options.map(
  (value) => [value, `${STATE_SIGNS[value].sign} ${STATE_SIGNS[value].word}`.trim()] as const,
)
/** An empty list filters nothing, and stands in no address. */
const orNone = <Value,>(chosen: Value[]): Value[] | undefined => (chosen.length === 0 ? undefined : chosen)

/** Which questions are shown. */
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
      <FilterChip
        label={WORDS.state}
        options={STATES}
        chosen={search.states ?? []}
        onChange={(states) => set({ states: orNone(states) })}
      />
      <FilterChip
        label={WORDS.hops}
        options={HOPS}
        chosen={search.hops ?? []}
        onChange={(hops) => set({ hops: orNone(hops) })}
      />
      <FilterChip
        isSingle
        label={WORDS.winner}
        options={aliases.map((alias) => [alias, alias])}
        chosen={search.winner === undefined ? [] : [search.winner]}
        onChange={([winner]) => set({ winner })}
      />
      <FilterChip
        isSingle
        label={WORDS.disagreement}
        options={SPREADS.concat(
          search.spread === undefined || SPREADS.includes(search.spread) ? [] : [search.spread],
        ).map((value) => [value, `≥ ${value}`])}
        chosen={search.spread === undefined ? [] : [search.spread]}
        onChange={([spread]) => set({ spread })}
      />
      <TextInput
        ref={textInput}
        size="xs"
        className={`${styles.filter ?? ''} ${styles.folded ?? ''}`}
        aria-label={WORDS.words}
        placeholder={WORDS.anyWords}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          keepText(value)
        }}
      />
      {filters > 0 && <Button onClick={() => set(NO_FILTERS)}>{WORDS.clear(filters)}</Button>}
    </>
  )
}
