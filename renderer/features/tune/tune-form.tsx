import { Button, NumberInput, Select, Switch, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, skipToken, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { z } from 'zod'
import type { TuneInput } from '../../../contract/control/tuning.ts'
import { DEFAULT_CONTEXT_BUDGET } from '../../../contract/evidence/context-budget.ts'
import { SearchMethod, TunedMetric } from '../../../contract/evidence/tuning.ts'
import { Form } from '../../components/dialog-form.tsx'
import { formFields } from '../../components/form-fields.ts'
import { metricName } from '../../components/format.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { tunableFields, type TunableField } from './tune-fields.ts'
import styles from './tune.module.css'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

type Input = z.input<typeof TuneInput>

/** Holds the form; null where nothing is chosen. */
interface Draft {
  dataset_id: string | null
  alias: string | null
  ranges: Input['ranges']
  metric: TunedMetric | null
  context_budget: number | null
  search: SearchMethod
  trials: number | null
  answers: boolean
  confirm: boolean
}

const UNCHANGED = {
  ranges: [],
  metric: null,
  context_budget: null,
  search: 'grid',
  trials: 50,
  answers: false,
  confirm: true,
} satisfies Partial<Draft>

/** Null before dataset, approach and a parameter are chosen. */
const inputOf = ({ dataset_id, alias, context_budget: budget, trials, ...rest }: Draft): Input | null =>
  dataset_id === null || alias === null || rest.ranges.length === 0
    ? null
    : {
        ...rest,
        dataset_id,
        alias,
        trials: rest.search === 'grid' ? null : trials,
        ...(budget === null ? {} : { context_budget: budget }),
      }

const SETTLE_MS = 300

interface TuneFormProps {
  dataset: string | undefined
  alias: string | undefined
  onStarted: (name: string) => void
}

/** Asks what to tune, beside the plan: settings, questions, calls and cost before anything is called. */
export function TuneForm({ dataset, alias, onStarted }: TuneFormProps) {
  const { data } = useQuery(api.experiment.get.queryOptions())
  const [draft, setDraft] = useState<Draft>({ ...UNCHANGED, dataset_id: dataset ?? null, alias: alias ?? null })
  const datasets = data?.datasets.filter(({ with_gold, with_ground_truth }) => with_gold + with_ground_truth > 0) ?? []
  const view = data?.aliases.find((each) => each.alias === draft.alias)
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }))
  const field = formFields({ words: WORDS, draft, onChange: change })
  return (
    <div className={styles.layout}>
      <Form className={styles.form} label={WORDS.title} onSubmit={() => undefined}>
        <p>{WORDS.about}</p>
        <div className="fields">
          <Select
            {...field.choice('dataset_id')}
            placeholder={WORDS.choose}
            searchable
            data={datasets.map(({ id, label }) => ({ value: id, label }))}
          />
          <Select
            {...field.choice('alias')}
            placeholder={WORDS.choose}
            searchable
            data={data?.aliases.map((each) => each.alias) ?? []}
            onChange={(value) => value !== null && change({ alias: value, ranges: [] })}
          />
        </div>
        {view !== undefined && (
          <Ranges fields={tunableFields(view)} ranges={draft.ranges} onChange={(ranges) => change({ ranges })} />
        )}
        <div className="fields">
          <Select
            {...field.optional('metric')}
            placeholder={WORDS.standard}
            data={TunedMetric.options.map((value) => ({ value, label: metricName(value) }))}
          />
          <NumberInput
            {...field.number('context_budget')}
            placeholder={String(data?.run.context_budget ?? DEFAULT_CONTEXT_BUDGET)}
            min={1}
            allowDecimal={false}
          />
          <Select
            {...field.choice('search')}
            data={SearchMethod.options.map((value) => ({ value, label: WORDS.searches[value] }))}
          />
          {draft.search !== 'grid' && (
            <NumberInput {...field.number('trials')} min={1} max={1000} allowDecimal={false} />
          )}
        </div>
        <Switch {...field.check('answers')} />
        <Switch {...field.check('confirm')} />
      </Form>
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

/** Shows the plan, and the button that starts it. */
function Plan({ draft, onStarted }: { draft: Draft; onStarted: (name: string) => void }) {
  const [settled] = useDebouncedValue(draft, SETTLE_MS)
  const [input, asked] = [inputOf(draft), inputOf(settled)]
  const query = useQuery({
    ...api.tunings.plan.queryOptions({ input: asked ?? skipToken }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  const start = useMutation(
    api.tunings.start.mutationOptions({
      meta: { refreshes: [api.tunings.key()], failed: WORDS.starting },
      onSuccess: ({ name }) => onStarted(name),
    }),
  )
  const plan = input === null ? undefined : query.data
  const isSettled = settled === draft && !query.isPlaceholderData
  return (
    <section className="box stack" aria-label={WORDS.plan} aria-live="polite">
      <h2>{WORDS.plan}</h2>
      {input === null && <p className="dim">{WORDS.fill}</p>}
      {input !== null && query.isPending && <p className="dim">{WORDS.planning}</p>}
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
          onClick={() => input !== null && start.mutate(input)}
        >
          {plan?.ok === true && plan.is_started ? WORDS.goOn : WORDS.start}
        </Button>
      </div>
    </section>
  )
}
