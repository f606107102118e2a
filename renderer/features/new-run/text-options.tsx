import { Checkbox, NumberInput, Select } from '@mantine/core'
import { DEFAULT_TRACE_LEVEL, TraceLevel } from '../../../contract/evidence/trace.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import type { OptionsProps } from './option-fields.tsx'
import { problemOf } from './use-plan.ts'

const WORDS = NEW_RUN_WORDS.launchOptions

/** How much text every approach hands over, and what is kept of its calls. */
export function TextOptions({ experiment, draft, problems, onChange }: OptionsProps) {
  const set = (part: Partial<OptionsProps['draft']>): void => onChange({ ...draft, ...part })
  return (
    <>
      <div className={styles.options}>
        <NumberInput
          label={WORDS.contextBudget}
          description={WORDS.contextBudgetAbout}
          min={1}
          step={500}
          placeholder={String(experiment.run.context_budget)}
          disabled={draft.contextBudget === 'none'}
          value={draft.contextBudget === 'none' ? '' : (draft.contextBudget ?? '')}
          onChange={(value) => set({ contextBudget: typeof value === 'number' ? value : null })}
          error={problemOf(problems, 'context_budget')}
        />
        <Select
          label={WORDS.trace}
          description={WORDS.traceAbout}
          placeholder={WORDS.traces[experiment.run.trace ?? DEFAULT_TRACE_LEVEL]}
          data={TraceLevel.options.map((value) => ({ value, label: WORDS.traces[value] }))}
          value={draft.trace}
          onChange={(trace) => set({ trace })}
          clearable
          error={problemOf(problems, 'trace')}
        />
      </div>
      <Checkbox
        size="sm"
        label={WORDS.asDeclared}
        description={WORDS.asDeclaredAbout}
        checked={draft.contextBudget === 'none'}
        onChange={({ currentTarget: { checked } }) => set({ contextBudget: checked ? 'none' : null })}
      />
    </>
  )
}
