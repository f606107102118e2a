import { Button, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { TuneInput } from '../../../contract/control/tuning.ts'
import { DEFAULT_CONTEXT_BUDGET } from '../../../contract/evidence/context-budget.ts'
import { SearchMethod, TunedMetric } from '../../../contract/evidence/tuning.ts'
import { metricName } from '../../components/format.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { tunableFields, type TunableField } from './tune-fields.ts'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

type Draft = z.input<typeof TuneInput>

const SETTLE_MS = 300
const FIRST_TRIALS = 50

interface TuneFormProps {
  dataset: string | undefined
  alias: string | undefined
  onStarted: (name: string) => void
}

/** What is tuned, with the plan beside it: settings, questions, calls and cost before anything is called. */
export function TuneForm({ dataset, alias, onStarted }: TuneFormProps) {
  const { data } = useQuery(api.experiment.get.queryOptions())
  const [draft, setDraft] = useState<Draft>({ dataset_id: dataset ?? '', alias: alias ?? '', ranges: [] })
  const datasets = data?.datasets.filter(({ with_gold, with_ground_truth }) => with_gold + with_ground_truth > 0) ?? []
  const view = data?.aliases.find((each) => each.alias === draft.alias)
  const fields = view === undefined ? [] : tunableFields(view)
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }))
  return (
    <div className={styles.layout}>
      <form className={styles.form} aria-label={WORDS.title} onSubmit={(event) => event.preventDefault()}>
        <p>{WORDS.about}</p>
        <div className={styles.pair}>
          <Select
            label={WORDS.dataset}
            placeholder={WORDS.choose}
            searchable
            data={datasets.map(({ id, label }) => ({ value: id, label }))}
            value={draft.dataset_id === '' ? null : draft.dataset_id}
            onChange={(value) => change({ dataset_id: value ?? '' })}
          />
          <Select
            label={WORDS.approach}
            placeholder={WORDS.choose}
            searchable
            data={data?.aliases.map((each) => each.alias) ?? []}
            value={draft.alias === '' ? null : draft.alias}
            onChange={(value) => change({ alias: value ?? '', ranges: [] })}
          />
        </div>
        {view !== undefined && (
          <Ranges fields={fields} ranges={draft.ranges} onChange={(ranges) => change({ ranges })} />
        )}
        <div className={styles.pair}>
          <Select
            label={WORDS.metric}
            description={WORDS.metricAbout}
            placeholder={WORDS.standard}
            clearable
            data={TunedMetric.options.map((value) => ({ value, label: metricName(value) }))}
            value={draft.metric ?? null}
            onChange={(value) => change({ metric: value === null ? null : TunedMetric.parse(value) })}
          />
          <NumberInput
            label={WORDS.budget}
            description={WORDS.budgetAbout}
            placeholder={String(data?.run.context_budget ?? DEFAULT_CONTEXT_BUDGET)}
            min={1}
            allowDecimal={false}
            value={draft.context_budget ?? ''}
            onChange={(value) => change({ context_budget: typeof value === 'number' ? value : undefined })}
          />
          <Select
            label={WORDS.search}
            data={SearchMethod.options.map((value) => ({ value, label: WORDS.searches[value] }))}
            value={draft.search ?? 'grid'}
            onChange={(value) => {
              const search = SearchMethod.parse(value)
              change({ search, trials: search === 'grid' ? null : FIRST_TRIALS })
            }}
          />
          {draft.search !== undefined && draft.search !== 'grid' && (
            <NumberInput
              label={WORDS.trials}
              min={1}
              max={1000}
              allowDecimal={false}
              value={draft.trials ?? ''}
              onChange={(value) => change({ trials: typeof value === 'number' ? value : null })}
            />
          )}
        </div>
        <Switch
          label={WORDS.answers}
          description={WORDS.answersAbout}
          checked={draft.answers ?? false}
          onChange={({ currentTarget: { checked } }) => change({ answers: checked })}
        />
        <Switch
          label={WORDS.confirm}
          description={WORDS.confirmAbout}
          checked={draft.confirm ?? true}
          onChange={({ currentTarget: { checked } }) => change({ confirm: checked })}
        />
      </form>
      <Plan draft={draft} onStarted={onStarted} />
    </div>
  )
}

interface RangesProps {
  fields: readonly TunableField[]
  ranges: Draft['ranges']
  onChange: (ranges: Draft['ranges']) => void
}

function Ranges({ fields, ranges, onChange }: RangesProps) {
  const free = fields.filter(({ name }) => !ranges.some((range) => range.name === name))
  const labelOf = (name: string): string => fields.find((field) => field.name === name)?.label ?? name
  const put = (at: number, range: Draft['ranges'][number]): void =>
    onChange(ranges.map((before, place) => (place === at ? range : before)))
  return (
    <fieldset className={styles.part}>
      <legend>{WORDS.parameters}</legend>
      <p className="dim">{fields.length === 0 ? WORDS.nothing : WORDS.valuesAbout}</p>
      {ranges.map((range, at) => (
        <div key={range.name} className={styles.range}>
          <Select
            label={WORDS.parameter(at)}
            data={[range, ...free].map(({ name }) => ({ value: name, label: labelOf(name) }))}
            value={range.name}
            onChange={(name) => {
              const field = fields.find((each) => each.name === name)
              if (field !== undefined) put(at, { name: field.name, values: field.suggestion })
            }}
          />
          <TextInput
            label={WORDS.values(labelOf(range.name))}
            value={range.values}
            onChange={({ currentTarget: { value } }) => put(at, { ...range, values: value })}
          />
          <Button
            aria-label={WORDS.remove(labelOf(range.name))}
            onClick={() => onChange(ranges.filter((_, place) => place !== at))}
          >
            <span aria-hidden="true">×</span>
          </Button>
        </div>
      ))}
      {free[0] !== undefined && (
        <Button
          size="compact-sm"
          onClick={() => onChange([...ranges, { name: free[0]!.name, values: free[0]!.suggestion }])}
        >
          {WORDS.add}
        </Button>
      )}
    </fieldset>
  )
}

/** What the tuning would do, and the button that starts it. */
function Plan({ draft, onStarted }: { draft: Draft; onStarted: (name: string) => void }) {
  const [settled] = useDebouncedValue(draft, SETTLE_MS)
  const isFilled = ({ dataset_id, alias, ranges }: Draft): boolean =>
    dataset_id !== '' && alias !== '' && ranges.length > 0
  const query = useQuery({
    ...api.tunings.plan.queryOptions({ input: settled }),
    enabled: isFilled(settled),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const start = useMutation(
    api.tunings.start.mutationOptions({
      meta: { refreshes: [api.tunings.key()], failed: WORDS.starting },
      onSuccess: ({ name }) => onStarted(name),
    }),
  )
  const plan = isFilled(draft) ? query.data : undefined
  const isSettled = settled === draft && !query.isPlaceholderData
  return (
    <section className="box stack" aria-label={WORDS.plan} aria-live="polite">
      <h2>{WORDS.plan}</h2>
      {!isFilled(draft) && <p className="dim">{WORDS.fill}</p>}
      {isFilled(draft) && query.isPending && <p className="dim">{WORDS.planning}</p>}
      {query.error !== null && <ErrorPanel error={query.error} what={WORDS.plan} />}
      {plan?.ok === true && plan.lines.map((line) => <p key={line}>{line}.</p>)}
      {plan?.ok === false &&
        plan.problems.map(({ path, message }) => (
          <p key={`${path} ${message}`} role="alert">
            ▲ {path === '(root)' ? message : `${path}: ${message}`}
          </p>
        ))}
      <div>
        <Button
          variant="filled"
          disabled={plan?.ok !== true || !isSettled}
          loading={start.isPending}
          onClick={() => start.mutate(draft)}
        >
          {plan?.ok === true && plan.is_started ? WORDS.goOn : WORDS.start}
        </Button>
      </div>
    </section>
  )
}
