import { Button, Checkbox, Modal, NumberInput, TagsInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { BUILTIN_JUDGES } from '../../../contract/control/judging.ts'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { api } from '../../data/client.ts'
import styles from './judges.module.css'

const MOST_ROTATIONS = 64

/** Has the stored answers of a finished run graded by judges; no approach is called again. */
export function JudgeRunDialog({ run, dataset }: { run: string; dataset: string }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string[] | null>(null)
  const [rotations, setRotations] = useState(1)
  const [hasReference, setReference] = useState(false)
  // Not the experiment: it names every approach, and this page may be blind.
  const settings = useQuery({ ...api.settings.get.queryOptions(), enabled: isOpen }).data?.settings
  const judge = useMutation(
    api.judges.judgeRun.mutationOptions({ onSuccess: () => void navigate({ to: '/ladder', search: { run } }) }),
  )
  const judges = chosen ?? settings?.judge_models ?? [...BUILTIN_JUDGES]
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Judge answers…
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`Judge the answers of ${run}?`} centered>
        <form
          className={styles.reveal}
          onSubmit={(event) => {
            event.preventDefault()
            judge.mutate({
              run_id: run,
              dataset_ids: [dataset],
              judge: { models: judges, rotations, reference: hasReference },
            })
          }}
        >
          <p>
            Judges grade the stored answers of {dataset} without the names of the approaches. No answer is made again,
            and no stored row changes.
          </p>
          <TagsInput
            label="Judges"
            description="Two or more, each of another model family"
            data={[...new Set([...BUILTIN_JUDGES, ...(settings?.judge_models ?? [])])]}
            value={judges}
            onChange={setChosen}
          />
          <NumberInput
            label="Rotations"
            description="Times that each judge sees a question, each time in another order"
            min={1}
            max={MOST_ROTATIONS}
            value={rotations}
            onChange={(value) => setRotations(typeof value === 'number' && Number.isInteger(value) ? value : 1)}
          />
          <Checkbox
            label="Show judges the reference answer"
            checked={hasReference}
            onChange={({ currentTarget: { checked } }) => setReference(checked)}
          />
          {judge.isError && <p role="alert">▲ {controlErrorOf(judge.error).message}</p>}
          <div className={styles.steps}>
            <Button variant="default" onClick={() => setOpen(false)}>
              Close
            </Button>
            <Button type="submit" disabled={judges.length < 2} loading={judge.isPending}>
              Judge answers
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
