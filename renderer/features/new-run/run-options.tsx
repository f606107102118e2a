import { Checkbox, NumberInput, TagsInput, TextInput } from '@mantine/core'
import { MAX_CONCURRENCY } from '../../../contract/manifests/evaluation.ts'
import { NEW_RUN_WORDS } from './new-run-words.ts'
import styles from './new-run.module.css'
import { type OptionsProps, wholeNumber } from './option-fields.tsx'
import { problemOf } from './use-plan.ts'

const WORDS = NEW_RUN_WORDS.launchOptions

/** Judges, limits, the name of the run, and what it replaces. */
export function RunOptions({ experiment, draft, problems, onChange }: OptionsProps) {
  const set = (part: Partial<OptionsProps['draft']>): void => onChange({ ...draft, ...part })
  const { judge_panel: panel } = experiment
  const setUp = panel.settings.models
  const { judges } = draft
  const unlessChosen = setUp.length > 0 ? WORDS.unlessChosen(setUp.join(', ')) : WORDS.noJudges
  return (
    <>
      <Checkbox
        size="sm"
        label={WORDS.blindedJudgePanel}
        description={panel.problem ?? WORDS.judgesAbout}
        checked={draft.judge}
        onChange={({ currentTarget: { checked } }) =>
          // A panel that nothing names would be wrong at once: the built-in judges are the first choice.
          set({
            judge: checked,
            ...(checked && judges.length === 0 && setUp.length === 0 ? { judges: panel.builtin } : {}),
          })
        }
      />
      <div className={styles.options}>
        <TagsInput
          label={WORDS.judges}
          description={draft.judge ? unlessChosen : WORDS.onlyWithPanel}
          disabled={!draft.judge}
          data={[...new Set([...panel.builtin, ...setUp])]}
          placeholder={draft.judges.length === 0 && setUp.length > 0 ? WORDS.asSetUp : ''}
          value={draft.judges}
          onChange={(next) => set({ judges: next })}
          error={problemOf(problems, 'judge')}
        />
        <TextInput
          label={WORDS.runName}
          description={WORDS.runNameAbout}
          placeholder={WORDS.fromTime}
          value={draft.runId}
          onChange={({ currentTarget: { value } }) => set({ runId: value })}
          error={problemOf(problems, 'run_id')}
        />
        <NumberInput
          label={WORDS.concurrency}
          description={WORDS.concurrencyAbout}
          min={1}
          max={MAX_CONCURRENCY}
          placeholder={String(experiment.run.concurrency)}
          value={draft.concurrency ?? ''}
          onChange={(value) => set({ concurrency: value === '' ? null : wholeNumber(value, 1) })}
          error={problemOf(problems, 'concurrency')}
        />
        <NumberInput
          label={WORDS.budget}
          description={WORDS.budgetAbout}
          min={0}
          placeholder={WORDS.noBudget}
          value={draft.budget ?? ''}
          onChange={(value) => set({ budget: typeof value === 'number' && value > 0 ? value : null })}
          error={problemOf(problems, 'budget')}
        />
      </div>
      <div className={styles.choices}>
        <Checkbox
          size="sm"
          label={WORDS.coldStart}
          description={WORDS.coldAbout}
          checked={draft.coldReset}
          onChange={({ currentTarget: { checked } }) => set({ coldReset: checked })}
        />
        <Checkbox
          size="sm"
          label={WORDS.publish}
          description={WORDS.publishAbout}
          checked={draft.publish}
          onChange={({ currentTarget: { checked } }) => set({ publish: checked })}
        />
      </div>
    </>
  )
}
