import { Button, NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { PricesView } from '../../../contract/control/models.ts'
import { Form } from '../../components/dialog-form.tsx'
import { Loaded, Panel } from '../../components/states.tsx'
import { DataTable } from '../../components/tables.tsx'
import { api } from '../../data/client.ts'
import { MODELS_WORDS } from './models-words.ts'

const WORDS = MODELS_WORDS.prices

/** Prices as they are typed: an empty field is not a price. */
type Draft = Record<string, { input: number | null; output: number | null }>

const draftOf = ({ models, paid }: PricesView): Draft =>
  Object.fromEntries(
    [...new Set([...paid, ...Object.keys(models)])].map((model) => {
      const price = models[model]
      return [model, { input: price?.input ?? null, output: price?.output ?? null }]
    }),
  )

const amountOf = (value: string | number): number | null => (typeof value === 'number' ? value : null)

function PriceForm({ view }: { view: PricesView }) {
  const [currency, setCurrency] = useState(view.currency)
  const [draft, setDraft] = useState(() => draftOf(view))
  const save = useMutation(
    api.models.savePrices.mutationOptions({
      meta: {
        failed: WORDS.saving,
        done: WORDS.saved,
        returns: api.models.prices.queryKey(),
        refreshes: [api.compare.result.key()],
      },
    }),
  )
  const models = Object.fromEntries(
    Object.entries(draft).flatMap(([model, { input, output }]) =>
      input === null ? [] : [[model, { input, output: output ?? 0 }] as const],
    ),
  )
  const amount = (
    [model, price]: [string, Draft[string]],
    side: 'input' | 'output',
    nameOf: (model: string) => string,
  ) => (
    <NumberInput
      size="xs"
      aria-label={nameOf(model)}
      min={0}
      hideControls
      value={price[side] ?? ''}
      onChange={(value) => setDraft({ ...draft, [model]: { ...price, [side]: amountOf(value) } })}
    />
  )
  if (Object.keys(draft).length === 0) return <p className="dim">{WORDS.none}</p>
  return (
    <Form
      className="stack"
      label={WORDS.title}
      onSubmit={() => save.mutate({ version: 1, currency: currency.trim().toUpperCase(), models })}
    >
      <p className="dim">{WORDS.about}</p>
      <div className="fields">
        <TextInput
          label={WORDS.currency}
          value={currency}
          maxLength={3}
          onChange={({ currentTarget: { value } }) => setCurrency(value)}
        />
      </div>
      <DataTable
        stacks
        label={WORDS.title}
        rows={Object.entries(draft)}
        keyOf={([model]) => model}
        columns={[
          [WORDS.model, ([model]) => model],
          [WORDS.input, (row) => amount(row, 'input', WORDS.inputOf)],
          [WORDS.output, (row) => amount(row, 'output', WORDS.outputOf)],
        ]}
      />
      <div className="row">
        <Button variant="filled" type="submit" loading={save.isPending}>
          {WORDS.save}
        </Button>
      </div>
    </Form>
  )
}

/** Shows what paid models cost: those of the sets, and those that have a price. */
export function PriceTable() {
  const prices = useQuery(api.models.prices.queryOptions())
  return (
    <Panel title={WORDS.title}>
      <Loaded query={prices} what={WORDS.thePrices} rows={3}>
        {(view) => <PriceForm key={view.paid.join()} view={view} />}
      </Loaded>
    </Panel>
  )
}
