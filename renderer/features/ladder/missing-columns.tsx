import { Button, Select } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ModelSetView } from '../../../contract/control/experiment.ts'
import type { MissingColumn } from '../../../contract/evidence/missing-column.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { allMissing, missingWords } from '../../../core/evidence/missing-columns.ts'
import { ConfirmDialog } from '../../components/confirm-dialog.tsx'
import { useSamples } from '../../components/run-marks.tsx'
import { api } from '../../data/client.ts'
import { JudgeRunDialog } from '../judges/dialogs.tsx'
import styles from './ladder.module.css'
import { LADDER_WORDS } from './ladder-words.ts'

const WORDS = LADDER_WORDS.missingColumns

const isBuiltIn = ({ roles: { evaluator } }: ModelSetView): boolean =>
  evaluator !== undefined && isRuleBased(evaluator.backend)

/** Returns true where scores are missing, which a button gives. */
export const canBeScored = (columns: readonly MissingColumn[] = []): boolean =>
  columns.some(({ kind }) => kind === 'metric')

interface MissingButtonsProps {
  run: string
  columns: readonly MissingColumn[]
  /** The page has no other button that comes first. */
  isPrimary: boolean
}

/** Gives a run what it lacks from its stored answers: scores of another evaluator, verdicts of other judges. */
export function MissingButtons({ run, columns, isPrimary }: MissingButtonsProps) {
  const judges = columns.filter(({ kind }) => kind === 'judge').map(({ name }) => name)
  return (
    <>
      {canBeScored(columns) && <RescoreButtons {...{ run, isPrimary }} />}
      {judges.length > 0 && <JudgeRunDialog run={run} dataset={null} missing={judges} />}
    </>
  )
}

/** Scores the stored answers of a run by the built-in evaluator, or by that of a chosen model set; the scores are a run of their own. */
function RescoreButtons({ run, isPrimary }: Pick<MissingButtonsProps, 'run' | 'isPrimary'>) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string | null>(null)
  const sets = useQuery(api.experiment.get.queryOptions()).data?.model_sets ?? []
  const rescore = useMutation(
    api.runs.rescore.mutationOptions({
      onSuccess: ({ run_id: started }) => {
        setOpen(false)
        void navigate({ to: '/runs/$run/progress', params: { run: started } })
      },
      meta: { failed: WORDS.scoring },
    }),
  )
  const graders = sets.filter(({ roles }) => roles['evaluator'] !== undefined)
  const builtIn = graders.find(isBuiltIn)
  const variant = isPrimary ? 'filled' : 'default'
  const set = chosen ?? builtIn?.name ?? null
  return (
    <span className={styles.repair}>
      {builtIn !== undefined && (
        <Button
          variant={variant}
          loading={rescore.isPending && !isOpen}
          onClick={() => rescore.mutate({ run_id: run, model_set: builtIn.name })}
        >
          {WORDS.useBuiltIn}
        </Button>
      )}
      <Button variant={builtIn === undefined ? variant : 'default'} onClick={() => setOpen(true)}>
        {WORDS.choose}
      </Button>
      <ConfirmDialog
        opened={isOpen}
        title={WORDS.question(run)}
        confirm={WORDS.confirm}
        keep={WORDS.keep}
        tone="plain"
        held={set === null}
        loading={rescore.isPending}
        onClose={() => setOpen(false)}
        onConfirm={() => rescore.mutate({ run_id: run, ...(set === null ? {} : { model_set: set }) })}
      >
        <p>{WORDS.about}</p>
        <Select
          label={WORDS.evaluator}
          data={graders.map(({ name, roles }) => ({
            value: name,
            label: WORDS.ofSet(name, roles['evaluator']!.model),
          }))}
          value={set}
          onChange={setChosen}
        />
      </ConfirmDialog>
    </span>
  )
}

/** The graded metrics and judges that a stored run lacks. A sample is not repaired. */
function useMissing(run: string) {
  const isSample = useSamples().has(run)
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const columns = allMissing(data?.verdicts.map(({ missing = [] }) => missing) ?? [])
  return { data, columns, isRepairable: !isSample && columns.length > 0 }
}

/** True where the note of a run has the button that comes first: it gives the run its missing scores. */
export function useCanBeScored(run: string): boolean {
  const { columns, isRepairable } = useMissing(run)
  return isRepairable && canBeScored(columns)
}

/** The graded metrics and judges that a stored run lacks, with what gives it scores; nothing where it has all. */
export function MissingNote({ run, isPrimary = true }: { run: string; isPrimary?: boolean }) {
  const { data, columns, isRepairable } = useMissing(run)
  if (columns.length === 0) return null
  const isPartlyFailed = data?.verdicts.some(({ kind }) => kind === 'partly_failed') === true
  return (
    <div className={`notice ${styles.done}`} role="note">
      <span className={styles.noteText}>
        <span aria-hidden="true">▲ </span>
        {WORDS.note(missingWords(columns), isPartlyFailed)}
      </span>
      {isRepairable && <MissingButtons {...{ run, columns, isPrimary }} />}
    </div>
  )
}
