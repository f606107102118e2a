import { Button, MultiSelect, NumberInput, Select, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { type RefObject, useEffect, useState } from 'react'
import { CellMetricState } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { filtersOf } from './matrix-query.ts'
import { NO_FILTERS } from './use-matrix-keys.ts'
import styles from './matrix.module.css'

interface MatrixFilterFieldsProps {
  search: MatrixSearch
  aliases: string[]
  set: (part: Partial<MatrixSearch>) => void
  textInput: RefObject<HTMLInputElement | null>
}

const TYPING_MS = 200
const HOPS = [1, 2, 3, 4, 5].map((hops) => ({ value: String(hops), label: `${hops} ${hops === 1 ? 'hop' : 'hops'}` }))
const field = { size: 'xs', classNames: { root: styles.filter ?? '' } } as const
const menu = { comboboxProps: { width: 'max-content', position: 'bottom-start' } } as const

/** Which questions are shown. Each field says what it filters by, so that none needs a label beside it. */
export function MatrixFilterFields({ search, aliases, set, textInput }: MatrixFilterFieldsProps) {
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
        aria-label="State"
        placeholder={search.states === undefined ? 'any state' : ''}
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
        aria-label="Hops"
        placeholder={search.hops === undefined ? 'any hops' : ''}
        data={HOPS}
        value={(search.hops ?? []).map(String)}
        onChange={(hops) => set({ hops: hops.length === 0 ? undefined : hops.map(Number) })}
      />
      <Select
        {...field}
        {...menu}
        aria-label="Winner"
        placeholder="any winner"
        clearable
        data={aliases.map((alias) => ({ value: alias, label: `won by ${alias}` }))}
        value={search.winner ?? null}
        onChange={(winner) => set({ winner: winner ?? undefined })}
      />
      <NumberInput
        {...field}
        aria-label="Disagreement"
        placeholder="any disagreement"
        prefix="spread ≥ "
        min={0}
        max={1}
        step={0.1}
        value={search.spread ?? ''}
        onChange={(value) => set({ spread: typeof value === 'number' && value > 0 ? value : undefined })}
      />
      <TextInput
        ref={textInput}
        {...field}
        aria-label="Words"
        placeholder="words in question or answer"
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          keepText(value)
        }}
      />
      {filters > 0 && (
        <Button variant="default" onClick={() => set(NO_FILTERS)}>
          Clear {filters === 1 ? 'filter' : `${filters} filters`}
        </Button>
      )}
    </>
  )
}
