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

/** Gives a run what it lacks from its stored answers: scores of another evaluator, verdicts of other judges. */
export function MissingButtons({ run, columns }: { run: string; columns: readonly MissingColumn[] }) {
  const judges = columns.filter(({ kind }) => kind === 'judge').map(({ name }) => name)
  return (
    <>
      {columns.some(({ kind }) => kind === 'metric') && <RescoreButtons run={run} />}
      {judges.length > 0 && <JudgeRunDialog run={run} dataset={null} missing={judges} />}
    </>
  )
}

/** Scores the stored answers of a run by the built-in evaluator, or by that of a chosen model set; the scores are a run of their own. */
function RescoreButtons({ run }: { run: string }) {
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
  const set = chosen ?? builtIn?.name ?? null
  return (
    <span className={styles.repair}>
      {builtIn !== undefined && (
        <Button
          variant="filled"
          loading={rescore.isPending && !isOpen}
          onClick={() => rescore.mutate({ run_id: run, model_set: builtIn.name })}
        >
          {WORDS.useBuiltIn}
        </Button>
      )}
      <Button onClick={() => setOpen(true)}>{WORDS.choose}</Button>
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

/** The graded metrics and judges that a stored run lacks, with what gives it scores; nothing where it has all. */
export function MissingNote({ run }: { run: string }) {
  const isSample = useSamples().has(run)
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const columns = allMissing(data?.verdicts.map(({ missing = [] }) => missing) ?? [])
  if (columns.length === 0) return null
  const isPartlyFailed = data?.verdicts.some(({ kind }) => kind === 'partly_failed') === true
  return (
    <div className={`notice ${styles.done}`} role="note">
      <span className={styles.noteText}>
        <span aria-hidden="true">▲ </span>
        {WORDS.note(missingWords(columns), isPartlyFailed)}
      </span>
      {!isSample && <MissingButtons {...{ run, columns }} />}
    </div>
  )
}
