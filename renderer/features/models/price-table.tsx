import { Button, NumberInput, TextInput } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { PricesView } from '../../../contract/control/models.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { ErrorPanel, LoadingRows, Panel } from '../../components/states.tsx'
import { ScrollTable } from '../../components/scroll-table.tsx'
import { api } from '../../data/client.ts'
import styles from './models.module.css'
import { MODELS_WORDS } from './models-words.ts'
import { TableHead } from '../../components/table-head.tsx'

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
  const client = useQueryClient()
  const [currency, setCurrency] = useState(view.currency)
  const [draft, setDraft] = useState(() => draftOf(view))
  const save = useMutation(
    api.models.savePrices.mutationOptions({
      onSuccess: async (saved) => {
        client.setQueryData(api.models.prices.queryKey(), saved)
        notifyDone(WORDS.saved)
        await client.invalidateQueries({ queryKey: api.compare.result.key() })
      },
      onError: (error) => notifyFailure(WORDS.saving, error),
    }),
  )
  const models = Object.fromEntries(
    Object.entries(draft).flatMap(([model, { input, output }]) =>
      input === null ? [] : [[model, { input, output: output ?? 0 }] as const],
    ),
  )
  if (Object.keys(draft).length === 0) return <p className="dim">{WORDS.none}</p>
  return (
    <form
      className={styles.prices}
      aria-label={WORDS.title}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate({ version: 1, currency: currency.trim().toUpperCase(), models })
      }}
    >
      <p className="dim">{WORDS.about}</p>
      <div className={styles.fields}>
        <TextInput
          label={WORDS.currency}
          value={currency}
          maxLength={3}
          onChange={({ currentTarget: { value } }) => setCurrency(value)}
        />
      </div>
      <ScrollTable label={WORDS.title}>
        <TableHead columns={[WORDS.model, WORDS.input, WORDS.output]} />
        <tbody>
          {Object.entries(draft).map(([model, price]) => (
            <tr key={model}>
              <th scope="row">{model}</th>
              {(['input', 'output'] as const).map((side) => (
                <td key={side}>
                  <NumberInput
                    size="xs"
                    aria-label={side === 'input' ? WORDS.inputOf(model) : WORDS.outputOf(model)}
                    min={0}
                    hideControls
                    value={price[side] ?? ''}
                    onChange={(value) => setDraft({ ...draft, [model]: { ...price, [side]: amountOf(value) } })}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </ScrollTable>
      <div className={styles.actions}>
        <Button type="submit" loading={save.isPending}>
          {WORDS.save}
        </Button>
      </div>
    </form>
  )
}

/** Shows what paid models cost: those of the sets, and those that have a price. */
export function PriceTable() {
  const { data, isError, error, refetch } = useQuery(api.models.prices.queryOptions())
  return (
    <Panel title={WORDS.title}>
      {isError && <ErrorPanel error={error} what={WORDS.thePrices} retry={() => void refetch()} />}
      {data === undefined && !isError && <LoadingRows rows={3} />}
      {data !== undefined && <PriceForm key={data.paid.join()} view={data} />}
    </Panel>
  )
}
