import { Button, Checkbox, Modal, NumberInput, TagsInput, TextInput } from '@mantine/core'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { BUILTIN_JUDGES } from '../../../contract/control/judging.ts'
import { count } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { JUDGES_WORDS as WORDS } from './judges-words.ts'
import styles from './judges.module.css'
import { type Round, setInput } from './use-ballot.ts'

const MOST_ROTATIONS = 64

/** Has the stored answers of a finished run graded by judges; no approach is called again. */
export function JudgeRunDialog({ run, dataset }: { run: string; dataset: string }) {
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState<string[] | null>(null)
  const [rotations, setRotations] = useState(1)
  const [hasReference, setReference] = useState(true)
  // Not the experiment: it names every approach, and this page may be blind.
  const settings = useQuery({ ...api.settings.get.queryOptions(), enabled: isOpen }).data?.settings
  const judge = useMutation(
    api.judges.judgeRun.mutationOptions({
      onSuccess: () => void navigate({ to: '/runs/$run/progress', params: { run } }),
    }),
  )
  const judges = chosen ?? settings?.judge_models ?? [...BUILTIN_JUDGES]
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.judgeRun.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.judgeRun.title(run)} centered>
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
          <p>{WORDS.judgeRun.effect(dataset)}</p>
          <TagsInput
            label={WORDS.judgeRun.judges}
            description={WORDS.judgeRun.judgesNote}
            data={[...new Set([...BUILTIN_JUDGES, ...(settings?.judge_models ?? [])])]}
            value={judges}
            onChange={setChosen}
          />
          <NumberInput
            label={WORDS.judgeRun.rotations}
            description={WORDS.judgeRun.rotationsNote}
            min={1}
            max={MOST_ROTATIONS}
            value={rotations}
            onChange={(value) => setRotations(typeof value === 'number' && Number.isInteger(value) ? value : 1)}
          />
          <Checkbox
            label={WORDS.judgeRun.reference}
            checked={hasReference}
            onChange={({ currentTarget: { checked } }) => setReference(checked)}
          />
          {judge.isError && <p role="alert">▲ {controlErrorOf(judge.error).message}</p>}
          <div className={styles.steps}>
            <Button variant="default" onClick={() => setOpen(false)}>
              {WORDS.judgeRun.cancel}
            </Button>
            <Button type="submit" disabled={judges.length < 2} loading={judge.isPending}>
              {WORDS.judgeRun.confirm}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}

/** Starts a blind round: which questions, what is shown beside the answers, and what is hidden until the approaches are revealed. */
export function BeginDialog({ round, questions }: { round: Round; questions: number }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [wanted, setWanted] = useState(questions)
  const [hasReference, setReference] = useState(true)
  const begin = useMutation(
    api.judges.begin.mutationOptions({
      onSuccess: async (state) => {
        client.setQueryData(
          api.judges.state.queryKey({ input: { run_id: round.run, dataset_id: round.dataset } }),
          state,
        )
        await forgetGrades(client)
      },
    }),
  )
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.begin.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.begin.title} centered>
        <form
          className={styles.reveal}
          onSubmit={(event) => {
            event.preventDefault()
            const some = wanted < questions ? { questions: wanted } : {}
            begin.mutate({ run_id: round.run, dataset_id: round.dataset, reference: hasReference, ...some })
          }}
        >
          <p>{WORDS.begin.effect}</p>
          <p className="dim">{WORDS.begin.seen}</p>
          <NumberInput
            label={WORDS.begin.questions}
            description={WORDS.begin.questionsNote(count(questions))}
            min={1}
            max={questions}
            value={wanted}
            onChange={(value) => setWanted(typeof value === 'number' && Number.isInteger(value) ? value : questions)}
          />
          <Checkbox
            label={WORDS.begin.reference}
            description={WORDS.begin.referenceNote}
            checked={hasReference}
            onChange={({ currentTarget: { checked } }) => setReference(checked)}
          />
          {begin.isError && <p role="alert">▲ {controlErrorOf(begin.error).message}</p>}
          <div className={styles.steps}>
            <Button variant="default" onClick={() => setOpen(false)}>
              {WORDS.begin.cancel}
            </Button>
            <Button type="submit" loading={begin.isPending}>
              {WORDS.begin.confirm}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}

/** Forgets what pages keep of a run's grades, which may be shown no more, or again: what is on screen is fetched again, the rest is dropped. */
async function forgetGrades(client: QueryClient): Promise<void> {
  client.removeQueries({ queryKey: api.judges.results.key() })
  for (const queryKey of [
    api.matrix.key(),
    api.cells.key(),
    api.statistics.key(),
    api.compare.key(),
    api.runs.summary.key(),
  ]) {
    client.removeQueries({ queryKey, type: 'inactive' })
    await client.invalidateQueries({ queryKey })
  }
}

/** The one question before the names: what it ends, under which name, and that it is logged. */
export function RevealDialog({ round }: { round: Round }) {
  const client = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const [rater, setRater] = useState('')
  const reveal = useMutation(
    api.judges.reveal.mutationOptions({
      onSuccess: async () => {
        await forgetGrades(client)
        await client.invalidateQueries({ queryKey: api.judges.key() })
      },
    }),
  )
  const sets = useQuery(api.judges.blindSets.queryOptions({ input: setInput(round, 0) })).data
  const [voted, total] = [sets?.voted ?? 0, sets?.total ?? 0]
  const name = rater.trim()
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        {WORDS.reveal.open}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={WORDS.reveal.title} centered>
        <form
          className={styles.reveal}
          onSubmit={(event) => {
            event.preventDefault()
            reveal.mutate({
              run_id: round.run,
              dataset_id: round.dataset,
              ...(name === '' ? {} : { rater: name }),
            })
          }}
        >
          <p>
            {voted === 0 ? WORDS.reveal.noVotes : WORDS.reveal.votes(count(voted), count(total))}
            {WORDS.reveal.effect}
          </p>
          <TextInput
            label={WORDS.reveal.name}
            placeholder={WORDS.reveal.namePlaceholder}
            maxLength={128}
            value={rater}
            onChange={({ currentTarget }) => setRater(currentTarget.value)}
          />
          {reveal.isError && <p role="alert">▲ {controlErrorOf(reveal.error).message}</p>}
          <div className={styles.steps}>
            <Button variant="default" onClick={() => setOpen(false)}>
              {WORDS.reveal.cancel}
            </Button>
            <Button type="submit" loading={reveal.isPending}>
              {WORDS.reveal.confirm}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
